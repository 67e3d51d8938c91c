/**
 * How surely a passage answers a query, 0..1, comparable between queries where `score` only orders: of the hits at .5 about
 * half are right. A logistic curve over what both legs say, whose coefficients were fitted on 19 libraries of 8 to 1 700
 * passages, with questions that have an answer there, several, or none, and with nonsense; `scripts/bench/relevance.ts` measures it.
 *
 * - Cosines mean something else with every model and every query: they count in deviations from the mean over the library.
 * - The more passages there are, the more of them come near by accident.
 * - A filter changes none of it: all counts are those of the workspace, also where a few of its passages were searched.
 * - Words that bind others (`function-words.ts`) vouch for no passage.
 * - A query of which no word stands anywhere and whose letters are those of no language is nonsense.
 */
import type { Cosines } from "../backends/backend.ts"
import { FUSION } from "./fuse.ts"
import { type Background, settled } from "./vector/background.ts"

/** What both legs say of one passage. */
export interface Evidence {
  /** BM25 with the gain of its document; 0 where it holds no word. */
  keyword: number
  /** NaN where there is none that means anything. */
  cosine: number
  /** See `Candidates.rare`. */
  rare: number
}

/** What they say of the query. */
export interface QueryEvidence {
  /** The largest keyword score that the query allows, and the best that there is in the workspace. */
  bound: number
  bestKeyword: number
  bestCosine: number
  background: Background | null
  /** How the model's cosines lie elsewhere, for libraries too small to tell. */
  usual: Cosines | null
  words: number
  knownShare: number
  /** Its letters are those of words in some language. */
  readable: boolean
  /** The model knows one language: a query that it understands uses the words of the library. */
  wordsExpected: boolean
  /** Passages of the workspace. */
  passages: number
}

/**
 * Below it a hit that shares no word with the query is an accident: some hit of 1 to 2 % of nonsense rises above it, and a right
 * one of 99 % of the questions that are answered, of 92 % of those asked in other words than their passage's.
 */
export const CHANCE = 0.01

/**
 * To a query of a few words a passage that holds rare ones, on which most of its weight lies, is at least so relevant. Such a
 * query asks for just that, and vectors know little of it: of such hits of dev sets which the curve put at .12 on average, .45
 * were right. Of longer questions none of the few such hits was.
 */
const DECIDED = 0.45
const FEW_WORDS = 3

/** For a query that may be in another language than the passages, as nonsense is not: half of its words known is usual. */
const USUAL_SHARE = 0.5

/** What is weighed for each passage; `scripts/train/relevance/fit.ts` fits the weights. */
interface WordFeatures {
  matched: number
  coverage: number
  nearBest: number
  known: number
  words: number
  passages: number
}

interface BothFeatures extends WordFeatures {
  nearness: number
  nonsense: number
}

type Weights<Features> = { [Name in keyof Features | "base"]: number }

/** Words alone, where vectors are missing or mean nothing. */
export const WORDS: Weights<WordFeatures> = {
  base: -5.172,
  matched: 2.59,
  coverage: 1.344,
  nearBest: 2.039,
  known: 0.035,
  words: -1.076,
  passages: -0.502,
}

export const BOTH: Weights<BothFeatures> = {
  base: -6.298,
  matched: 0.331,
  coverage: 1.521,
  known: 0.863,
  words: 0.465,
  passages: -0.454,
  nearness: 0.556,
  nearBest: 3.241,
  nonsense: -2.527,
}

/** The features of a passage of this query, of one curve or the other; undefined where nothing speaks for it. */
export function featuresIn(
  query: QueryEvidence,
): (passage: Evidence) => { words: WordFeatures } | { both: BothFeatures } | undefined {
  const nearness = nearnessIn(query)
  const words = Math.log(1 + query.words)
  const passages = Math.log(Math.max(1, query.passages))
  const best = nearness?.(query.bestCosine) ?? 0
  const nonsense = query.knownShare === 0 && !query.readable ? 1 : 0
  const isForeign = !query.wordsExpected && !nonsense
  const known = isForeign ? Math.max(query.knownShare, USUAL_SHARE) : query.knownShare
  return ({ keyword, cosine }) => {
    const matched = Math.log(1 + keyword)
    const coverage = ratio(keyword, query.bound)
    if (!nearness || Number.isNaN(cosine)) {
      if (keyword === 0) return undefined
      const nearBest = ratio(keyword, query.bestKeyword)
      return { words: { matched, coverage, nearBest, known: query.knownShare, words, passages } }
    }
    const near = nearness(cosine)
    const nearBest = best > 0 ? between(near / best, -1, 1) : 0
    return { both: { matched, coverage, nearBest, known, words, passages, nearness: between(near, -2, 8), nonsense } }
  }
}

/** @returns the relevance of a passage of this query */
export function relevanceIn(query: QueryEvidence): (passage: Evidence) => number {
  const featuresOf = featuresIn(query)
  const isShort = query.words <= FEW_WORDS
  return passage => {
    const features = featuresOf(passage)
    if (!features) return 0
    const weight = "both" in features ? byBoth(features.both) : byWords(features.words)
    return isShort && passage.rare >= FUSION.decisiveShare ? Math.max(weight, DECIDED) : weight
  }
}

// Written out: walking over the names takes most of the time of ranking a query's hits.
const byWords = ({ matched, coverage, nearBest, known, words, passages }: WordFeatures): number =>
  logistic(
    WORDS.base +
      WORDS.matched * matched +
      WORDS.coverage * coverage +
      WORDS.nearBest * nearBest +
      WORDS.known * known +
      WORDS.words * words +
      WORDS.passages * passages,
  )

const byBoth = (features: BothFeatures): number =>
  logistic(
    BOTH.base +
      BOTH.matched * features.matched +
      BOTH.coverage * features.coverage +
      BOTH.nearBest * features.nearBest +
      BOTH.known * features.known +
      BOTH.words * features.words +
      BOTH.passages * features.passages +
      BOTH.nearness * features.nearness +
      BOTH.nonsense * features.nonsense,
  )

/**
 * A cosine in deviations from the mean, as it is where the library is too small to tell them; undefined where cosines mean
 * nothing.
 */
function nearnessIn({ background, usual }: QueryEvidence): ((cosine: number) => number) | undefined {
  if (!background) return undefined
  const spread = settled(background, usual)
  return spread ? cosine => (cosine - spread.mean) / spread.deviation : cosine => cosine
}

/** Thousandths: more would feign what is not known. */
const logistic = (sum: number): number => Math.round(1000 / (1 + Math.exp(-sum))) / 1000

const ratio = (value: number, of: number): number => (of > 0 ? between(value / of, 0, 1) : 0)

const between = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))
