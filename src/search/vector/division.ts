/** Which of some passages a set of vectors holds; remembered as long as neither changes, for the list of a large library is long. */
import { type IdRanges, subtract } from "../ids/id-ranges.ts"

export interface Divided {
  inside: IdRanges
  rest: IdRanges
}

export class Division {
  private readonly known = new WeakMap<IdRanges, WeakMap<IdRanges, Divided>>()

  of(ids: IdRanges, held: IdRanges): Divided {
    const byHeld = this.known.get(ids) ?? new WeakMap<IdRanges, Divided>()
    this.known.set(ids, byHeld)
    const known = byHeld.get(held)
    if (known) return known
    const rest = subtract(ids, held)
    const divided = { rest, inside: subtract(ids, rest) }
    byHeld.set(held, divided)
    return divided
  }
}
