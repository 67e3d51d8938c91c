/**
 * What encryption at rest costs on the way of a large file in and out: the same upload and download against two daemons,
 * one with a key file, in turns.
 *
 *   bun scripts/bench/encryption.ts [MB] [ROUNDS]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { startApp } from "../../src/app.ts"
import { readConfig } from "../../src/config.ts"
import { setLogLevel } from "../../src/log.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"

setLogLevel("error")
const megabytes = Number(process.argv[2] ?? 1_000)
const rounds = Number(process.argv[3] ?? 3)
const piece = crypto.getRandomValues(new Uint8Array(65_536))

const folder = mkdtempSync(join(tmpdir(), "carrel-bench-"))
const keyFile = join(folder, "key")
writeFileSync(keyFile, "ab".repeat(32), { mode: 0o600 })

async function daemon(name: string, flags: string[]) {
  const data = join(folder, name)
  const settings = ["--data", data, "--port", "0", "--embedding-tier", "fast", "--rerank", "off", ...flags]
  const app = await startApp(readConfig(settings, {}).config)
  const database = await openSqlite(data)
  const { token } = await new ApiKeys(database).create(await ensureWorkspace(database), { name: "bench" })
  await database.destroy()
  return { app, authorization: `Bearer ${token}`, up: [] as number[], down: [] as number[], late: [] as number[] }
}

type Daemon = Awaited<ReturnType<typeof daemon>>

const HEAD = '--b\r\ncontent-disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n'

async function round({ app, authorization, up, down, late }: Daemon): Promise<void> {
  let worst = 0
  let last = performance.now()
  const timer = setInterval(() => {
    worst = Math.max(worst, performance.now() - last - 5)
    last = performance.now()
  }, 5)
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(HEAD))
    },
    pull: (() => {
      let left = megabytes * 16
      return (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (left-- > 0) return controller.enqueue(piece)
        controller.enqueue(Buffer.from("\r\n--b--\r\n"))
        controller.close()
      }
    })(),
  })
  const base = `${app.url}/external-docs/external`
  let began = performance.now()
  const answer = await fetch(`${base}/upload`, {
    method: "POST",
    headers: { authorization, "content-type": "multipart/form-data; boundary=b" },
    body,
  })
  const { files } = (await answer.json()) as { files: { id: string }[] }
  up.push(performance.now() - began)
  const path = `${base}/libraries/${files[0]!.id}`
  const status = async () =>
    ((await (await fetch(path, { headers: { authorization } })).json()) as { status: string }).status
  while (!["failed", "searchable"].includes(await status())) await Bun.sleep(50) // its reader takes the same processors
  began = performance.now()
  const content = await fetch(`${path}/content`, { headers: { authorization } })
  let bytes = 0
  for await (const chunk of content.body!) bytes += chunk.byteLength
  if (bytes !== megabytes * 2 ** 20) throw new Error(`${bytes} bytes came back`)
  down.push(performance.now() - began)
  clearInterval(timer)
  late.push(worst)
  await fetch(path, { method: "DELETE", headers: { authorization } })
}

const clear = await daemon("clear", [])
const sealed = await daemon("sealed", ["--encryption-key-file", keyFile])
try {
  for (let i = 0; i < rounds; i++) for (const each of [clear, sealed]) await round(each)
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!
  for (const way of ["up", "down"] as const)
    console.log(
      `${way}: ${Math.round(median(clear[way]))} ms in clear, ${Math.round(median(sealed[way]))} ms encrypted, ratio ${(median(sealed[way]) / median(clear[way])).toFixed(2)}`,
    )
  console.log(
    `event loop late by at most ${Math.round(Math.max(...clear.late))} and ${Math.round(Math.max(...sealed.late))} ms`,
  )
  console.log(`resident memory ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB, client included`)
} finally {
  await clear.app.stop()
  await sealed.app.stop()
  rmSync(folder, { recursive: true, force: true })
}
