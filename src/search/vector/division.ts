/** Which of some passages a set of vectors holds; remembered as long as neither changes, for the list of a large library is long. */
import { type IdRanges, subtract } from "../ids/id-ranges.ts"

export interface Divided {
  inside: IdRanges
  rest: IdRanges
}

export class Division {
  private readonly known = new WeakMap<IdRanges, Divided & { held: IdRanges }>()

  of(ids: IdRanges, held: IdRanges): Divided {
    const known = this.known.get(ids)
    if (known?.held === held) return known
    const rest = subtract(ids, held)
    const divided = { held, rest, inside: subtract(ids, rest) }
    this.known.set(ids, divided)
    return divided
  }
}
