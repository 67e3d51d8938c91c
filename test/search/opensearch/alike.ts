/** Where two answers to the same search differ: what one machine says, and what a cluster says. */
import type { ScoredColumns, WorkerAnswer } from "../../../src/search/thread/worker-messages.ts"

/** Of scores of both legs, of what the query weighs, of a background; relative where they are large. */
const TOLERANCE = 1e-4

export function differences(one: WorkerAnswer, other: WorkerAnswer): string[] {
  const found: string[] = []
  const same = (what: string, a: unknown, b: unknown) => {
    if (!isNear(a, b)) found.push(`${what}: ${JSON.stringify(a)} ≠ ${JSON.stringify(b)}`)
  }
  const lists = (what: string, a: ScoredColumns, b: ScoredColumns) => {
    same(`ids of ${what}`, [...a.ids].sort(), [...b.ids].sort())
    same(`scores of ${what}`, [...a.scores], [...b.scores])
    same(`scores of ${what} by passage`, byId(a.ids, a.scores), byId(b.ids, b.scores))
  }
  const { keyword, vector, candidates, ground, tail, ...rest } = one
  for (const name of Object.keys({ ...rest, ...other }) as (keyof WorkerAnswer)[])
    if (!["keyword", "vector", "candidates", "ground", "tail"].includes(name)) same(name, one[name], other[name])
  lists("the words", keyword, other.keyword)
  lists("the tail", tail, other.tail)
  lists("the meaning", vector, other.vector)
  for (const leg of ["keyword", "cosine", "rare"] as const)
    same(
      `${leg} of candidates`,
      byId(candidates.ids, candidates[leg]),
      byId(other.candidates.ids, other.candidates[leg]),
    )
  const { keyword: byWords, tail: ofTail, ...general } = ground
  const { keyword: otherByWords, tail: otherOfTail, ...otherGeneral } = other.ground
  same("the ground", general, otherGeneral)
  same("the ground of candidates", byId(candidates.ids, byWords), byId(other.candidates.ids, otherByWords))
  same("the ground of the tail", byId(tail.ids, ofTail), byId(other.tail.ids, otherOfTail))
  return found
}

const byId = (ids: Float64Array, values: Float64Array): Record<string, number> =>
  Object.fromEntries([...ids].sort((a, b) => a - b).map(id => [id, values[ids.indexOf(id)]!]))

function isNear(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number")
    return Object.is(a, b) || Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a))
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every(name => isNear((a as never)[name], (b as never)[name]))
}
