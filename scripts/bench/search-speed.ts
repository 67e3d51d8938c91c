/** Speed, memory and growth of search on made-up text, and of other engines on the same. */

import { Database } from "bun:sqlite"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { wholeOf } from "../../src/access/view.ts"
import type { Embedder } from "../../src/backends/backend.ts"
import { groupsOf } from "../../src/search/text/analyze.ts"
import type { SearchMode } from "../../src/search/types.ts"
import { seeded } from "./random.ts"
import { Bench } from "./search-library.ts"

const DIMENSIONS = 256
const FILE_PASSAGES = 1000

/** Vectors around cluster centres, by the text's hash: costs nothing, so that the index itself is measured. */
export function clusteredEmbedder(dimensions = DIMENSIONS): Embedder {
  const next = seeded(7)
  const normal = () => next() + next() + next() + next() - 2
  const centres = Array.from({ length: 500 }, () => Float32Array.from({ length: dimensions }, normal))
  return {
    model: `bench/clusters-${dimensions}`,
    dimensions,
    fusionWeight: 0.35,
    async embed(texts) {
      return texts.map(text => {
        const own = seeded(Number(Bun.hash(text) & 0xffffffffn))
        const centre = centres[Math.floor(own() * centres.length)]!
        const vector = centre.map(value => value + (own() + own() + own() - 1.5) * 1.2)
        const length = Math.hypot(...vector)
        return vector.map(value => value / length)
      })
    },
    async close() {},
  }
}

/** About 105 words by Zipf's law over a vocabulary of 200 000, English stop words among the frequent ones. */
export function textMaker(seed: number): (count: number) => string {
  const next = seeded(seed)
  const stop = "the of and to in a is that for it as was with be by on not he his but at are this have from".split(" ")
  return count =>
    Array.from({ length: count }, () => {
      if (next() < 0.4) return stop[Math.floor(next() * stop.length)]!
      return `w${Math.floor(Math.exp(next() * Math.log(200_000))).toString(36)}`
    }).join(" ")
}

export async function speed(passages: number, kept?: string): Promise<void> {
  const bench = await Bench.open(clusteredEmbedder(), kept)
  const make = textMaker(1)
  const files = Math.ceil(passages / FILE_PASSAGES)
  await timed(`build of ${passages} passages`, async () => {
    for (let i = 0; i < files; i++)
      await bench.addFile(
        `file_${i}`,
        Array.from({ length: FILE_PASSAGES }, () => make(105)),
      )
  })
  await timed("rest of the merges", () => settled(bench))
  await timed("compaction of the vectors", () => bench.index.optimize())
  await bench.stop()
  // Measured in a process of its own: what building left in memory must not count.
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "search.ts"), "measure", bench.directory], {
    stdio: ["ignore", "inherit", "inherit"],
  })
  await child.exited
  if (!kept) rmSync(bench.directory, { recursive: true, force: true })
}

export async function measureSpeed(directory: string): Promise<void> {
  const embedder = clusteredEmbedder()
  const bench = await Bench.open(embedder, directory)
  const make = textMaker(5)
  const { count } = await bench.db
    .selectFrom("files")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  await timed("first hybrid query, vectors loaded for it", () => firstHybrid(bench))
  const stats = await bench.index.stats()
  console.log("stats", JSON.stringify(stats))
  const ask = (mode: SearchMode, files?: string[]) => (query: string) =>
    bench.index.search({
      view: wholeOf("ws"),
      query,
      limit: 10,
      mode,
      ...(files ? { filters: { file_ids: files } } : {}),
    })
  const few = Array.from({ length: Math.max(1, Math.round(count / 100)) }, (_, i) => `file_${(i * 7) % count}`)
  console.log(HEADER)
  await queries("keyword, 2 words", 2, ask("keyword"))
  await queries("keyword, 12 words", 12, ask("keyword"))
  await queries("semantic", 12, ask("semantic"))
  await queries("hybrid, 12 words", 12, ask("hybrid"))
  await queries("hybrid, 1 % of files", 12, ask("hybrid", [...new Set(few)]))
  const more = Array.from({ length: 1000 }, () => make(105))
  await timed("add of one file of 1000 passages", () => bench.addFile("file_more", more))
  await queries("hybrid, after adds", 12, ask("hybrid"))
  await timed("delete of that file: commit", () => bench.removeFile("file_more"))
  await timed("delete of that file: sweep", () => bench.index.sweep())
  await queries("hybrid, after deletes", 12, ask("hybrid"))
  const adding = addFiles(bench, Math.min(40, count))
  await queries("hybrid, amid adds and merges", 12, ask("hybrid"))
  await adding
  await bench.index.sweep()
  const touched = bytesTouched(directory, stats.passages)
  await bench.stop()
  const speedOfMemory = memoryBandwidth()
  console.log(
    `a hybrid query touches ${(touched / 1e6).toFixed(1)} MB; memory gives ${(speedOfMemory / 1e9).toFixed(1)} GB/s in this run: ` +
      `${((1000 * touched) / speedOfMemory).toFixed(2)} ms at least`,
  )
}

/** Adds and removes files, for about as long as a table of queries takes. */
async function addFiles(bench: Bench, count: number): Promise<void> {
  const make = textMaker(11)
  const passages = Array.from({ length: FILE_PASSAGES }, () => make(105))
  for (let i = 0; i < count; i++) {
    await bench.addFile(`file_amid_${i}`, passages)
    await bench.removeFile(`file_amid_${i}`)
  }
}

/** Vectors are loaded beside the first queries: asks until both legs answer. */
async function firstHybrid(bench: Bench): Promise<void> {
  while ((await bench.index.search({ view: wholeOf("ws"), query: "the first", limit: 10 })).degraded)
    await Bun.sleep(50)
}

/** What a hybrid query of 12 words has to read at least: postings, scores, and vectors or their sign bits. */
function bytesTouched(directory: string, passages: number): number {
  const db = new Database(join(directory, "keyword.db"), { readonly: true })
  const make = textMaker(99)
  const find = db.query("select length(data) as size from postings where segment = ? and term = ?")
  const segments = db.query("select number from segments").values() as [number][]
  let postings = 0
  for (let i = 0; i < QUERIES; i++)
    for (const { terms } of groupsOf(make(12)))
      for (const term of terms)
        for (const [segment] of segments) postings += (find.get(segment, term) as { size: number } | null)?.size ?? 0
  db.close()
  const scores = 2 * 4 * passages
  const vectors = passages <= 100_000 ? passages * DIMENSIONS : passages * (DIMENSIONS / 8 + 0.01 * DIMENSIONS)
  return postings / QUERIES + scores + vectors
}

/** Bytes a second that one thread reads in order. */
function memoryBandwidth(): number {
  const bytes = Buffer.alloc(128 * 2 ** 20, 1)
  bytes.indexOf(2)
  const at = performance.now()
  for (let i = 0; i < 4; i++) bytes.indexOf(2)
  return (4 * bytes.length * 1000) / (performance.now() - at)
}

async function settled(bench: Bench): Promise<void> {
  for (;;) {
    const { merging, merges, segments, longestSliceMs } = await bench.index.stats()
    if (!merging)
      return console.log(`${merges} merges, ${segments} segments, longest slice ${longestSliceMs.toFixed(0)} ms`)
    await Bun.sleep(200)
  }
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const [wall, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  console.log(`${name}: ${(performance.now() - wall).toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} CPU-ms`)
}

const QUERIES = 100
const HEADER = `${"".padEnd(28)}  CPU-ms  of base   p50 ms   p95 ms  loop lag    RSS MB`

/** A fixed piece of arithmetic: what a machine that others use gives now. CPU-ms of queries are compared with it. */
function baseline(): number {
  const cpu = process.cpuUsage()
  let sum = 0
  for (let i = 0; i < 5_000_000; i++) sum = (Math.imul(sum, 31) + i) | 0
  const { user, system } = process.cpuUsage(cpu)
  return sum === 1 ? 0 : (user + system) / 1000
}

/** One line of the table. The same queries run before uncounted, so that no compiling is measured. */
export async function queries(name: string, length: number, run: (query: string) => Promise<unknown>): Promise<void> {
  for (const counted of [false, true]) {
    const make = textMaker(99)
    let lag = 0
    let last = performance.now()
    const watch = setInterval(() => {
      lag = Math.max(lag, performance.now() - last - 5)
      last = performance.now()
    }, 5)
    const took: number[] = []
    const cpu = process.cpuUsage()
    for (let i = 0; i < QUERIES; i++) {
      const query = make(length)
      const at = performance.now()
      await run(query)
      took.push(performance.now() - at)
    }
    clearInterval(watch)
    const { user, system } = process.cpuUsage(cpu)
    if (!counted) continue
    took.sort((a, b) => a - b)
    const each = (user + system) / 1000 / QUERIES
    const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1024
    const cells = [each.toFixed(1), (each / baseline()).toFixed(2), took[QUERIES / 2]!.toFixed(1)]
    const rest = [took[Math.floor(QUERIES * 0.95)]!.toFixed(1), lag.toFixed(0), rss.toFixed(0)]
    console.log(name.padEnd(28), ...[...cells, ...rest].map(cell => cell.padStart(8)))
  }
}
