/** From what the legs found to the list that a caller pages through: fused, ordered, with scores in 0..1. */
import type { Embedder } from "../backends/backend.ts"
import type { Tier } from "../storage/chunk-tables.ts"
import { type FuseOptions, fuse, mistrustOf, type Scored } from "./fuse.ts"
import { CHANCE, type QueryEvidence, relevanceIn } from "./relevance.ts"
import type { Candidates, ScoredColumns, WorkerAnswer } from "./thread/worker-messages.ts"
import type { Hit, SearchMode } from "./types.ts"

export interface Ranked extends Scored {
  /** See `relevance.ts`. */
  relevance: number
}

export interface Ranking {
  /** Best first; scores never rise. Offsets of any page refer to this one list. */
  list: Ranked[]
  /** How long the list would be if it were followed to its end. */
  total: number
  /** 0..1: how little the passages' words say of this query; see `mistrustOf`. */
  mistrust: number
}

/** What ranking needs to know of the embedding model. */
export interface ModelTraits {
  /** See `Embedder.fusionWeight`. */
  weight: number
  usual: QueryEvidence["usual"]
  /** See `QueryEvidence`. */
  wordsExpected: boolean
}

export const traitsOf = (embedder: Embedder | undefined): ModelTraits => ({
  weight: embedder?.fusionWeight ?? 0,
  usual: embedder?.cosines ?? null,
  wordsExpected: embedder?.languages?.length === 1,
})

/** Of an answer with vectors of two tiers: on the scale of one, and as strong as the share of each. */
export function traitsIn(
  { scale, upgraded }: WorkerAnswer,
  embedders: Partial<Record<Tier, Embedder | undefined>>,
): ModelTraits {
  const { fast, quality } = embedders
  const traits = traitsOf(scale ? embedders[scale] : undefined)
  if (!fast || !quality) return traits
  return { ...traits, weight: fast.fusionWeight + (quality.fusionWeight - fast.fusionWeight) * upgraded }
}

export function rank(mode: SearchMode, answer: WorkerAnswer, model: ModelTraits): Ranking {
  const { list, total } = order(mode, answer, model.weight)
  const relevance = relevances(answer, model)
  const mistrust = mistrustOf(fusionOf(answer, model.weight))
  return { list: list.map(({ id, score }) => ({ id, score, relevance: relevance(id) })), total, mistrust }
}

/**
 * Leaves out what is not relevant enough, and of a hybrid search what is there by accident: where no passage holds a word
 * of the query, vectors alone are to be believed only if they say more than chance. A semantic search lists all by nearness.
 */
export function relevant(
  ranking: Ranking,
  { least, accidents }: { least: number; accidents: boolean },
  { matching, ground }: WorkerAnswer,
): Ranking {
  // Of the whole workspace, so that a filter loses no hit.
  const hasWords = matching > 0 || ground.bestKeyword > 0
  const floor = !accidents && !hasWords ? Math.max(least, CHANCE) : least
  if (floor === 0) return ranking
  const kept = ranking.list.filter(({ relevance }) => relevance >= floor)
  return { ...ranking, list: kept, total: kept.length }
}

/**
 * Hybrid: the candidates of both legs fused, then every further passage that holds a word, in the order of the keyword
 * leg. The head does not depend on the page that is asked for, so that offsets continue one list.
 */
function order(mode: SearchMode, answer: WorkerAnswer, weight: number): { list: Scored[]; total: number } {
  if (mode === "keyword") {
    const list = [...scoredOf(answer.keyword), ...scoredOf(answer.tail)]
    return { list: list.map(({ id, score }) => ({ id, score: share(score, answer.bound) })), total: answer.matching }
  }
  if (mode === "semantic") {
    const list = scoredOf(answer.vector).map(({ id, score }) => ({ id, score: clamp(score) }))
    return { list, total: answer.comparable }
  }
  const { candidates } = answer
  const rare = new Map(Array.from(candidates.ids, (id, i) => [id, candidates.rare[i]!]))
  const fused = fuse(keywordOf(candidates), cosineOf(candidates), { ...fusionOf(answer, weight), rare })
  const head = fused.map(({ id, score }) => ({ id, score: clamp(score) }))
  const lowest = head.at(-1)?.score ?? 0
  const most = answer.tail.scores[0] ?? 1
  const tail = scoredOf(answer.tail).map(({ id, score }) => ({ id, score: lowest * share(score, most) }))
  const wordless = candidates.keyword.filter(score => score === 0).length
  return { list: [...head, ...tail], total: Math.max(answer.matching + wordless, head.length) }
}

/** What both legs say of a query, for relevance. */
export function queryEvidence(answer: WorkerAnswer, { usual, wordsExpected }: ModelTraits): QueryEvidence {
  const { candidates, understood, readable, ground } = answer
  const cosines = Array.from(candidates.cosine).filter(cosine => !Number.isNaN(cosine))
  return {
    bound: ground.bound,
    bestKeyword: ground.bestKeyword,
    bestCosine: cosines.reduce((best, cosine) => Math.max(best, cosine), ground.bestCosine),
    // A query in a language that the model does not know has vectors that mean nothing.
    background: understood ? answer.background : null,
    usual,
    words: ground.words,
    knownShare: ground.knownShare,
    readable,
    wordsExpected,
    passages: ground.passages,
  }
}

function relevances(answer: WorkerAnswer, model: ModelTraits): (id: number) => number {
  const { candidates, tail, ground } = answer
  const relevance = relevanceIn(queryEvidence(answer, model))
  const found = new Map<number, number>()
  candidates.ids.forEach((id, i) => {
    found.set(id, relevance({ keyword: ground.keyword[i]!, cosine: candidates.cosine[i]!, rare: candidates.rare[i]! }))
  })
  tail.ids.forEach((id, i) => {
    found.set(id, relevance({ keyword: ground.tail[i]!, cosine: Number.NaN, rare: 0 }))
  })
  return id => found.get(id) ?? 0
}

const fusionOf = ({ keyword, bound, words, foreign }: WorkerAnswer, weight: number): FuseOptions => ({
  weight,
  coverage: share(keyword.scores[0] ?? 0, bound),
  words,
  foreign,
})

const scoredOf = ({ ids, scores }: ScoredColumns): Scored[] => Array.from(ids, (id, i) => ({ id, score: scores[i]! }))

/** Every candidate with its keyword score, 0 included: fusion wants the real score of each leg. */
const keywordOf = ({ ids, keyword }: Candidates): Scored[] => scoredOf({ ids, scores: keyword })

const cosineOf = ({ ids, cosine }: Candidates): Scored[] =>
  scoredOf({ ids, scores: cosine }).filter(({ score }) => !Number.isNaN(score))

const share = (score: number, of: number): number => (of > 0 ? clamp(score / of) : 0)

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/**
 * A passage's position and real score in each leg, 1-based, for `explain`; null where a leg does not have it.
 * @param reranked by number of the passage; absent where no reranking was asked for
 */
export function explainer(
  { candidates, tail }: WorkerAnswer,
  reranked?: ReadonlyMap<number, number>,
): (id: number) => NonNullable<Hit["scores"]> {
  const keyword = placesOf([...keywordOf(candidates).filter(({ score }) => score > 0), ...scoredOf(tail)])
  const semantic = placesOf(cosineOf(candidates))
  const judged = reranked && placesOf(Array.from(reranked, ([id, score]) => ({ id, score })))
  return id => ({
    keyword: keyword.get(id) ?? null,
    semantic: semantic.get(id) ?? null,
    ...(judged ? { rerank: judged.get(id) ?? null } : {}),
  })
}

function placesOf(list: Scored[]): Map<number, { rank: number; score: number }> {
  const sorted = list.sort((a, b) => b.score - a.score || a.id - b.id)
  return new Map(sorted.map(({ id, score }, i) => [id, { rank: i + 1, score }]))
}
