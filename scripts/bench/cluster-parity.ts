/**
 * Whether search in a cluster is as good as on one machine: the same passages, vectors and questions in both, in one run.
 *
 *   bun scripts/bench/cluster-parity.ts URL DIRECTORY [SET…]   an OpenSearch with k-NN; sets in BEIR layout
 *
 * `npm run cluster -- up` starts one and prints its URL, which holds the password, and the `NODE_EXTRA_CA_CERTS`
 * with which its certificate is known. All sets lie in one index, each as a workspace of its own: the engine's own statistics
 * are those of all of them.
 */
import type { Embedder } from "../../src/backends/backend.ts"
import { rank, traitsOf } from "../../src/search/answer.ts"
import { parseQuery } from "../../src/search/text/query.ts"
import type { WorkerAnswer } from "../../src/search/thread/worker-messages.ts"
import type { SearchMode } from "../../src/search/types.ts"
import { BothModes } from "./both-modes.ts"
import { openBuiltInModel } from "./built-in-model.ts"
import { type Collection, mean, ndcg, readAll, recall } from "./collections.ts"

const SETS = ["adi", "cacm", "cisi", "med", "xquad-en", "xquad-de", "xquad-zh", "xquad-ar", "xquad-ru", "xquad-th"]
const MODES: SearchMode[] = ["keyword", "semantic", "hybrid"]
const FIRST = 10
/** As the API bounds a query. */
const MAX_QUERY = 2000
/** Until the engine has compiled what it runs. */
const WARM_UP = 150

/** Figures of one mode, on one machine and in the cluster. */
interface Figures {
  ndcg: [number[], number[]]
  recall: [number[], number[]]
  changed: number
}

interface Stray {
  words: number
  cosine: number
  relevance: number
  /** Least share of the first hundred by words that the cluster's hundred hold. */
  held: number
}

/** A model that remembers, so that scores can be held against the product of both vectors. */
class Remembered {
  readonly vectors = new Map<string, Float32Array>()

  constructor(private readonly model: Embedder) {}

  get embedder(): Embedder {
    return {
      ...this.model,
      embed: async (texts, kind, signal) => {
        const made = await this.model.embed(texts, kind, signal)
        texts.forEach((text, i) => {
          this.vectors.set(text, made[i]!)
        })
        return made
      },
      close: () => this.model.close(),
    }
  }
}

async function measure(both: BothModes, set: Collection, firstId: number, remembered: Remembered): Promise<void> {
  const traits = traitsOf(remembered.embedder)
  const figures = new Map<SearchMode, Figures>(
    MODES.map(mode => [mode, { ndcg: [[], []], recall: [[], []], changed: 0 }]),
  )
  const stray: Stray = { words: 0, cosine: 0, relevance: 0, held: 1 }
  const took: [number[], number[]] = [[], []]
  const { client } = both
  Object.assign(client, { bytes: 0, requests: 0 })
  for (const { text, relevant } of set.queries) {
    const ask = await both.ask(set.name, parseQuery(text.slice(0, MAX_QUERY)))
    const startedAt = performance.now()
    const one = both.embedded(ask)
    const betweenAt = performance.now()
    const other = await both.cluster.search(ask)
    took[0].push(betweenAt - startedAt)
    took[1].push(performance.now() - betweenAt)
    const near = (id: number) => product(ask.vectors[0]!.values, remembered.vectors.get(set.documents[id - firstId]!)!)
    noteStray(stray, one, other, near)
    for (const [mode, { ndcg: ndcgs, recall: recalls, changed }] of figures) {
      const lists = [one, other].map(answer => rank(answer.understood ? mode : "keyword", answer, traits).list)
      const first = lists.map(list => list.slice(0, FIRST).map(({ id }) => id))
      if (first[0]!.join() !== first[1]!.join()) figures.get(mode)!.changed = changed + 1
      lists.forEach((list, i) => {
        const ranking = list.map(({ id }) => id - firstId)
        ndcgs[i]!.push(ndcg(ranking, relevant))
        recalls[i]!.push(recall(ranking, relevant))
      })
      const known = new Map(lists[0]!.map(({ id, relevance }) => [id, relevance]))
      for (const { id, relevance } of lists[1]!.slice(0, FIRST))
        stray.relevance = Math.max(stray.relevance, Math.abs(relevance - (known.get(id) ?? relevance)))
    }
  }
  report(set, figures, stray, took, { requests: client.requests, bytes: client.bytes })
}

function noteStray(stray: Stray, one: WorkerAnswer, other: WorkerAnswer, near: (id: number) => number): void {
  const words = new Map(Array.from(one.candidates.ids, (id, i) => [id, one.candidates.keyword[i]!]))
  other.candidates.ids.forEach((id, i) => {
    const own = words.get(id)
    if (own !== undefined)
      stray.words = Math.max(stray.words, Math.abs(other.candidates.keyword[i]! - own) / Math.max(1, own))
    const cosine = other.candidates.cosine[i]!
    if (!Number.isNaN(cosine)) stray.cosine = Math.max(stray.cosine, Math.abs(cosine - near(id)))
  })
  const found = new Set(other.keyword.ids)
  const held = one.keyword.ids.filter(id => found.has(id)).length
  if (one.keyword.ids.length > 0) stray.held = Math.min(stray.held, held / one.keyword.ids.length)
}

function report(
  set: Collection,
  figures: Map<SearchMode, Figures>,
  stray: Stray,
  took: [number[], number[]],
  wire: { requests: number; bytes: number },
): void {
  for (const [mode, { ndcg: ndcgs, recall: recalls, changed }] of figures) {
    const both = ([one, other]: [number[], number[]]) =>
      `${mean(one).toFixed(4)} ${mean(other).toFixed(4)} (${(mean(other) - mean(one)).toFixed(4)})`
    console.log(
      `${set.name} ${mode}: nDCG@10 ${both(ndcgs)}, recall@100 ${both(recalls)}; first ten changed in ${changed} of ${set.queries.length}`,
    )
  }
  const count = set.queries.length
  const shown = (value: number) => value.toExponential(1)
  console.log(
    `  stray: words ${shown(stray.words)}, cosines ${shown(stray.cosine)}, relevance ${shown(stray.relevance)}; first 100 by words held ≥ ${stray.held.toFixed(3)};` +
      ` a query ${(wire.requests / count).toFixed(1)} requests, ${(wire.bytes / count / 1000).toFixed(0)} KB, ms ${median(took[1]).toFixed(1)} (one machine ${median(took[0]).toFixed(1)})`,
  )
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const product = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0)

const [url, directory, ...names] = process.argv.slice(2)
if (!url || !directory) throw new Error("usage: bun scripts/bench/cluster-parity.ts URL DIRECTORY [SET…]")
const remembered = new Remembered(await openBuiltInModel())
const both = await BothModes.open({ url, prefix: `parity-${Date.now().toString(36)}` }, remembered.embedder)
try {
  const sets = readAll(directory, names.length ? names : SETS)
  const firstIds: number[] = []
  let next = 1
  for (const { name, documents } of sets) {
    firstIds.push(next)
    next += documents.length
    await both.add(documents.map((text, i) => ({ id: `${name}-${i}`, workspaceId: name, passages: [text] })))
  }
  for (const { text } of sets.flatMap(({ queries }) => queries).slice(0, WARM_UP))
    await both.cluster.search(await both.ask(sets[0]!.name, parseQuery(text.slice(0, MAX_QUERY))))
  for (const [i, set] of sets.entries()) await measure(both, set, firstIds[i]!, remembered)
} finally {
  await both.close()
  await remembered.embedder.close()
}
