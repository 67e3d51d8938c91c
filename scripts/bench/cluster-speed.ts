/**
 * What a search costs in a cluster by the size of the workspace, beside one machine in the same run, and how many of the
 * hundred nearest are found where the engine does not compare all.
 *
 *   bun scripts/bench/cluster-speed.ts URL DIRECTORY [PASSAGES…]   an OpenSearch with k-NN; sets in BEIR layout
 *
 * Passages are sentences that follow one another in the English sets. See `cluster-parity.ts` for URL.
 */
import { cpuUsage } from "node:process"
import { vectorsIndex } from "../../src/search/opensearch/layout.ts"
import { allNear, mostNear, spell } from "../../src/search/opensearch/near.ts"
import { type Clause, narrowed, spokenClauses } from "../../src/search/opensearch/scope-clauses.ts"
import { BEST_FIRST, idsOf, Searches } from "../../src/search/opensearch/searches.ts"
import { parseQuery } from "../../src/search/text/query.ts"
import type { WorkerSearch } from "../../src/search/thread/worker-messages.ts"
import { BothModes } from "./both-modes.ts"
import { openBuiltInModel } from "./built-in-model.ts"
import { type Collection, mean, readAll } from "./collections.ts"

const SETS = ["adi", "cacm", "cisi", "med", "xquad-en"]
const SIZES = [10_000, 100_000]
/** Until the engine has compiled what it runs. */
const WARM_UP = 200
const QUERIES = 100
const NEAREST = 100
const PER_FILE = 8

/** Sentences of a passage; shorter ones where those do not suffice. */
const LENGTHS = [3, 4, 5, 6, 2, 7, 8, 9, 1, 10, 11, 12, 13]
/** The engine reads its processor time no more often than this. */
const READING_MS = 1100

/** Passages of real text, none twice. */
function passagesOf(sets: Collection[]): string[] {
  const found = new Set<string>()
  for (const length of LENGTHS)
    for (const text of sets.flatMap(({ documents }) => documents)) {
      const sentences = text.split(/(?<=[.?!])\s+/)
      for (let at = 0; at + length <= sentences.length; at++) found.add(sentences.slice(at, at + length).join(" "))
    }
  return [...found]
}

/** Processor time of the engine's nodes. */
async function engineMs(both: BothModes): Promise<number> {
  await Bun.sleep(READING_MS)
  const { nodes } = await both.client.ask<{ nodes: Record<string, { process: { cpu: { total_in_millis: number } } }> }>(
    "GET",
    "_nodes/stats/process",
  )
  return Object.values(nodes).reduce((sum, { process }) => sum + process.cpu.total_in_millis, 0)
}

async function cost(both: BothModes, asks: WorkerSearch[], search: (ask: WorkerSearch) => unknown) {
  const took: number[] = []
  const [engine, own] = [await engineMs(both), cpuUsage()]
  for (const ask of asks) {
    const startedAt = performance.now()
    await search(ask)
    took.push(performance.now() - startedAt)
  }
  const { user, system } = cpuUsage(own)
  const sorted = took.toSorted((a, b) => a - b)
  return {
    median: sorted[sorted.length >> 1]!,
    p95: sorted[Math.floor(sorted.length * 0.95)]!,
    own: (user + system) / 1000 / asks.length,
    engine: ((await engineMs(both)) - engine) / asks.length,
  }
}

async function report(both: BothModes, workspace: string, texts: string[]): Promise<void> {
  const kinds: [string, Partial<WorkerSearch>][] = [
    ["hybrid", {}],
    ["hybrid, a filter of a half", { filters: { types: ["pdf"] } }],
    ["hybrid, a filter of 1 %", { filters: { tags: ["few"] } }],
  ]
  for (const [kind, more] of kinds) {
    const asks: WorkerSearch[] = []
    for (const text of texts) asks.push(await both.ask(workspace, parseQuery(text), more))
    for (const ask of asks.slice(0, WARM_UP)) await both.cluster.search(ask)
    const some = asks.slice(-QUERIES)
    const before = both.client.bytes
    const cluster = await cost(both, some, ask => both.cluster.search(ask))
    const wire = (both.client.bytes - before) / QUERIES / 1000
    const one = await cost(both, some, ask => both.embedded(ask))
    const shown = (value: number) => value.toFixed(1)
    console.log(
      `${workspace} ${kind}: ms ${shown(cluster.median)} (p95 ${shown(cluster.p95)}), CPU-ms of the engine ${shown(cluster.engine)}, of Carrel ${shown(cluster.own)}, ${wire.toFixed(0)} KB;` +
        ` one machine: ms ${shown(one.median)} (p95 ${shown(one.p95)}), CPU-ms ${shown(one.own)}`,
    )
  }
}

/** Of the nearest by the product with every vector, how many the graph of the engine finds. */
async function recall(both: BothModes, workspace: string, texts: string[]): Promise<void> {
  const searches = new Searches(both.client, workspace, undefined)
  const own = { filter: [{ term: { w: workspace } } as Clause], must_not: [] }
  for (const [kind, filter] of [
    ["all", []],
    ["of those of few words", [{ terms: { t: ["system", "inform", "method", "data"] } }]],
  ] as const) {
    const shares: number[] = []
    const took: [number, number] = [0, 0]
    for (const text of texts.slice(0, QUERIES)) {
      const [vector] = (await both.ask(workspace, parseQuery(text))).vectors
      const index = vectorsIndex(both.client.prefix, vector!.table)
      const those = narrowed(own, [...filter, ...spokenClauses(null)])
      const values = spell(vector!.values)
      const lists: number[][] = []
      for (const query of [allNear(values, those), mostNear(values, those, NEAREST)]) {
        const startedAt = performance.now()
        const { near } = await searches.all({ near: { index, body: { ...BEST_FIRST, size: NEAREST, query } } })
        took[lists.length]! += (performance.now() - startedAt) / QUERIES
        lists.push(idsOf(near!))
      }
      const found = new Set(lists[1])
      shares.push(lists[0]!.filter(id => found.has(id)).length / Math.max(1, lists[0]!.length))
    }
    console.log(
      `${workspace} nearest 100 ${kind}: recall ${mean(shares).toFixed(4)}, least ${Math.min(...shares).toFixed(2)};` +
        ` ms exact ${took[0].toFixed(1)}, by the graph ${took[1].toFixed(1)}`,
    )
  }
}

const [url, directory, ...sizes] = process.argv.slice(2)
if (!url || !directory) throw new Error("usage: bun scripts/bench/cluster-speed.ts URL DIRECTORY [PASSAGES…]")
const sets = readAll(directory, SETS)
const passages = passagesOf(sets)
const texts = sets.flatMap(({ queries }) => queries).map(({ text }) => text.slice(0, 2000))
const spread = texts.filter((_, i) => i % Math.ceil(texts.length / (WARM_UP + QUERIES)) === 0)
const embedder = await openBuiltInModel()
const both = await BothModes.open({ url, prefix: `speed-${Date.now().toString(36)}` }, embedder)
try {
  const wanted = sizes.length ? sizes.map(Number) : SIZES
  for (const size of wanted) {
    const workspaceId = `of-${size}`
    const own = passages.slice(0, size)
    const documents = Array.from({ length: Math.ceil(own.length / PER_FILE) }, (_, i) => ({
      id: `${workspaceId}-${i}`,
      workspaceId,
      passages: own.slice(i * PER_FILE, (i + 1) * PER_FILE),
      row: { type: i % 2 ? "pdf" : "txt", tags: i % 100 ? "[]" : '["few"]' },
    }))
    for (let from = 0; from < documents.length; from += 1000) await both.add(documents.slice(from, from + 1000))
    console.log(`${workspaceId}: ${own.length} passages in ${documents.length} files`)
  }
  for (const size of wanted) await report(both, `of-${size}`, spread)
  await recall(both, `of-${wanted.at(-1)}`, spread)
} finally {
  await both.close()
  await embedder.close()
}
