/** Which of some passages a set of vectors holds; remembered as long as neither changes, for the list of a large library is long. */
import { type IdRanges, subtract } from "../ids/id-ranges.ts"

export interface Divided {
  inside: IdRanges
  rest: IdRanges
}

export class Division {
  /** By what is held, then by what is divided: both are the same objects as long as they are the same. */
  private readonly known = new WeakMap<IdRanges, WeakMap<IdRanges, Divided>>()

  of(ids: IdRanges, held: IdRanges): Divided {
    const known = this.known.get(held) ?? new WeakMap<IdRanges, Divided>()
    this.known.set(held, known)
    const found = known.get(ids)
    if (found) return found
    const rest = subtract(ids, held)
    const divided = { rest, inside: rest.length === 0 ? ids : subtract(ids, rest) }
    known.set(ids, divided)
    return divided
  }
}
