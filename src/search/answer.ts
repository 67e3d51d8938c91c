/** From what the legs found to the list that a caller pages through: fused, ordered, with scores in 0..1. */
import { fuse, type Scored } from "./fuse.ts"
import type { SearchMode } from "./types.ts"
import type { WorkerAnswer } from "./worker-messages.ts"

export interface Ranking {
  /** Best first; scores never rise. Offsets of any page refer to this one list. */
  list: Scored[]
  /** How long the list would be if it were followed to its end. */
  total: number
}

/**
 * Hybrid: the candidates of both legs fused, then every further passage that holds a word, in the order of the keyword
 * leg. The head does not depend on the page that is asked for, so that offsets continue one list.
 */
export function rank(mode: SearchMode, answer: WorkerAnswer, fusionWeight: number): Ranking {
  if (mode === "keyword") {
    const list = [...answer.keyword, ...answer.tail].map(({ id, score }) => ({ id, score: share(score, answer.bound) }))
    return { list, total: answer.matching }
  }
  if (mode === "semantic")
    return { list: answer.vector.map(({ id, score }) => ({ id, score: clamp(score) })), total: answer.comparable }
  const keyword = answer.candidates.map(({ id, keyword }) => ({ id, score: keyword }))
  const vector = answer.candidates.flatMap(({ id, cosine }) => (cosine === undefined ? [] : [{ id, score: cosine }]))
  const coverage = share(answer.keyword[0]?.score ?? 0, answer.bound)
  const head = fuse(keyword, vector, { weight: fusionWeight, coverage, words: answer.words }).map(({ id, score }) => ({
    id,
    score: clamp(score),
  }))
  const lowest = head.at(-1)?.score ?? 0
  const most = answer.tail[0]?.score ?? 1
  const tail = answer.tail.map(({ id, score }) => ({ id, score: lowest * share(score, most) }))
  const wordless = answer.candidates.filter(candidate => candidate.keyword === 0).length
  return { list: [...head, ...tail], total: Math.max(answer.matching + wordless, head.length) }
}

const share = (score: number, of: number): number => (of > 0 ? clamp(score / of) : 0)

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/** Position and score of each passage in one leg, for `explain`: 1-based among the candidates of the search. */
export function placesOf(list: Scored[]): Map<number, { rank: number; score: number }> {
  const sorted = [...list].sort((a, b) => b.score - a.score || a.id - b.id)
  return new Map(sorted.map(({ id, score }, i) => [id, { rank: i + 1, score }]))
}
