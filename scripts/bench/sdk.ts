/**
 * What the TypeScript SDK costs over `fetch` alone, in turns of the same run: small calls, a reply as a stream under an
 * Idempotency-Key, an upload of a gigabyte; and how long a folder of 10 000 files takes, the first time and again.
 *
 *   bun scripts/bench/sdk.ts
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Carrel } from "../../sdk/typescript/src/index.ts"
import { startTestApp } from "../../test/support/app.ts"

const ROUNDS = 15
const CALLS = 60
const FILES = 10_000
const GIGABYTE = 1_000_000_000

const app = await startTestApp()
const { key, credentials } = await app.client()
const token = [key.client_id, key.private_key, key.secret].join(".")
const carrel = new Carrel({ baseUrl: app.url, token })
const folder = mkdtempSync(join(tmpdir(), "carrel-bench-sdk-"))
const api = `${app.url}/external-docs/external`
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const { files } = await carrel.files.upload({ source: { text: "The notice period is six months." }, name: "lease.txt" })
await carrel.files.waitUntilSearchable(files[0]!.id)

const json = { ...credentials, "content-type": "application/json" }
const post = (path: string, body: object, headers = {}) =>
  fetch(api + path, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) })

await compare(
  "a search",
  CALLS,
  () => carrel.search("notice period"),
  async () => {
    await (await post("/search", { query: "notice period" })).json()
  },
)
await compare(
  "a reply as a stream",
  10,
  () => carrel.conversations.stream("What is the notice period?").finalMessage(),
  async () => {
    await (
      await post(
        "/conversations",
        { message: "What is the notice period?" },
        { accept: "text/event-stream", "idempotency-key": crypto.randomUUID() },
      )
    ).text()
  },
)

const large = join(folder, "large.txt")
writeFileSync(large, "")
const block = `${"0123456789abcdef".repeat(4_096)}\n`
await Bun.write(large, block.repeat(Math.ceil(GIGABYTE / block.length)))
const removed = async (id: string) => void (await carrel.files.delete(id))
const bySdk: number[] = []
const bare: number[] = []
for (let round = 0; round < 3; round++) {
  bySdk.push(
    await timed(async () => removed((await carrel.files.upload(large, { on_duplicate: "keep_both" })).files[0]!.id)),
  )
  bare.push(
    await timed(async () => {
      const form = new FormData()
      form.append("on_duplicate", "keep_both")
      form.append("files", Bun.file(large), "large.txt")
      const answer = await fetch(`${api}/upload`, { method: "POST", headers: credentials, body: form })
      await removed(((await answer.json()) as { files: { id: string }[] }).files[0]!.id)
    }),
  )
}
console.log(`a gigabyte: ${ms(median(bySdk))} by the SDK, ${ms(median(bare))} by a form: ${ratio(bySdk, bare)}`)

const many = join(folder, "many")
for (let at = 0; at < FILES; at++) {
  if (at % 1_000 === 0) mkdirSync(join(many, `${at / 1_000}`), { recursive: true })
  writeFileSync(join(many, `${Math.floor(at / 1_000)}`, `note ${at}.txt`), `The note number ${at} of the folder.`)
}
const first = await timed(() => carrel.files.uploadDir(many))
const again = await timed(() => carrel.files.uploadDir(many))
console.log(`a folder of ${FILES} files: ${ms(first)}, again ${ms(again)}`)

rmSync(folder, { recursive: true })
await app.stop()
process.exit()

async function compare(name: string, calls: number, sdk: () => Promise<unknown>, plain: () => Promise<unknown>) {
  const times = { sdk: [] as number[], plain: [] as number[] }
  for (let round = -1; round < ROUNDS; round++)
    for (const [by, call] of Object.entries({ sdk, plain }) as ["sdk" | "plain", () => Promise<unknown>][]) {
      const took = await timed(async () => {
        for (let at = 0; at < calls; at++) await call()
      })
      if (round >= 0) times[by].push(took / calls)
    }
  console.log(
    `${name}: ${ms(median(times.sdk))} by the SDK, ${ms(median(times.plain))} by fetch: ${ratio(times.sdk, times.plain)}`,
  )
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function ratio(left: number[], right: number[]): string {
  return (median(left) / median(right)).toFixed(3)
}

function ms(value: number): string {
  return value > 5_000 ? `${(value / 1_000).toFixed(1)} s` : `${value.toFixed(2)} ms`
}
