/**
 * What the daemon adds to a request: lists of models and of files, against a bare Elysia server that gives the same
 * bodies, with the same queries for the files, and knows no credentials, limits, logs or ids.
 *
 *   [CARREL_BIN=dist/carrel] bun scripts/bench/requests.ts [--seconds 5] [--connections 32] [--files 200]
 *
 * Both servers run beside the client and take turns, three times. The ratio of CPU time is what counts on a machine that
 * is shared; that of requests a second needs an idle one.
 */
import { Database as Sqlite } from "bun:sqlite"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Elysia } from "elysia"
import { type Daemon, startDaemon } from "../../test/support/daemon.ts"
import { cpuSecondsOf } from "../../test/support/processes.ts"

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    connections: { type: "string", default: "32" },
    files: { type: "string", default: "200" },
  },
  allowPositionals: true,
})
const SECONDS = Math.min(60, Number(values.seconds))
const CONNECTIONS = Math.min(256, Number(values.connections))
const ROUNDS = 3
/** Until the code is compiled for good. */
const WARM_UP_REQUESTS = 30_000
const MAX_SECONDS = 60
/** `USER_HZ` of Linux. */

const PATHS = { models: "/external/models", libraries: "/external/libraries?page_size=20" }
type Path = keyof typeof PATHS

/** @param models the body of `GET /external/models` */
function serveBare(data: string, models: string): void {
  const db = new Sqlite(join(data, "carrel.db"), { readonly: true })
  const list = JSON.parse(models)
  const workspace = (db.query("select workspace_id as id from files limit 1").get() as { id: string }).id
  const count = db.query("select count(*) as total from files where workspace_id = ?")
  const page = db.query(
    "select * from files where workspace_id = ? order by created_at desc, id desc limit 20 offset 0",
  )
  // biome-ignore lint/suspicious/noExplicitAny: a row of the files table
  const record = ({ tags, metadata, warnings, ...row }: any) => ({
    ...row,
    tags: JSON.parse(tags),
    metadata: JSON.parse(metadata),
    warnings: JSON.parse(warnings),
  })
  const app = new Elysia()
    .get("/external/models", () => list)
    .get("/external/libraries", () => ({
      data: page.all(workspace).map(record),
      pagination: { total_items: (count.get(workspace) as { total: number }).total },
    }))
    .listen({ hostname: "127.0.0.1", port: 0 })
  console.log(app.server!.port)
}

interface Server {
  name: string
  port: number
  pid: number
  headers: Record<string, string>
}

interface Rate {
  perSecond: number
  /** Of the server, microseconds. */
  cpuPerRequest: number
}

async function compare(): Promise<void> {
  const daemon = await startDaemon(["--log-level", "info"])
  try {
    await fill(daemon, Number(values.files))
    const models = JSON.stringify(await daemon.call("GET", "/models"))
    const child = Bun.spawn([Bun.argv[0]!, import.meta.path, "bare", daemon.data, models], { stdout: "pipe" })
    try {
      const first = await child.stdout.getReader().read()
      const bare = { name: "bare", port: Number(new TextDecoder().decode(first.value)), pid: child.pid, headers: {} }
      const port = Number(new URL(daemon.url).port)
      const carrel = { name: "carrel", port, pid: daemon.pid, headers: daemon.credentials }
      for (const path of Object.keys(PATHS) as Path[]) await comparePath(path, carrel, bare)
    } finally {
      child.kill()
    }
  } finally {
    await daemon.remove()
  }
}

async function fill(daemon: Daemon, files: number): Promise<void> {
  const form = new FormData()
  for (let i = 0; i < files; i++) form.append("files", new Blob([`The harbour ledger, number ${i}.`]), `note-${i}.txt`)
  await daemon.call("POST", "/upload", form)
  while ((await daemon.call("GET", "/libraries?status=queued,indexing&page_size=1")).pagination.total_items > 0)
    await Bun.sleep(100)
}

async function comparePath(path: Path, carrel: Server, bare: Server): Promise<void> {
  for (const server of [carrel, bare]) await load(server, PATHS[path], 2, WARM_UP_REQUESTS)
  const rates: Record<string, Rate[]> = { carrel: [], bare: [] }
  for (let round = 0; round < ROUNDS; round++)
    for (const server of [carrel, bare]) rates[server.name]!.push(await load(server, PATHS[path], SECONDS))
  const [ours, theirs] = [median(rates.carrel!), median(rates.bare!)]
  console.log(
    `${path.padEnd(10)} carrel ${ours.perSecond.toFixed(0)}/s ${ours.cpuPerRequest.toFixed(1)} CPU-µs, bare ${theirs.perSecond.toFixed(0)}/s ${theirs.cpuPerRequest.toFixed(1)} CPU-µs: ratio ${(ours.perSecond / theirs.perSecond).toFixed(3)} by rate, ${(theirs.cpuPerRequest / ours.cpuPerRequest).toFixed(3)} by CPU`,
  )
}

const middle = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1]!
const median = (rates: Rate[]): Rate => ({
  perSecond: middle(rates.map(rate => rate.perSecond)),
  cpuPerRequest: middle(rates.map(rate => rate.cpuPerRequest)),
})

/** All threads of a process. */
const cpuMicroseconds = (pid: number): number => cpuSecondsOf(pid) * 1e6

/** Asks over connections that stay open, one request at a time on each, parsing no more than it must. */
async function load({ port, pid, headers }: Server, path: string, seconds: number, atLeast = 0): Promise<Rate> {
  const lines = [`GET ${path} HTTP/1.1`, "host: 127.0.0.1", ...Object.entries(headers).map(([k, v]) => `${k}: ${v}`)]
  const request = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`)
  const began = performance.now()
  const cpuBefore = cpuMicroseconds(pid)
  let answered = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      let missing = 0
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: {
          data(open, bytes) {
            if (missing === 0) missing = lengthOf(bytes)
            missing -= bytes.length
            if (missing > 0) return
            answered++
            const elapsed = performance.now() - began
            if (elapsed < seconds * 1_000 || (answered < atLeast && elapsed < MAX_SECONDS * 1_000)) open.write(request)
            else {
              open.end()
              resolve()
            }
          },
          error: (_, error) => reject(error),
          close: () => resolve(),
        },
      })
      socket.write(request)
      await promise
    }),
  )
  return {
    perSecond: answered / ((performance.now() - began) / 1_000),
    cpuPerRequest: (cpuMicroseconds(pid) - cpuBefore) / answered,
  }
}

/** Bytes of the answer that these begin. @throws Error unless it is a success */
function lengthOf(bytes: Buffer): number {
  const head = bytes.toString("latin1", 0, Math.min(bytes.length, 2_000))
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(head)
  return head.indexOf("\r\n\r\n") + 4 + Number(/content-length: (\d+)/i.exec(head)![1])
}

if (positionals[0] === "bare") serveBare(positionals[1]!, positionals[2]!)
else await compare()
