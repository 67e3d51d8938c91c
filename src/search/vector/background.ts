/** How near passages are that a query is not about. */
import type { Cosines } from "../../backends/backend.ts"
import { countIds, type IdRanges } from "../ids/id-ranges.ts"

/** Passages whose cosines tell how those of all lie. */
const SAMPLED = 64
/** Passages as which the usual mean and deviation count. */
const USUAL_COUNT = 8
/** Without usual values fewer passages than these tell nothing. */
const ENOUGH_PASSAGES = 8
const LEAST_DEVIATION = 0.01

/** How the cosines of a query lie over all passages of the workspace whose language the model knows. */
export interface Background {
  passages: number
  mean: number
  deviation: number
}

/** From some of the visible passages. Those without a cosine say nothing. */
export function backgroundOf(visible: IdRanges, cosineOf: (id: number) => number | undefined): Background {
  const cosines = sampleOf(visible)
    .map(cosineOf)
    .filter(cosine => cosine !== undefined)
  if (cosines.length === 0) return { passages: 0, mean: 0, deviation: 0 }
  return { passages: countIds(visible), ...spreadOf(cosines) }
}

/** Some of the ids, spread evenly: always the same ones. */
export function sampleOf(ids: IdRanges): number[] {
  const total = countIds(ids)
  const size = Math.min(total, SAMPLED)
  const sample: number[] = []
  let pair = 0
  let before = 0
  for (let i = 0; i < size; i++) {
    const place = Math.floor((i * total) / size)
    while (place - before > ids[pair + 1]! - ids[pair]!) {
      before += ids[pair + 1]! - ids[pair]! + 1
      pair += 2
    }
    sample.push(ids[pair]! + place - before)
  }
  return sample
}

export function spreadOf(values: readonly number[]): Cosines {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + value * value, 0) / values.length
  return { mean, deviation: Math.sqrt(Math.max(0, squares - mean * mean)) }
}

/** A background as it is where few passages tell it, by what is usual for the model; undefined where nothing tells it. */
export function settled({ passages, mean, deviation }: Background, usual: Cosines | null): Cosines | undefined {
  if (!usual && passages < ENOUGH_PASSAGES) return undefined
  const other = usual ? USUAL_COUNT : 0
  const variance = (passages * deviation ** 2 + other * (usual?.deviation ?? 0) ** 2) / (passages + other)
  return {
    mean: (passages * mean + other * (usual?.mean ?? 0)) / (passages + other),
    deviation: Math.max(LEAST_DEVIATION, Math.sqrt(variance)),
  }
}
