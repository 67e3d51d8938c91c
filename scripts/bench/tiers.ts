/**
 * The two tiers of vectors: how well a library ranks while they are mixed, and what each costs.
 *
 *   bun scripts/bench/tiers.ts quality DIRECTORY [SET…]   nDCG@10 and MRR@10 with 0, 10, 50, 90, 100 % of the passages
 *                                                         upgraded, on BEIR-layout sets
 *   bun scripts/bench/tiers.ts slope DIRECTORY [SET…]     the same at 10, 50, 90 % for several slopes; on sets that nothing
 *                                                         is reported on
 *   bun scripts/bench/tiers.ts cost [PASSAGES]            CPU-ms of a query and memory, in the fast tier and in the other
 *   bun scripts/bench/tiers.ts held KEPT                  its last part: a library with vectors of both tiers, by itself
 *   bun scripts/bench/tiers.ts memory PASSAGES            memory of both tables alone
 *   bun scripts/bench/tiers.ts embed DIRECTORY SET        passages a CPU-second of both models
 *   bun scripts/bench/tiers.ts beside DIRECTORY SET       how long a file of 300 pages takes to be indexed, and a query to
 *                                                         be answered, while the quality tier is at work
 *
 * `--fast FOLDER` and `--quality FOLDER` name model folders in place of those that ship; `--vectors FILE` keeps vectors
 * between runs.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { wholeOf } from "../../src/access/view.ts"
import type { Embedder } from "../../src/backends/backend.ts"
import { BUILT_IN_EMBEDDING_MODELS, openEmbedder } from "../../src/backends/embedder.ts"
import { rank, traitsIn } from "../../src/search/answer.ts"
import { KeywordIndex } from "../../src/search/keyword/keyword-index.ts"
import { KeywordStore } from "../../src/search/keyword/keyword-store.ts"
import { askedOf } from "../../src/search/query-vector.ts"
import { parseQuery } from "../../src/search/text/query.ts"
import { StoredTexts } from "../../src/search/text/stored-texts.ts"
import { QueryAnswerer } from "../../src/search/thread/query-answerer.ts"
import type { SearchMode } from "../../src/search/types.ts"
import { VectorSets } from "../../src/search/vector/vector-sets.ts"
import type { Tier } from "../../src/storage/chunk-tables.ts"
import { type Collection, mean, ndcg, readAll, readOffice, reciprocalRank } from "./collections.ts"
import { keepVectors } from "./kept-vectors.ts"
import { seeded } from "./random.ts"
import { Bench } from "./search-library.ts"
import { clusteredEmbedder, queries, textMaker } from "./search-speed.ts"

const MODES: SearchMode[] = ["semantic", "hybrid"]
const SHARES = [0, 0.1, 0.5, 0.9, 1]
const SLOPES = [0.5, 0.65, 0.8, 1, 1.2]
/** Passages that are upgraded together, as those of a file are. */
const FILE_PASSAGES = 10
const DEPTH = 100
const LONGEST_QUERY = 2000

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { fast: { type: "string" }, quality: { type: "string" }, vectors: { type: "string" } },
})

type Models = Record<Tier, Embedder>

async function openModels(): Promise<Models> {
  const models = resolve(import.meta.dir, "../../models")
  const nativeDirectory = mkdtempSync(join(tmpdir(), "bench-native-"))
  const open = async (folder: string) => {
    const model = await openEmbedder({
      name: basename(folder),
      directories: [dirname(resolve(folder))],
      nativeDirectory,
    })
    return given.vectors ? keepVectors(model, given.vectors) : model
  }
  const { fast, quality } = BUILT_IN_EMBEDDING_MODELS
  return {
    fast: await open(given.fast ?? join(models, fast)),
    quality: await open(given.quality ?? join(models, quality)),
  }
}

/** A set with the vectors of everything, so that any mixture can be made of it. */
interface Prepared {
  set: Collection
  bench: Bench
  ids: number[]
  passages: Record<Tier, Float32Array[]>
  asked: Record<Tier, Float32Array[]>
}

async function prepare(set: Collection, models: Models): Promise<Prepared> {
  const bench = await Bench.open(models.fast)
  await bench.addFile("file_set", set.documents)
  const rows = await bench.db.selectFrom("chunks").select("id").orderBy("id").execute()
  const texts = set.queries.map(({ text }) => parseQuery(text.slice(0, LONGEST_QUERY)).text)
  const of = async (tier: Tier) => ({
    passages: await models[tier].embed(set.documents, "passage"),
    asked: await models[tier].embed(texts, "query"),
  })
  const [fast, quality] = [await of("fast"), await of("quality")]
  return {
    set,
    bench,
    ids: rows.map(({ id }) => id),
    passages: { fast: fast.passages, quality: quality.passages },
    asked: { fast: fast.asked, quality: quality.asked },
  }
}

/** Search over the set in this thread, with a share of its files upgraded. */
function queriesAt({ bench, ids, passages }: Prepared, share: number): { answerer: QueryAnswerer; close(): void } {
  const sets = new VectorSets(bench.directory)
  const next = seeded(17)
  const order = Array.from({ length: Math.ceil(ids.length / FILE_PASSAGES) }, (_, file) => ({ file, at: next() }))
  order.sort((a, b) => a.at - b.at)
  const upgraded = new Set(order.slice(0, Math.round(share * order.length)).map(({ file }) => file))
  for (const tier of ["fast", "quality"] as const) {
    sets.begin(tier, tier, passages[tier][0]!.length)
    ids.forEach((id, i) => {
      if (tier === "fast" || upgraded.has(Math.floor(i / FILE_PASSAGES)))
        sets.add(tier, Float64Array.of(id), passages[tier][i]!)
    })
    sets.swap(tier)
  }
  const store = new KeywordStore(join(bench.directory, "keyword.db"))
  const texts = new StoredTexts(bench.directory)
  return {
    answerer: new QueryAnswerer(new KeywordIndex(store), sets, texts),
    close() {
      sets.close()
      texts.close()
      store.close()
    },
  }
}

/** nDCG@10 and MRR@10 of each mode. */
function measure(prepared: Prepared, models: Models, share: number, slope?: number): Map<SearchMode, [number, number]> {
  const { set, ids, asked } = prepared
  const row = new Map(ids.map((id, i) => [id, i]))
  const { answerer, close } = queriesAt(prepared, share)
  const figures = new Map(MODES.map(mode => [mode, [[], []] as [number[], number[]]]))
  set.queries.forEach(({ text, relevant }, i) => {
    const vectors = (["fast", "quality"] as const).map(tier => ({
      ...askedOf({ model: { tier, table: tier, embedder: models[tier] }, values: asked[tier][i]! }),
      ...(slope === undefined ? {} : { slope }),
    }))
    const query = parseQuery(text.slice(0, LONGEST_QUERY))
    for (const [mode, [gains, ranks]] of figures) {
      const answer = answerer.search({ view: wholeOf("ws"), query, mode, vectors, tables: {}, depth: DEPTH })
      const list = rank(answer.understood ? mode : "keyword", answer, traitsIn(answer, models)).list
      const ranking = list.slice(0, DEPTH).map(({ id }) => row.get(id)!)
      gains.push(ndcg(ranking, relevant))
      ranks.push(reciprocalRank(ranking, relevant))
    }
  })
  close()
  return new Map([...figures].map(([mode, [gains, ranks]]) => [mode, [mean(gains), mean(ranks)]]))
}

const setsIn = (root: string, names: string[]) => readAll(root, names.length ? names : readdirSync(root).sort())
const cell = (value: number) => value.toFixed(3).replace(/^0/, "")
const line = (name: string, cells: string[]) => console.log(name.padEnd(30), ...cells.map(each => each.padStart(12)))

async function quality(root: string, names: string[]): Promise<void> {
  const models = await openModels()
  const office = names.length ? [] : readOffice(join(import.meta.dir, "../../test/fixtures/search/office.jsonl"))
  line(
    "nDCG@10 / MRR@10",
    SHARES.map(share => `${100 * share} %`),
  )
  for (const set of [...setsIn(root, names), ...office]) {
    const prepared = await prepare(set, models)
    const found = SHARES.map(share => measure(prepared, models, share))
    for (const mode of MODES)
      line(
        `${set.name}, ${mode}`,
        found.map(each => each.get(mode)!.map(cell).join(" / ")),
      )
    await prepared.bench.close()
  }
  await closeAll(models)
}

async function slopes(root: string, names: string[]): Promise<void> {
  const models = await openModels()
  line(
    "nDCG@10, semantic / hybrid",
    SLOPES.map(slope => `slope ${slope}`),
  )
  for (const set of setsIn(root, names)) {
    const prepared = await prepare(set, models)
    for (const share of [0.1, 0.5, 0.9]) {
      const found = SLOPES.map(slope => measure(prepared, models, share, slope))
      line(
        `${set.name}, ${100 * share} %`,
        found.map(each => MODES.map(mode => cell(each.get(mode)![0])).join(" / ")),
      )
    }
    await prepared.bench.close()
  }
  await closeAll(models)
}

/** Vectors of passages cost nothing, those of queries are real. */
function madeUp(model: Embedder): Embedder {
  const clusters = clusteredEmbedder(model.dimensions)
  return {
    ...clusters,
    model: model.model,
    fusionWeight: model.fusionWeight,
    embed: (texts, role, signal) => (role === "query" ? model : clusters).embed(texts, role, signal),
  }
}

async function cost(passages: number): Promise<void> {
  const models = await openModels()
  const directory = mkdtempSync(join(tmpdir(), "bench-tiers-"))
  const made = { fast: madeUp(models.fast), quality: { ...madeUp(models.quality), fastShare: 0 } }
  const make = textMaker(1)
  let bench = await Bench.open(made.fast, directory)
  for (let i = 0; i * 1000 < passages; i++)
    await bench.addFile(
      `file_${i}`,
      Array.from({ length: Math.min(1000, passages - i * 1000) }, () => make(105)),
    )
  await table(bench, "fast tier")
  await bench.stop()
  bench = await Bench.open(made.fast, directory, undefined, { quality: made.quality })
  const held = async () => (await bench.index.stats()).vectors.quality?.count ?? 0
  let half = false
  while ((await held()) < passages) {
    if (!half && (await held()) > passages / 2) {
      half = true
      await table(bench, "amid the upgrade")
    }
    await Bun.sleep(200)
  }
  await bench.index.optimize()
  await bench.stop()
  await closeAll(models)
  // Measured in a process of its own: what building left in memory must not count.
  const child = Bun.spawn([process.execPath, import.meta.path, "held", directory], {
    stdio: ["ignore", "inherit", "inherit"],
  })
  await child.exited
  rmSync(directory, { recursive: true, force: true })
}

/** A library of `cost` whose passages have the vectors of both tiers. */
async function held(directory: string): Promise<void> {
  const models = await openModels()
  const made = { fast: madeUp(models.fast), quality: { ...madeUp(models.quality), fastShare: 0 } }
  const bench = await Bench.open(made.fast, directory, undefined, { quality: made.quality })
  const ask = () => bench.index.search({ view: wholeOf("ws"), query: "the first", limit: 10 })
  const { passages } = await bench.index.stats()
  while ((await ask()).degraded || (await bench.index.stats()).vectors.quality?.count !== passages) await Bun.sleep(100)
  for (const share of [0, models.quality.fastShare ?? 0]) {
    made.quality.fastShare = share
    await table(bench, `quality tier, fast share ${share}`)
  }
  console.log(JSON.stringify((await bench.index.stats()).vectors))
  const { VmHWM } = Object.fromEntries(
    Array.from(readFileSync("/proc/self/status", "utf8").matchAll(/(Vm\w+):\s+(\d+)/g), ([, name, kb]) => [name, kb]),
  )
  console.log(`at most ${(Number(VmHWM) / 1024).toFixed(0)} MB resident, ${resident().toFixed(0)} after a collection`)
  await bench.stop()
  await closeAll(models)
}

async function table(bench: Bench, state: string): Promise<void> {
  console.log(`${state}: CPU-ms, of base, p50 ms, p95 ms, loop lag, RSS MB`)
  for (const mode of MODES)
    await queries(`  ${mode}, 12 words`, 12, query =>
      bench.index.search({ view: wholeOf("ws"), query, limit: 10, mode }),
    )
}

/** Both tables as the worker holds them, in this process. */
async function memory(passages: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "bench-tiers-"))
  const sets = new VectorSets(directory)
  const before = resident()
  for (const [tier, dimensions] of [
    ["fast", 256],
    ["quality", 384],
  ] as const) {
    const next = seeded(dimensions)
    sets.begin(tier, tier, dimensions)
    const size = 4096
    const vectors = new Float32Array(size * dimensions)
    for (let from = 0; from < passages; from += size) {
      for (let i = 0; i < vectors.length; i++) vectors[i] = next() - 0.5
      sets.add(
        tier,
        Float64Array.from({ length: size }, (_, i) => from + i + 1),
        vectors,
      )
    }
    sets.swap(tier)
    console.log(
      `${tier}: ${(sets.of(tier)!.bytes / 1e6).toFixed(0)} MB counted, ${(resident() - before).toFixed(0)} MB more resident`,
    )
  }
  sets.close()
  rmSync(directory, { recursive: true })
}

const resident = () => {
  Bun.gc(true)
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))![1]) / 1024
}

async function embed(root: string, name: string): Promise<void> {
  const models = await openModels()
  const [set] = setsIn(root, [name])
  for (const [tier, model] of Object.entries(models)) {
    const texts = set!.documents.slice(0, tier === "fast" ? 5000 : 200)
    await model.embed(texts.slice(0, 8), "passage")
    const cpu = process.cpuUsage()
    await model.embed(texts, "passage")
    const { user, system } = process.cpuUsage(cpu)
    const words = texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0) / texts.length
    console.log(
      `${tier} (${model.model}): ${((texts.length * 1e6) / (user + system)).toFixed(0)} passages of ${words.toFixed(0)} words a CPU-second`,
    )
  }
  await closeAll(models)
}

/** Three passages a page. */
const PASSAGES_OF_300_PAGES = 900

async function beside(root: string, name: string): Promise<void> {
  const models = await openModels()
  const [set] = setsIn(root, [name])
  const texts = set!.documents
  const passages = (seed: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${seed}${i} ${texts[i % texts.length]}`)
  const bench = await Bench.open(models.fast, undefined, undefined, { quality: models.quality })
  await timed("a file of 300 pages, words and fast vectors, nothing else to do", () =>
    bench.addFile("file_first", passages("first", PASSAGES_OF_300_PAGES)),
  )
  const upgraded = async () => (await bench.index.stats()).vectors.quality?.count ?? 0
  while ((await upgraded()) === 0) await Bun.sleep(100)
  await timed("the same, while quality vectors are made", () =>
    bench.addFile("file_second", passages("second", PASSAGES_OF_300_PAGES)),
  )
  console.log(`${await upgraded()} of ${(await bench.index.stats()).passages} passages upgraded by then`)
  const ask = (query: string) => bench.index.search({ view: wholeOf("ws"), query, limit: 10 })
  console.log("CPU-ms, of base, p50 ms, p95 ms, loop lag, RSS MB")
  await queries("  hybrid, amid the upgrade", 12, ask)
  await bench.close()
  await closeAll(models)
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now()
  await work()
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(2)} s`)
}

async function closeAll(models: Models): Promise<void> {
  for (const model of Object.values(models)) await model.close()
}

const [command, ...rest] = positionals
const [root = "", ...names] = rest
if (command === "quality") await quality(root, names)
else if (command === "slope") await slopes(root, names)
else if (command === "cost") await cost(Number(root || 100_000))
else if (command === "held") await held(root)
else if (command === "memory") await memory(Number(root || 1_000_000))
else if (command === "embed") await embed(root, names[0] ?? "")
else if (command === "beside") await beside(root, names[0] ?? "")
else console.error("quality, slope, cost, held, memory, embed or beside: see the head of this file")
process.exit(0)
