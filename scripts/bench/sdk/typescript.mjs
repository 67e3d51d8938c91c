/** What `@carrel/sdk` costs over `fetch`, under the runtime that runs this. See ../sdk.ts. */
import { createReadStream, openAsBlob } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Carrel } from "@carrel/sdk"

const { CARREL_URL, CARREL_TOKEN, CARREL_BENCH } = process.env
const { file, large, down, many, manifest, rounds } = JSON.parse(CARREL_BENCH)
const carrel = new Carrel({ timeoutMs: 600_000 })
const api = `${CARREL_URL}/external-docs/external`
const headers = { authorization: `Bearer ${CARREL_TOKEN}` }
const json = { ...headers, "content-type": "application/json" }
const asked = { message: "What is the notice period?", model: "builtin/extractive" }
const FILES_OF_FORM = 50
const AT_ONCE = 4

/** Both take turns; a tenth more of them, before, do not count. */
async function measure(name, count, sdk, bare) {
  if (count === 0) return
  const took = { sdk: [], bare: [] }
  for (let round = -Math.ceil(count / 10); round < count; round++)
    for (const by of round % 2 ? ["sdk", "bare"] : ["bare", "sdk"]) {
      const began = performance.now()
      const after = await (by === "sdk" ? sdk : bare)()
      const ms = performance.now() - began
      await after?.()
      if (round >= 0) took[by].push(ms)
    }
  console.log(JSON.stringify({ name, ...took }))
}

/** `fetch` has no time limit of its own, as httpx has: who waits for an answer gives it one. */
const limited = () => ({ signal: AbortSignal.timeout(60_000) })
const post = (path, body, headers = json, more = {}) =>
  fetch(api + path, { method: "POST", headers, body: JSON.stringify(body), ...more })
const removed = id => () => carrel.files.delete(id)
const emptied = async stream => {
  const reader = stream.getReader()
  while (!(await reader.read()).done);
}

async function sent(paths, fields) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const path of paths) form.append("files", await openAsBlob(path), path.split("/").at(-1))
  const answer = await fetch(`${api}/upload`, { method: "POST", headers, body: form })
  return (await answer.json()).files
}

/** As a stream: of a form with a Blob Node reads all ahead, a gigabyte of memory, which is quicker and no like of what is measured. */
async function streamed(path, fields) {
  const boundary = `bare-${crypto.randomUUID()}`
  const part = about => `--${boundary}\r\ncontent-disposition: form-data; ${about}\r\n\r\n`
  async function* pieces() {
    for (const [name, value] of Object.entries(fields)) yield Buffer.from(`${part(`name="${name}"`)}${value}\r\n`)
    yield Buffer.from(part(`name="files"; filename="${path.split("/").at(-1)}"`))
    yield* createReadStream(path)
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  const type = { ...headers, "content-type": `multipart/form-data; boundary=${boundary}` }
  const given = { method: "POST", headers: type, body: ReadableStream.from(pieces()), duplex: "half" }
  return (await (await fetch(`${api}/upload`, given)).json()).files
}

async function sentAll() {
  const entries = await readdir(many, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath ?? entry.path, entry.name))
  const worker = async () => {
    for (let part = paths.splice(0, FILES_OF_FORM); part.length > 0; part = paths.splice(0, FILES_OF_FORM))
      await sent(part, {})
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

await measure(
  "a record",
  rounds.calls,
  async () => void (await carrel.files.get(file)),
  async () => void (await (await fetch(`${api}/libraries/${file}`, { headers, ...limited() })).json()),
)
await measure(
  "a search",
  rounds.calls,
  async () => void (await carrel.search("notice period")),
  async () => void (await (await post("/search", { query: "notice period" }, json, limited())).json()),
)
await measure(
  "a reply as a stream",
  rounds.replies,
  async () => void (await carrel.conversations.stream(asked).finalMessage()),
  async () => {
    const more = { ...json, accept: "text/event-stream", "idempotency-key": crypto.randomUUID() }
    await emptied((await post("/conversations", asked, more)).body)
  },
)
await measure(
  "a gigabyte up",
  rounds.gigabytes,
  async () => removed((await carrel.files.upload(large, { on_duplicate: "keep_both" })).files[0].id),
  async () => removed((await streamed(large, { on_duplicate: "keep_both" }))[0].id),
)
await measure(
  "a gigabyte down",
  rounds.downloads,
  async () => emptied(await carrel.files.download(down)),
  async () => emptied((await fetch(`${api}/libraries/${down}/content`, { headers })).body),
)
await measure(
  "a folder",
  rounds.folders,
  async () => {
    await carrel.files.uploadDir(many, { manifest })
    return () => rm(manifest)
  },
  sentAll,
)
