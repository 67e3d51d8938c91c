/**
 * What it costs to write passages into OpenSearch, to remove them and to erase them: time, this process's CPU and bytes on
 * the engine's disk. Beside it the store of one machine, with the same passages and vectors. Vectors are made up, so that no
 * time of a model is in it; rows of passages lie in SQLite in both.
 *
 *   NODE_EXTRA_CA_CERTS=FILE bun scripts/bench/cluster-writing.ts URL [PASSAGES]    of an OpenSearch; with its password
 */
import { OpenSearchClient } from "../../src/search/opensearch/client.ts"
import { openSearchAt } from "../../src/search/opensearch/opensearch-store.ts"
import { Bench } from "./search-library.ts"
import { clusteredEmbedder, textMaker } from "./search-speed.ts"

const WORDS = 105
/** The engine keeps what was sent for so long, for copies that fall behind; merges after that drop it. */
const SETTLED_MS = 70_000
/** Passages of a file, as many as a batch: a refresh a batch is the least that a file can cost. */
const FILE_PASSAGES = 1_000

const [url, count = "20000"] = process.argv.slice(2)
if (!url) throw new Error("usage: bun scripts/bench/cluster-writing.ts URL [PASSAGES]")
const passages = Number(count)
const { origin, username, password } = new URL(url)
const credentials = { user: decodeURIComponent(username), password: decodeURIComponent(password) }
const address = { url: origin, prefix: `bench-${Date.now().toString(36)}`, credentials }
const client = new OpenSearchClient(address)

async function timed(what: string, per: number, work: () => Promise<unknown>): Promise<void> {
  const [at, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  const ms = (value: number) => (value / per).toFixed(0)
  console.log(`  ${what}: ${ms(performance.now() - at)} ms, ${ms((user + system) / 1000)} CPU-ms of this process`)
}

async function measure(bench: Bench): Promise<void> {
  const make = textMaker(1)
  const texts = Array.from({ length: passages }, () => make(WORDS))
  const files = Math.ceil(passages / FILE_PASSAGES)
  await bench.addFile("first", texts.slice(0, 10))
  await timed("write 1 000 passages", passages / 1000, async () => {
    for (let i = 0; i < files; i++)
      await bench.addFile(`file_${i}`, texts.slice(i * FILE_PASSAGES, (i + 1) * FILE_PASSAGES))
  })
  await timed("write a file of 10 passages", 20, async () => {
    for (let i = 0; i < 20; i++) await bench.addFile(`small_${i}`, texts.slice(10 * i, 10 * i + 10))
  })
  await timed("remove a file of 1 000 passages and sweep", 1, async () => {
    await bench.removeFile("file_0")
    await bench.index.sweep()
  })
  await timed("hold all against the database", 1, () => bench.index.check())
  await timed("erase what was removed", 1, () => bench.index.erase())
}

async function tellBytes(when: string): Promise<void> {
  const { keywordBytes, vectors, passages: held } = await cluster.index.stats()
  const vectorBytes = vectors.fast?.bytes ?? 0
  const kb = (bytes: number) => (bytes / held).toFixed(0)
  console.log(
    `  on its disk ${when}, one copy: ${kb(keywordBytes)} KB of words, ${kb(vectorBytes)} KB of vectors a 1 000`,
  )
}

console.log(`OpenSearch, ${passages} passages of ${WORDS} words and 256 dimensions`)
const cluster = await Bench.open(clusteredEmbedder(), undefined, openSearchAt({ address, cluster: "bench", shards: 1 }))
await measure(cluster)
await tellBytes("as written")
await Bun.sleep(SETTLED_MS)
for (const step of ["_flush?force=true", "_forcemerge?max_num_segments=1", "_flush?force=true", "_refresh"])
  await client.ask("POST", `${address.prefix}-*/${step}`, { timeoutMs: 600_000 })
await tellBytes("merged later")
await cluster.close()
for (const name of Object.keys(await client.ask<object>("GET", `${address.prefix}-*`))) await client.ask("DELETE", name)
console.log("one machine")
const embedded = await Bench.open(clusteredEmbedder())
await measure(embedded)
await embedded.close()
process.exit(0)
