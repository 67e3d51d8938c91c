/**
 * What the audit log costs a request: the same request through the application with its row and without, in turns of the
 * same run, one at a time. Searches and lists have no row and say how much of the ratio is noise.
 *
 *   bun scripts/bench/audit.ts [ROUNDS]
 *
 * With CARREL_TEST_ENGINES (see CONTRIBUTING.md), of a node on PostgreSQL, S3 and OpenSearch.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { startApp } from "../../src/app.ts"
import { readConfig } from "../../src/config.ts"
import { AuditLog } from "../../src/governance/audit/audit-log.ts"
import { setLogLevel } from "../../src/log.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { Client, startTestApp } from "../../test/support/app.ts"

const rounds = Number(process.argv[2] ?? 150)

type Ask = (client: Client, n: number) => Promise<() => Promise<unknown>>

let newest: string | undefined

/** Each asks, and gives what is to be waited for before the next is timed. */
const ASKED: Readonly<Record<string, Ask>> = {
  async search(client) {
    await client.post("/search", { query: "harbour ledger" })
    return async () => {}
  },
  async "list of files"(client) {
    await client.get("/libraries?page_size=20")
    return async () => {}
  },
  async "upload of 4 KB"(client, n) {
    const { body } = await client.upload([{ name: `note-${n}.txt`, data: `Ledger ${n} of the harbour. `.repeat(160) }])
    return () => client.settled(body.files[0].id)
  },
  async "download of 4 KB"(client) {
    newest ??= (await client.get("/libraries?page_size=1")).body.data[0].id
    await (await client.raw("GET", `/libraries/${newest}/content`)).arrayBuffer()
    return async () => {}
  },
  async "chat message"(client, n) {
    await client.post("/start-conversation", { message: `What does ledger ${n} say?` })
    return async () => {}
  },
}

const append = Object.getOwnPropertyDescriptor(AuditLog.prototype, "append")!
const audit = (isOn: boolean) =>
  Object.defineProperty(AuditLog.prototype, "append", isOn ? append : { ...append, value: async () => {} })
const quantile = (times: readonly number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)]!

/** A node of a cluster of its own; what it leaves in the engines goes with them. */
async function startNode(enginesFile: string) {
  setLogLevel("error")
  const engines = JSON.parse(readFileSync(enginesFile, "utf8"))
  const name = `bench${Date.now().toString(36)}`
  const data = mkdtempSync(join(tmpdir(), "carrel-bench-"))
  writeFileSync(join(data, "secret"), "0123456789abcdef".repeat(4), { mode: 0o600 })
  const sql = new Bun.SQL(engines.database_url, { max: 1 })
  await sql.unsafe(`create schema ${name}`).finally(() => sql.close())
  const database = new URL(engines.database_url)
  database.searchParams.set("options", `-csearch_path=${name}`)
  const [place, query] = engines.blob_url.split("?")
  const search = new URL(engines.search_url)
  search.searchParams.set("prefix", name)
  search.searchParams.set("ca_file", engines.ca_file)
  const settings = {
    ...{ data: join(data, "node"), port: "0", "embedding-tier": "fast", rerank: "off", "storage-low-mb": "0" },
    ...{ "rate-limit-per-minute": "100000", "ollama-host": "http://127.0.0.1:9" },
    ...{ "database-url": database.href, "blob-url": `${place}/${name}?${query}`, "search-url": search.href },
    ...{ "cluster-secret-file": join(data, "secret"), "node-url": "http://127.0.0.1:4747" },
  }
  const flags = Object.entries(settings).flatMap(([flag, value]) => [`--${flag}`, value])
  const app = await startApp(readConfig(flags, {}).config)
  return {
    async client() {
      const records = await openPostgres(database.href)
      const key = await new ApiKeys(records).create(await ensureWorkspace(records), { name: "bench" })
      await records.destroy()
      return new Client(() => app.url, key)
    },
    async stop() {
      await app.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

const enginesFile = Bun.env.CARREL_TEST_ENGINES
const app = enginesFile ? await startNode(enginesFile) : await startTestApp()
const client = await app.client()
for (const [name, ask] of Object.entries(ASKED)) {
  const times = { with: [] as number[], without: [] as number[] }
  let n = 0
  const timed = async (way: keyof typeof times) => {
    audit(way === "with")
    const began = performance.now()
    const settled = await ask(client, n++)
    times[way].push(performance.now() - began)
    audit(true)
    await settled()
  }
  for (let i = 0; i < 20; i++) await timed("without")
  times.without.length = 0
  // Each way begins as often as the other.
  for (let i = 0; i < rounds; i++)
    for (const way of i % 2 ? (["with", "without"] as const) : (["without", "with"] as const)) await timed(way)
  const shown = (part: number) => {
    const [its, bare] = [quantile(times.with, part), quantile(times.without, part)]
    return `${its.toFixed(2)} / ${bare.toFixed(2)} ms, ratio ${(its / bare).toFixed(3)}`
  }
  console.log(`${name.padEnd(16)} p50 ${shown(0.5)}   p90 ${shown(0.9)}`)
}
console.log(`load ${loadavg()[0]!.toFixed(1)}`)
await app.stop()
process.exit()
