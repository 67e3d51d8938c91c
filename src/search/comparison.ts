/** Holds one way of searching against another, by the same questions. */
import type { Evaluation } from "./evaluate.ts"
import type { SearchMode } from "./types.ts"

/** Of one mode: what the candidate has more. */
export interface Difference {
  mode: SearchMode
  /** Of nDCG@10, the mean over the questions. */
  ndcg: number
  /** How often as large a difference comes about where both are alike: small means that it is none by chance. */
  p: number
  /** Questions answered better and worse. */
  better: number
  worse: number
}

export type Verdict = "better" | "worse" | "alike"

/** Signs drawn; p is told to about a hundredth. */
const DRAWS = 10_000
/** A difference that chance makes less often than this is believed. */
const BELIEVED = 0.05
/** A loss as large as this is not put down to chance, however few the questions. */
const LARGE_LOSS = 0.05

export function differenceOf(current: Evaluation, candidate: Evaluation): Difference {
  const differences = candidate.gains.map((gain, i) => gain - current.gains[i]!)
  return {
    mode: candidate.mode,
    ndcg: rounded(differences.reduce((sum, each) => sum + each, 0) / differences.length),
    p: rounded(chanceOf(differences)),
    better: differences.filter(each => each > 0).length,
    worse: differences.filter(each => each < 0).length,
  }
}

export function verdictOf({ ndcg, p }: Difference): Verdict {
  if (ndcg < 0 && (p < BELIEVED || ndcg <= -LARGE_LOSS)) return "worse"
  return ndcg > 0 && p < BELIEVED ? "better" : "alike"
}

/**
 * Paired randomization test, two-sided: were both alike, each question's difference could as well have the other sign.
 * The same differences give the same answer.
 */
export function chanceOf(differences: readonly number[]): number {
  const moved = differences.filter(each => each !== 0)
  if (moved.length === 0) return 1
  const seen = Math.abs(moved.reduce((sum, each) => sum + each, 0)) - 1e-9
  let state = 1
  let as = 0
  for (let draw = 0; draw < DRAWS; draw++) {
    let sum = 0
    for (const each of moved) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      sum += state >>> 31 ? each : -each
    }
    if (Math.abs(sum) >= seen) as++
  }
  return (as + 1) / (DRAWS + 1)
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000
