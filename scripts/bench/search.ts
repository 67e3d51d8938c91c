/**
 * Measures search as the product runs it: the whole index over real stores, in a temporary directory.
 *
 *   bun scripts/bench/search.ts quality DIRECTORY [SET…]   nDCG@10, recall@100, MRR@10 of each mode on BEIR-layout sets
 *   bun scripts/bench/search.ts speed PASSAGES [KEEP]      build, latency, CPU, memory, adds and deletes on made-up text
 *   bun scripts/bench/search.ts measure KEPT               the same without the build, on a kept directory
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../src/backends/backend.ts"
import { openEmbedder } from "../../src/backends/embedder.ts"
import { SearchIndex } from "../../src/search/index.ts"
import type { SearchMode } from "../../src/search/types.ts"
import { type Database, openDatabase } from "../../src/storage/database.ts"
import { type ChunkSource, NOWHERE, type TextChunk } from "../../src/storage/document.ts"
import { type Collection, mean, ndcg, type Query, readAll, readOffice, recall, reciprocalRank } from "./collections.ts"
import { openPeers } from "./search-peers.ts"

const ROOT = join(import.meta.dir, "../..")
async function quality(root: string, names: string[]): Promise<void> {
  const embedder = await openEmbedder({
    name: "",
    directories: [join(ROOT, "models")],
    nativeDirectory: mkdtempSync(join(tmpdir(), "bench-native-")),
  })
  const sets = [
    ...readAll(root, names.length ? names : readdirSync(root)),
    ...readOffice(join(ROOT, "test/fixtures/search/office.jsonl")),
  ]
  const modes: SearchMode[] = ["keyword", "semantic", "hybrid"]
  const all = new Map<SearchMode, number[][]>(modes.map(mode => [mode, []]))
  console.log("set".padEnd(16), ...modes.map(mode => `${mode} nDCG R@100 MRR`.padEnd(28)))
  for (const set of sets) {
    const bench = await Bench.open(embedder)
    const starts = await bench.addFile("file_set", set.documents)
    const row = new Map(starts.map((start, i) => [start, i]))
    const cells = await Promise.all(
      modes.map(async mode => {
        const figures = await measure(bench, set.queries, mode, row)
        all.get(mode)!.push(figures)
        return figures
          .map(value => value.toFixed(4))
          .join(" ")
          .padEnd(28)
      }),
    )
    console.log(set.name.padEnd(16), ...cells, ...(await peerCells(set)))
    await bench.close()
  }
  const means = modes.map(mode =>
    [0, 1, 2]
      .map(i => mean(all.get(mode)!.map(row => row[i]!)).toFixed(4))
      .join(" ")
      .padEnd(28),
  )
  console.log("mean".padEnd(16), ...means)
  await embedder.close()
}

/** Figures of other engines' full text on the same set. */
async function peerCells({ documents, queries }: Collection): Promise<string[]> {
  const cells: string[] = []
  for (const peer of await openPeers(documents)) {
    const figures: number[][] = []
    for (const { text, relevant } of queries) {
      const ranking = await peer.search(text)
      figures.push([ndcg(ranking, relevant), recall(ranking, relevant), reciprocalRank(ranking, relevant)])
    }
    await peer.close()
    cells.push(`${peer.name} ${[0, 1, 2].map(i => mean(figures.map(figure => figure[i]!)).toFixed(4)).join(" ")}`)
  }
  return cells
}

async function measure(bench: Bench, queries: Query[], mode: SearchMode, row: Map<number, number>): Promise<number[]> {
  const figures: number[][] = []
  for (const { text, relevant } of queries) {
    const { hits } = await bench.index.search({
      workspaceId: "ws",
      query: text.slice(0, 2000),
      limit: 100,
      mode,
      highlight: false,
    })
    const ranking = hits.map(hit => row.get(hit.position.start)!)
    figures.push([ndcg(ranking, relevant), recall(ranking, relevant), reciprocalRank(ranking, relevant)])
  }
  return [0, 1, 2].map(i => mean(figures.map(figure => figure[i]!)))
}

/** A fresh index with a workspace of its own. */
class Bench {
  private constructor(
    readonly directory: string,
    readonly db: Database,
    readonly index: SearchIndex,
  ) {}

  static async open(embedder: Embedder, directory = mkdtempSync(join(tmpdir(), "bench-search-"))): Promise<Bench> {
    const db = await openDatabase(directory)
    const workspace = { id: "ws", name: "ws", created_at: "" }
    await db
      .insertInto("workspaces")
      .values(workspace)
      .onConflict(conflict => conflict.doNothing())
      .execute()
    const index = new SearchIndex({ database: db, dataDirectory: directory, embedder })
    await index.start()
    return new Bench(directory, db, index)
  }

  /** One file of the given passages. @returns where each begins. */
  async addFile(id: string, passages: string[]): Promise<number[]> {
    const chunks: TextChunk[] = []
    let text = ""
    for (const passage of passages) {
      chunks.push({ start: text.length, end: text.length + passage.length, place: NOWHERE, text: passage })
      text += `${passage}\n\n`
    }
    const now = new Date().toISOString()
    const row = {
      id,
      workspace_id: "ws",
      name: id,
      name_folded: id,
      type: "txt",
      mime_type: "text/plain",
      size: text.length,
    }
    const rest = {
      sha256: id,
      status: "queued",
      created_at: now,
      updated_at: now,
      blob: id,
      tags: "[]",
      metadata: "{}",
    }
    await this.db
      .insertInto("files")
      .values({ ...row, ...rest, warnings: "[]", generation: 1 } as never)
      .execute()
    const source: ChunkSource = {
      count: chunks.length,
      opening: text,
      async *batches(size) {
        for (let from = 0; from < chunks.length; from += size) yield chunks.slice(from, from + size)
      },
    }
    await this.index.stage({ id, workspaceId: "ws" }, 1, source, () => {}, new AbortController().signal)
    await this.db.transaction().execute(async trx => {
      await this.index.publish(trx, id, 1)
      await trx.updateTable("files").set({ status: "searchable", live_generation: 1 }).where("id", "=", id).execute()
    })
    return chunks.map(({ start }) => start)
  }

  async removeFile(id: string): Promise<void> {
    await this.db.transaction().execute(async trx => {
      await this.index.retire(trx, id)
      await trx.deleteFrom("files").where("id", "=", id).execute()
    })
  }

  async stop(): Promise<void> {
    await this.index.stop()
    await this.db.destroy()
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** Repeatable numbers in 0..1. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const DIMENSIONS = 256
const FILE_PASSAGES = 1000

/** Vectors around cluster centres, by the text's hash: costs nothing, so that the index itself is measured. */
function clusteredEmbedder(): Embedder {
  const next = random(7)
  const normal = () => next() + next() + next() + next() - 2
  const centres = Array.from({ length: 500 }, () => Float32Array.from({ length: DIMENSIONS }, normal))
  return {
    model: "bench/clusters",
    dimensions: DIMENSIONS,
    fusionWeight: 0.35,
    async embed(texts) {
      return texts.map(text => {
        const own = random(Number(Bun.hash(text) & 0xffffffffn))
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
function textMaker(seed: number): (count: number) => string {
  const next = random(seed)
  const stop = "the of and to in a is that for it as was with be by on not he his but at are this have from".split(" ")
  return count =>
    Array.from({ length: count }, () => {
      if (next() < 0.4) return stop[Math.floor(next() * stop.length)]!
      return `w${Math.floor(Math.exp(next() * Math.log(200_000))).toString(36)}`
    }).join(" ")
}

async function speed(passages: number, kept?: string): Promise<void> {
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
  const child = Bun.spawn([process.execPath, import.meta.path, "measure", bench.directory], {
    stdio: ["ignore", "inherit", "inherit"],
  })
  await child.exited
  if (!kept) rmSync(bench.directory, { recursive: true, force: true })
}

async function measureSpeed(directory: string): Promise<void> {
  const bench = await Bench.open(clusteredEmbedder(), directory)
  const make = textMaker(5)
  const { count } = await bench.db
    .selectFrom("files")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  await timed("first hybrid query, vectors loaded for it", () =>
    bench.index.search({ workspaceId: "ws", query: "the first", limit: 10 }),
  )
  console.log("stats", JSON.stringify(await bench.index.stats()))
  await queries(bench, "hybrid", 12, undefined)
  await queries(bench, "keyword", 2, undefined)
  await queries(bench, "keyword", 12, undefined)
  await queries(bench, "semantic", 12, undefined)
  const few = Array.from({ length: Math.max(1, Math.round(count / 100)) }, (_, i) => `file_${(i * 7) % count}`)
  await queries(bench, "hybrid", 12, [...new Set(few)])
  const more = Array.from({ length: 1000 }, () => make(105))
  await timed("add of one file of 1000 passages", () => bench.addFile("file_more", more))
  await timed("delete of that file: commit", () => bench.removeFile("file_more"))
  await timed("delete of that file: sweep", () => bench.index.sweep())
  await queries(bench, "hybrid", 12, undefined)
  await bench.stop()
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

async function queries(bench: Bench, mode: SearchMode, length: number, fileIds: string[] | undefined): Promise<void> {
  const make = textMaker(99)
  const run = (query: string) =>
    bench.index.search({
      workspaceId: "ws",
      query,
      limit: 10,
      mode,
      ...(fileIds ? { filters: { file_ids: fileIds } } : {}),
    })
  await run(make(length))
  let lag = 0
  let last = performance.now()
  const watch = setInterval(() => {
    lag = Math.max(lag, performance.now() - last - 5)
    last = performance.now()
  }, 5)
  const took: number[] = []
  const cpu = process.cpuUsage()
  for (let i = 0; i < 100; i++) {
    const query = make(length)
    const at = performance.now()
    await run(query)
    took.push(performance.now() - at)
  }
  clearInterval(watch)
  const { user, system } = process.cpuUsage(cpu)
  took.sort((a, b) => a - b)
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1024
  console.log(
    `${mode}, ${length} words${fileIds ? `, ${fileIds.length} files` : ""}: p50 ${took[50]!.toFixed(1)} p95 ${took[95]!.toFixed(1)} ms, ` +
      `${((user + system) / 100_000).toFixed(1)} CPU-ms, loop lag ${lag.toFixed(0)} ms, RSS ${rss.toFixed(0)} MB`,
  )
}

const [command = "", ...words] = process.argv.slice(2)

if (command === "quality") await quality(words[0] ?? "", words.slice(1))
else if (command === "speed") await speed(Number(words[0] ?? 10_000), words[1])
else if (command === "measure") await measureSpeed(words[0]!)
else console.error("usage: search.ts quality DIRECTORY [SET…] | speed PASSAGES [KEEP] | measure KEPT")
process.exit(0)
