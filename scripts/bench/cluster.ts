/**
 * What several machines cost and give, beside one machine in the same run: latency of search, list, upload and chat; what
 * passes between a node and its engines for each; and how many searches a second one node and three answer, each held to
 * a quarter of a core, so that the node is what is short and not this machine.
 *
 *   [CARREL_BIN=dist/carrel] bun scripts/bench/cluster.ts [--files 300] [--seconds 15] [--cores .25]
 *
 * Takes the engines of `npm run cluster -- install`, and root for the shares of a core. Engines, clients and nodes share
 * this machine: ratios count, not figures.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { ClusterNode } from "../../test/support/cluster-node.ts"
import { startDaemon } from "../../test/support/daemon.ts"
import { readEvents } from "../../test/support/events.ts"
import { LLAMA, startOllama } from "../../test/support/ollama.ts"
import { cpuSecondsOf } from "../../test/support/processes.ts"
import { until } from "../../test/support/until.ts"
import { type ClusterUrls, freePorts, LOOPBACK } from "../cluster/engine.ts"
import { start, stop } from "../cluster/index.ts"
import { StateFile } from "../cluster/state.ts"
import { limitCores } from "./cluster/quota.ts"
import { Wire } from "./cluster/wire.ts"

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "300" },
    seconds: { type: "string", default: "15" },
    cores: { type: "string", default: ".25" },
  },
})
const FILES = Math.min(5_000, Number(values.files))
const SECONDS = Math.min(120, Number(values.seconds))
const CORES = Number(values.cores)
/** One after the other. */
const SAMPLES = 40
/** Of each node: enough that it has something to do all the time. */
const CLIENTS = 48
/** One node and three take turns, so that what else this machine does falls on both. */
const TURNS = 3
const WARM_UP_SECONDS = 4
/**
 * Of each node with whole cores, before any is held: a node that has just started spends much of its share on compiling.
 * Three nodes held to a tenth of a core answered 2.18 times what one did without, 2.61 times with it.
 */
const WARM_UP_SEARCHES = 3_000
/**
 * Before single requests are timed: an OpenSearch that has just started interprets what it compiles later. The first fifty
 * searches of 300 files took 53 ms in the median, those after a thousand 17.
 */
const WARM_UP_ENGINE = 1_500
const WORDS =
  "harbour ledger meadow copper window travel planet river garden office report winter supply engine letter market".split(
    " ",
  )
const KINDS = ["search", "list", "upload", "chat"] as const
type Kind = (typeof KINDS)[number]

interface Target {
  /** Any of its nodes. */
  urls: string[]
  credentials: Record<string, string>
}

let serial = 0
const sum = (all: number[]) => all.reduce((a, b) => a + b, 0)
const phrase = (words: number) =>
  Array.from({ length: words }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(" ")

async function ask({ urls, credentials }: Target, kind: Kind, at = 0): Promise<void> {
  const url = `${urls[at % urls.length]}/external`
  const json = (path: string, body: unknown) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { ...credentials, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  const response = await {
    search: () => json("/search", { query: phrase(4), limit: 10 }),
    list: () => fetch(`${url}/libraries?page_size=20`, { headers: credentials }),
    upload() {
      const form = new FormData()
      form.append("files", new Blob([phrase(200)]), `bench-${serial++}-${at}.txt`)
      return fetch(`${url}/upload`, { method: "POST", headers: credentials, body: form })
    },
    chat: () => json("/conversations", { message: `case-load ${phrase(4)}`, model: LLAMA.name }),
  }[kind]()
  if (!response.ok) throw new Error(`${kind} answered ${response.status}: ${(await response.text()).slice(0, 300)}`)
  if (kind === "chat") await readEvents(response)
  else await response.arrayBuffer()
}

async function fill(target: Target): Promise<void> {
  for (let done = 0; done < FILES; done += 50) {
    const form = new FormData()
    for (let i = 0; i < Math.min(50, FILES - done); i++)
      form.append("files", new Blob([phrase(300)]), `file-${done + i}.txt`)
    const response = await fetch(`${target.urls[0]}/external/upload`, {
      method: "POST",
      headers: target.credentials,
      body: form,
    })
    if (!response.ok) throw new Error(`upload answered ${response.status}: ${await response.text()}`)
  }
  await settled(target)
}

async function settled({ urls, credentials }: Target): Promise<void> {
  const waiting = async () => {
    const response = await fetch(`${urls[0]}/external/libraries?status=queued,indexing&page_size=1`, {
      headers: credentials,
    })
    return ((await response.json()) as { pagination: { total_items: number } }).pagination.total_items
  }
  await until(async () => (await waiting()) === 0, { within: 600_000, everyMs: 500 })
}

/** Milliseconds of one request at a time: median and the 95th of a hundred. */
async function latency(target: Target, kind: Kind): Promise<[number, number]> {
  const times: number[] = []
  for (let i = 0; i < SAMPLES; i++) {
    const begun = performance.now()
    await ask(target, kind, i)
    if (i >= SAMPLES / 5) times.push(performance.now() - begun)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]!
  return [at(0.5), at(0.95)]
}

/** Searches of many clients at once. */
async function repeat(target: Target, searches: number): Promise<void> {
  const client = async (at: number) => {
    for (let turn = at; turn < searches; turn += CLIENTS) await ask(target, "search", turn)
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)))
}

interface Rate {
  searches: number
  /** Of what the nodes may take of the cores: far below 1 where something else was short. */
  share: number
}

/** Searches a second of many clients at once. */
async function rate(target: Target, asked: readonly ClusterNode[]): Promise<Rate> {
  const begun = performance.now()
  const [from, end] = [begun + WARM_UP_SECONDS * 1_000, begun + (WARM_UP_SECONDS + SECONDS) * 1_000]
  const spent = () => sum(asked.map(({ pid }) => cpuSecondsOf(pid)))
  const before = Bun.sleep(WARM_UP_SECONDS * 1_000).then(spent)
  let done = 0
  const client = async (at: number) => {
    for (let turn = at; performance.now() < end; turn++) {
      await ask(target, "search", turn)
      const now = performance.now()
      if (now >= from && now < end) done++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS * asked.length }, (_, at) => client(at)))
  const share = (spent() - (await before)) / (asked.length * CORES * SECONDS)
  return { searches: done / SECONDS, share }
}

interface Costs {
  trips: number
  bytes: number
}

/** Of a request, less what passes while nothing is asked. */
async function costs(wires: Record<string, Wire>, target: Target, kind: Kind): Promise<Record<string, Costs>> {
  const spent = async (work: () => Promise<unknown>) => {
    for (const wire of Object.values(wires)) wire.reset()
    const begun = performance.now()
    await work()
    const seconds = (performance.now() - begun) / 1_000
    return Object.fromEntries(Object.entries(wires).map(([name, { passed }]) => [name, { ...passed, seconds }]))
  }
  const idle = await spent(() => Bun.sleep(6_000))
  const busy = await spent(async () => {
    for (let i = 0; i < SAMPLES; i++) await ask(target, kind, i)
    if (kind === "upload") await settled(target)
  })
  const perRequest = (name: string, what: "trips" | "bytes") =>
    Math.max(0, (busy[name]![what] - (idle[name]![what] / idle[name]!.seconds) * busy[name]!.seconds) / SAMPLES)
  return Object.fromEntries(
    Object.keys(wires).map(name => [name, { trips: perRequest(name, "trips"), bytes: perRequest(name, "bytes") }]),
  )
}

/** The same addresses, through something that counts. */
async function throughWires(urls: ClusterUrls): Promise<{ urls: ClusterUrls; wires: Record<string, Wire> }> {
  const [database, blobs, search] = [new URL(urls.database_url), new URL(urls.blob_url), new URL(urls.search_url)]
  const endpoint = new URL(blobs.searchParams.get("endpoint")!)
  const wires = {
    PostgreSQL: await Wire.to(database.hostname, Number(database.port)),
    storage: await Wire.to(endpoint.hostname, Number(endpoint.port)),
    OpenSearch: await Wire.to(search.hostname, Number(search.port)),
  }
  database.port = String(wires.PostgreSQL.port)
  endpoint.port = String(wires.storage.port)
  blobs.searchParams.set("endpoint", endpoint.origin)
  search.port = String(wires.OpenSearch.port)
  return { urls: { ...urls, database_url: database.href, blob_url: blobs.href, search_url: search.href }, wires }
}

const folder = mkdtempSync(join(tmpdir(), "bench-cluster-"))
const file = new StateFile(join(folder, "up.json"))
const { server: model } = await startOllama([LLAMA])
model.scenes.add("load", { text: phrase(20) })
const flags = ["--ollama-host", model.url, "--rate-limit-per-minute", "1000000", "--log-level", "error"]
const secretFile = join(folder, "secret")
writeFileSync(secretFile, crypto.randomUUID() + crypto.randomUUID(), { mode: 0o600 })
const nodes: ClusterNode[] = []
const daemon = await startDaemon(["--ollama-host", model.url])

async function addNode(urls: ClusterUrls): Promise<ClusterNode> {
  const [port] = (await freePorts(1)) as [number]
  const host = { address: LOOPBACK, under: [] }
  const node = new ClusterNode({ name: `n${nodes.length + 1}`, host, port, urls, secretFile, flags })
  nodes.push(node)
  await node.start()
  return node
}

try {
  const urls = await start(file, { nodes: 1 })
  const counted = await throughWires(urls)
  const first = await addNode(urls)
  const { id: _, ...credentials } = await first.createKey("bench")
  const one: Target = { urls: [first.url], credentials }
  const embedded: Target = { urls: [daemon.url], credentials: daemon.credentials }
  for (const target of [embedded, one]) {
    await fill(target)
    await repeat(target, WARM_UP_ENGINE)
  }

  console.log(`\n${FILES} files. Milliseconds of one request at a time, median and 95th of a hundred:`)
  const measure = async (name: string, target: Target) => {
    const row = []
    for (const kind of KINDS) {
      row.push(`${kind} ${(await latency(target, kind)).map(ms => ms.toFixed(1)).join(" / ")}`)
      await settled(target)
    }
    console.log(`${name}: ${row.join("; ")}`)
  }
  await measure("one machine", embedded)
  await measure("one node   ", one)
  for (let i = 0; i < 2; i++) await addNode(urls)
  const three: Target = { urls: nodes.map(({ url }) => url), credentials }
  await measure("three nodes", three)

  for (const { url } of nodes) await repeat({ urls: [url], credentials }, WARM_UP_SEARCHES)
  const lift = nodes.map(({ pid }) => limitCores(pid, CORES))
  console.log(`\nSearches a second, ${CLIENTS} clients of each node, each node held to ${CORES} of a core:`)
  const told = ({ searches, share }: Rate) => `${searches.toFixed(1)} (${(100 * share).toFixed(0)} % of its cores used)`
  const [alone, together]: [Rate[], Rate[]] = [[], []]
  for (let turn = 0; turn < TURNS; turn++) {
    alone.push(await rate(one, nodes.slice(0, 1)))
    together.push(await rate(three, nodes))
    console.log(`one node ${told(alone.at(-1)!)}, three nodes ${told(together.at(-1)!)}`)
  }
  const [few, many] = [alone, together].map(rates => sum(rates.map(({ searches }) => searches))) as [number, number]
  console.log(`three nodes ${(many / few).toFixed(2)} times one`)
  for (const node of nodes.splice(0)) await node.remove()
  for (const take of lift) take()

  const through = await addNode(counted.urls)
  console.log("\nWhat passes between a node and its engines for one request (an upload to its being searchable):")
  for (const kind of KINDS) {
    const spent = await costs(counted.wires, { urls: [through.url], credentials }, kind)
    const parts = Object.entries(spent).map(
      ([name, { trips, bytes }]) => `${name} ${trips.toFixed(1)} round trips, ${(bytes / 1_000).toFixed(1)} KB`,
    )
    console.log(`${kind}: ${parts.join("; ")}`)
  }
  for (const wire of Object.values(counted.wires)) wire.close()
} finally {
  for (const node of nodes) await node.remove()
  await daemon.remove()
  model.stop()
  await stop(file)
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
