/**
 * Real model servers with real weights, for tests and for trying: Ollama, and llama.cpp's OpenAI-compatible server, both with
 * SmolLM2-135M-Instruct. Each starts on the loopback, on a free port. See docs/real-models.md.
 *
 *   npm run real-models -- install     fetches and builds what is missing: 6 minutes on two cores, about 2 GB of disk meanwhile
 *   npm run real-models -- up          installs, starts and prints the addresses
 *   npm run real-models -- status      says what runs
 *   npm run real-models -- down        ends them and removes their data
 *
 * `--json` prints `{"ollama_host", "openai_base_url"}`; else `up` prints lines that a shell takes. `--state FILE` keeps several
 * such pairs apart. What has been built stays in `$XDG_CACHE_HOME/carrel-engines` (`~/.cache`, root: `/var/cache`), 0.4 GB;
 * nothing needs a network after that. Ends with 3 where the machine lacks what building takes, with 1 for every other failure.
 */
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { start, stop } from "./cluster/index.ts"
import { cacheFolder } from "./cluster/packages.ts"
import { isAlive } from "./cluster/processes.ts"
import { StateFile } from "./cluster/state.ts"
import { installModelServers, LACKS, lacksModelServers, MODEL_SERVERS } from "./real-models/index.ts"
import type { ModelUrls } from "./real-models/urls.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    state: { type: "string", default: join(cacheFolder(), "models-running.json") },
  },
})
const file = new StateFile<ModelUrls>(resolve(values.state))

const COMMANDS = { up, down, status, install } satisfies Record<string, () => Promise<void>>

const [name = "", ...rest] = positionals
if (!Object.hasOwn(COMMANDS, name) || rest.length > 0)
  fail(`usage: npm run real-models -- ${Object.keys(COMMANDS).join("|")} [--json] [--state FILE]`)
await COMMANDS[name as keyof typeof COMMANDS]().catch((error: Error) => fail(error.message))
// The servers go on; what this process has watched of them must not keep it.
process.exit(0)

async function up(): Promise<void> {
  const state = file.read()
  if (state?.urls && state.processes.every(isAlive)) return printUrls(state.urls)
  if (state && !state.urls && isAlive(state.starter)) fail(`process ${state.starter.pid} is starting the servers`)
  await stop(file)
  await install()
  const interrupted = new AbortController()
  const abandon = () => interrupted.abort(new Error("interrupted; what had started was ended"))
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, abandon)
  printUrls(await start(file, { nodes: 1, engines: MODEL_SERVERS, signal: interrupted.signal }))
}

async function down(): Promise<void> {
  if (!file.read()) tell("nothing runs")
  await stop(file)
}

async function status(): Promise<void> {
  const state = file.read()
  const processes = (state?.processes ?? []).map(each => ({ name: each.name, pid: each.pid, running: isAlive(each) }))
  const ready = Boolean(state?.urls) && processes.every(({ running }) => running)
  if (values.json) return console.log(JSON.stringify({ ready, ...state?.urls, processes }))
  for (const { name, pid, running } of processes)
    console.log(`${name}: ${running ? "runs" : "has ended"} (process ${pid})`)
  console.log(ready ? "ready" : state ? "not ready" : "nothing runs")
}

async function install(): Promise<void> {
  const missing = lacksModelServers()
  if (missing.length > 0) fail(missing.join("\n"), LACKS)
  await installModelServers(tell)
}

function printUrls(urls: ModelUrls): void {
  const lines = Object.entries(urls).map(([key, url]) => `export CARREL_${key.toUpperCase()}='${url}'`)
  console.log(values.json ? JSON.stringify(urls) : lines.join("\n"))
}

/** Progress stands apart from what scripts read. */
function tell(line: string): void {
  console.error(`real-models: ${line}`)
}

function fail(message: string, code = 1): never {
  tell(message)
  process.exit(code)
}
