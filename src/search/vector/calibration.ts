/**
 * Brings the cosines of one query with fast vectors to the scale of those with quality vectors, so that passages of either
 * kind stand in one list. Both models are asked about the same passages, some of those that have both vectors: a cosine that
 * lies so many deviations from their mean by the fast model is taken for one that lies `slope` times as many from it by the
 * quality model. The slope is below 1 as far as the fast model is wrong more often: what it finds best is not as surely so.
 */
import { countIds, type IdRanges } from "../ids/id-ranges.ts"
import type { QueryVector } from "../thread/worker-messages.ts"
import { sampleOf, settled, spreadOf } from "./background.ts"

export interface Measure {
  vector: Pick<QueryVector, "usual" | "slope">
  /** Undefined where a passage has no vector that means something. */
  cosineOf(id: number): number | undefined
}

/** @param both passages that have vectors of both kinds */
export function calibration(both: IdRanges, fast: Measure, quality: Measure): (cosine: number) => number {
  const pairs = sampleOf(both)
    .map(id => [fast.cosineOf(id), quality.cosineOf(id)] as const)
    .filter((pair): pair is [number, number] => pair[0] !== undefined && pair[1] !== undefined)
  if (pairs.length === 0) return cosine => cosine
  const side = (which: 0 | 1, { usual }: Measure["vector"]) => {
    const spread = spreadOf(pairs.map(pair => pair[which]))
    return { spread, settled: settled({ passages: countIds(both), ...spread }, usual) }
  }
  const of = side(0, fast.vector)
  const to = side(1, quality.vector)
  if (!of.settled || !to.settled) return cosine => to.spread.mean + cosine - of.spread.mean
  const { mean } = of.settled
  const factor = (fast.vector.slope * to.settled.deviation) / of.settled.deviation
  const middle = to.settled.mean
  return cosine => middle + factor * (cosine - mean)
}
