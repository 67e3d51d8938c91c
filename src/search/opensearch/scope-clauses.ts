/** Which passages a search looks at, as clauses of the engine's queries. */
import type { LiveRanges } from "../ids/live-ranges.ts"
import { isSingleCharacter } from "../text/analyze.ts"
import type { ClusterView } from "./cluster-library.ts"
import { bitmapNumber } from "./layout.ts"
import { roaringBitmap } from "./roaring.ts"

export type Clause = Record<string, unknown>

/** Passages that meet every clause of `filter` and none of `must_not`. */
export interface Clauses {
  filter: Clause[]
  must_not: Clause[]
}

/** The engine takes no longer lists of terms. */
const MAX_TERMS = 65_536

/** Of one query, 1 024 together with what narrows it. */
export const MAX_CLAUSES = 900

export const query = ({ filter, must_not }: Clauses, more: Clause = {}): Clause => ({
  bool: { filter, ...(must_not.length ? { must_not } : {}), ...more },
})

export const narrowed = (clauses: Clauses, filter: Clause[], must_not: Clause[] = []): Clauses => ({
  filter: [...clauses.filter, ...filter],
  must_not: [...clauses.must_not, ...must_not],
})

/** The live passages of the workspace: all but the hidden ones, or, where those are too many, the live ones by name. */
export function workspaceClauses(workspaceId: string, { workspace, hidden }: ClusterView): Clauses {
  const own = { term: { w: workspaceId } }
  if (!hidden) return { filter: [own, ofGenerations(workspace)], must_not: [] }
  return { filter: [own], must_not: hidden.length ? [{ terms: { g: hidden } }] : [] }
}

/** Those that pass the filters of the search. */
export const filteredClauses = (workspaceId: string, { visible }: ClusterView): Clauses => ({
  filter: [{ term: { w: workspaceId } }, ofGenerations(visible)],
  must_not: [],
})

/** Long lists go as a bitmap, made once for each set. */
function ofGenerations(set: LiveRanges & { generations: Float64Array }): Clause {
  if (set.generations.length <= MAX_TERMS) return { terms: { g: [...set.generations] } }
  let bitmap = bitmaps.get(set)
  if (!bitmap) {
    bitmap = roaringBitmap([...new Set(Array.from(set.generations, bitmapNumber))].sort((a, b) => a - b))
    bitmaps.set(set, bitmap)
  }
  return { terms: { b: [bitmap], value_type: "bitmap" } }
}

const bitmaps = new WeakMap<object, string>()

/** The field that a term is looked up in. */
export const fieldOf = (term: string): "c" | "t" => (isSingleCharacter(term) ? "c" : "t")

/** Passages that hold one of the terms, which are the forms of one word. */
export const holdsOne = (terms: readonly string[]): Clause => ({ terms: { [fieldOf(terms[0]!)]: terms } })

/** Passages that hold one form of every word. */
export const holdsAll = (groups: readonly string[][]): Clause[] => groups.map(holdsOne)

/** Passages whose vectors mean something to a model of these languages, or of any. */
export const spokenClauses = (spoken: readonly string[] | null): Clause[] => [
  { exists: { field: "v" } },
  ...(spoken ? [{ terms: { l: spoken } }] : []),
]
