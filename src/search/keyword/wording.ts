/**
 * The keyword leg of one query: the best by words with what they gain from their documents, and the ground on which
 * relevance is judged. As one step, because a second search by words makes the scores of the first invalid.
 */
import type { Scored } from "../fuse.ts"
import type { TermGroup } from "../text/analyze.ts"
import { subjectGroups } from "../text/function-words.ts"
import type { RelevanceGround } from "../thread/worker-messages.ts"
import type { KeywordResult } from "./keyword-search.ts"

/** Hits by words beyond those wanted, which may rise among them by what they gain from their documents. */
const SPARE = 50

/** Looks words up in the scope of one query. The scores of a result are valid until the next search. */
type WordSearch = (groups: TermGroup[], depth: number) => KeywordResult

export interface WordingQuery {
  text: string
  groups: TermGroup[]
  /** Hits wanted. */
  depth: number
  /** Hits wanted in all, when more than `depth`; those beyond come as `tail`. */
  reach: number
  /** Passages that are candidates besides, found by the vector leg. */
  others: readonly number[]
}

/** What the keyword leg found. */
export interface Wording {
  hits: Scored[]
  /** Every passage of either leg, and their keyword scores. */
  candidates: Float64Array
  scores: Float64Array
  /** Hits beyond `depth` that are not candidates. */
  tail: Scored[]
  found: KeywordResult
  /** Words of the query without stop words, each as often as it is said. */
  words: number
  ground: Omit<RelevanceGround, "bestCosine" | "passages">
}

export function searchWords(search: WordSearch, query: WordingQuery): Wording {
  const { text, groups, depth, reach, others } = query
  const regarded = depth + SPARE
  const found = search(groups, Math.max(regarded, reach))
  const scores = scoresById([...found.hits.slice(0, regarded).map(({ id }) => id), ...others], found)
  const best = ranked(found.hits.slice(0, regarded), scores)
  const beyond = notAbove(found.hits.slice(regarded), best.at(-1)?.score ?? 0)
  const hits = best.slice(0, depth)
  const known = new Set([...hits.map(({ id }) => id), ...others])
  const candidates = Float64Array.from(known)
  const tail = [...best.slice(depth), ...beyond].filter(({ id }) => !known.has(id))
  const own = {
    keyword: Float64Array.from(candidates, id => scores.get(id)!),
    tail: Float64Array.from(tail, ({ score }) => score),
    bestKeyword: bestOf(found, regarded),
    bound: found.bound,
    words: saidWords(groups),
    knownShare: found.knownShare,
  }
  // Asked last: it makes the scores above invalid.
  const subject = subjectGroups(text, groups)
  const ground = subject.length === groups.length ? own : groundOf(search, subject, query, candidates, tail)
  return { hits, candidates, scores: own.keyword, tail, found, words: own.words, ground }
}

/** What some of the query's words say of passages. */
function groundOf(
  search: WordSearch,
  groups: TermGroup[],
  { depth }: WordingQuery,
  candidates: Float64Array,
  tail: Scored[],
): Wording["ground"] {
  const found = search(groups, depth + SPARE)
  return {
    keyword: found.scoresOf(candidates),
    tail: found.scoresOf(tail.map(({ id }) => id)),
    bestKeyword: bestOf(found, depth + SPARE),
    bound: found.bound,
    words: saidWords(groups),
    knownShare: found.knownShare,
  }
}

const saidWords = (groups: TermGroup[]): number => groups.reduce((sum, { weight }) => sum + weight, 0)

/** The best score in the workspace, with what passages gain from their documents. */
function bestOf({ anywhere, scoresOf }: KeywordResult, depth: number): number {
  return scoresOf(anywhere.slice(0, depth).map(({ id }) => id)).reduce((most, score) => Math.max(most, score), 0)
}

/** The scores that passages have beside their documents. */
function scoresById(among: number[], { scoresOf }: KeywordResult): Map<number, number> {
  const ids = [...new Set(among)]
  const scores = scoresOf(ids)
  return new Map(ids.map((id, i) => [id, scores[i]!]))
}

const ranked = (hits: Scored[], scores: ReadonlyMap<number, number>): Scored[] =>
  hits.map(({ id }) => ({ id, score: scores.get(id)! })).sort((a, b) => b.score - a.score || a.id - b.id)

/** Passages that were not regarded beside their documents come after those that were. */
const notAbove = (hits: Scored[], most: number): Scored[] =>
  hits.map(({ id, score }) => ({ id, score: Math.min(score, most) }))
