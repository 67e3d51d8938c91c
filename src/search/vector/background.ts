/** How near passages are that a query is not about. */
import { countIds, type IdRanges } from "../ids/id-ranges.ts"

/** Passages whose cosines tell how those of all lie. */
const SAMPLED = 64

/** How the cosines of a query lie over all passages of the workspace whose language the model knows. */
export interface Background {
  passages: number
  mean: number
  deviation: number
}

/** From some of the visible passages, spread evenly: always the same ones. Those without a cosine say nothing. */
export function backgroundOf(visible: IdRanges, cosineOf: (id: number) => number | undefined): Background {
  const total = countIds(visible)
  const size = Math.min(total, SAMPLED)
  let count = 0
  let sum = 0
  let squares = 0
  let pair = 0
  let before = 0
  for (let i = 0; i < size; i++) {
    const place = Math.floor((i * total) / size)
    while (place - before > visible[pair + 1]! - visible[pair]!) {
      before += visible[pair + 1]! - visible[pair]! + 1
      pair += 2
    }
    const score = cosineOf(visible[pair]! + place - before)
    if (score === undefined) continue
    count++
    sum += score
    squares += score * score
  }
  if (count === 0) return { passages: 0, mean: 0, deviation: 0 }
  const mean = sum / count
  return { passages: total, mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) }
}
