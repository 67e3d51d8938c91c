/**
 * Joins the two legs of a search into one ranking: a weighted sum of min-max scores, whose weight follows the query.
 *
 * - Both legs give their real score for every candidate of the union: a passage that only the vector leg found still
 *   has a BM25 score, and leaving that at the list's minimum costs .003 nDCG@10.
 * - Scores, not ranks: equal-weight reciprocal rank fusion loses .02 nDCG@10 to the keyword leg alone when the
 *   embedding model is small.
 * - Min-max alone gives the best keyword hit a full 1, however accidental it is. A question in other words than its
 *   passage then loses its vector hit below a passage that shares one odd word. So the keyword leg counts for less
 *   the less of the query it covers (`coverage`), and nearly nothing where even its best hit holds no more than
 *   about one and a half words of the query. Both are needed: long questions cover little of themselves everywhere,
 *   and one-word queries hold one word at most.
 */

export interface Scored {
  id: number
  /** Higher is better; BM25 for the keyword leg, cosine for the vector leg. */
  score: number
}

export interface FuseOptions {
  /** Share of the vector leg at `FUSION.typicalCoverage`, 0..1: a property of the embedding model (`Embedder.fusionWeight`). */
  weight: number
  /**
   * Best keyword score over the largest that any passage could have, Σ weight · idf · (k1 + 1) over the words of the
   * query; words that the index does not know count with the idf of zero passages. 0..1. Left out: no adaptation.
   */
  coverage?: number
  /** Words of the query without stop words, repeated ones counted again: the sum of their weights. */
  words?: number
  /** The query is in another language than English. */
  foreign?: boolean
  /** Share of the query's weight on rare words that a passage holds, 0..1; a missing passage holds none. */
  rare?: ReadonlyMap<number, number>
}

/** Range and effect of the rule, in one place; chosen on public collections, checked on ones left out. */
export const FUSION = {
  /** Coverage at which the weight is the model's own: the usual best hit of a question that shares words with its passage. */
  typicalCoverage: 0.3,
  /** How strongly coverage moves the weight: 0 not at all, 1 makes the keyword share proportional to coverage. */
  coveragePower: 0.25,
  /** Matched words at and below which the keyword leg is mistrusted in full, and from which on not at all. */
  fewWords: 1.5,
  enoughWords: 3,
  /** The same for coverage. */
  lowCoverage: 0.25,
  enoughCoverage: 0.35,
  /** What the keyword leg keeps under full mistrust, times its weight squared: the less the model knows, the more. */
  mistrusted: 0.375,
  /**
   * Weight of a model from which on it outweighs mistrusted words in every language. Elsewhere than in English questions share fewer
   * words with their passage, in all the forms that these have, and a weaker model knows less.
   */
  soundWeight: 0.6,
  /** A rare word with this share of the query's weight decides: the query asks for it, and it is no accident. */
  decisiveShare: 0.6,
  /** A passage whose keyword score is below this share of another's holds next to nothing of what that one holds. */
  nextToNothing: 0.25,
} as const

/** BM25 gives a word that stands once in a passage of average length its idf, and k1 + 1 = 2.2 times that at most. */
const SATURATION = 2.2

/**
 * Candidates of either list, best first, with scores in 0..1 that never rise; ties in the order of ids.
 * A candidate missing from the keyword list counts as its minimum. One without a vector, or in a language that the model
 * does not know, is ranked by its words: it gets the vector share that others with as much of the words have.
 */
export function fuse(keyword: Scored[], vector: Scored[], options: FuseOptions): Scored[] {
  const weight = vectorWeight(options)
  const keywordShare = scaled(keyword)
  const vectorShare = scaled(vector)
  const expected = expectation(keywordShare, vectorShare, 1 - mistrustOf(options))
  const ids = new Set([...keywordShare.keys(), ...vectorShare.keys()])
  const scoreOf = (id: number): number => {
    const words = keywordShare.get(id) ?? 0
    return (1 - weight) * words + weight * (vectorShare.get(id) ?? expected(words))
  }
  const fused = [...ids].map(id => ({ id, score: scoreOf(id) })).sort((a, b) => b.score - a.score || a.id - b.id)
  return options.rare && weight < 1 ? rareFirst(fused, keyword, options.rare) : fused
}

/**
 * Moves each passage that holds a decisive rare word in front of the first one that holds next to nothing of the query, and
 * gives it that one's score. To a model `row54321` and `row54090` mean the same, and a lookalike has a cosine as good.
 */
function rareFirst(fused: Scored[], keyword: Scored[], rare: ReadonlyMap<number, number>): Scored[] {
  const decisive = ({ id }: Scored): boolean => (rare.get(id) ?? 0) >= FUSION.decisiveShare
  const holders = fused.filter(decisive)
  if (holders.length === 0) return fused
  const words = new Map(keyword.map(({ id, score }) => [id, score]))
  const wordsOf = ({ id }: Scored): number => words.get(id) ?? 0
  const list = fused.filter(each => !decisive(each))
  // Few passages hold a rare word; they keep their order among themselves.
  let from = 0
  for (const holder of holders) {
    const least = wordsOf(holder) * FUSION.nextToNothing
    let at = list.findIndex((other, i) => i >= from && (other.score < holder.score || wordsOf(other) < least))
    if (at < 0) at = list.length
    list.splice(at, 0, { id: holder.id, score: Math.max(holder.score, list[at]?.score ?? 0) })
    from = at + 1
  }
  return list
}

/** Share of the vector leg for one query, 0..1. */
export function vectorWeight(options: FuseOptions): number {
  const { weight, coverage } = options
  const own = clamp(weight)
  if (coverage === undefined || own === 0 || own === 1) return own
  const keywordShare = (1 - own) * (Math.max(0, coverage) / FUSION.typicalCoverage) ** FUSION.coveragePower
  const adapted = own / (own + keywordShare)
  const most = 1 - FUSION.mistrusted * (1 - own) ** 2
  return adapted + Math.max(0, most - adapted) * mistrustOf(options)
}

/** How little the words are to be trusted, 0..1. */
export function mistrustOf({ weight, coverage, words = Number.POSITIVE_INFINITY, foreign }: FuseOptions): number {
  if (coverage === undefined) return 0
  const matchedWords = coverage > 0 ? coverage * words * SATURATION : 0
  const soundness = foreign ? clamp(weight / FUSION.soundWeight) ** 2 : 1
  return (
    soundness *
    falling(matchedWords, FUSION.fewWords, FUSION.enoughWords) *
    falling(coverage, FUSION.lowCoverage, FUSION.enoughCoverage)
  )
}

/** With fewer candidates of both legs the line through them says nothing. */
const ENOUGH_FOR_LINE = 8

/** The vector share that goes with a keyword share: the line through the candidates that have both. */
function expectation(
  keyword: ReadonlyMap<number, number>,
  vector: ReadonlyMap<number, number>,
  trust: number,
): (words: number) => number {
  const count = vector.size
  if (count < ENOUGH_FOR_LINE) return words => words * trust
  let meanWords = 0
  let meanVector = 0
  for (const [id, share] of vector) {
    meanWords += (keyword.get(id) ?? 0) / count
    meanVector += share / count
  }
  let together = 0
  let spread = 0
  for (const [id, share] of vector) {
    const words = (keyword.get(id) ?? 0) - meanWords
    together += words * (share - meanVector)
    spread += words * words
  }
  const slope = spread > 0 ? Math.max(0, together / spread) : 0
  return words => clamp(meanVector + slope * (words - meanWords))
}

/** 1 up to `from`, 0 from `to` on, straight between. */
const falling = (value: number, from: number, to: number): number => clamp((to - value) / (to - from))

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/** Scores moved to 0..1 by their minimum and maximum; equal scores all become 1, or 0 where nothing matched. */
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
