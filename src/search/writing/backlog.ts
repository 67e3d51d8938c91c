/** Passages that wait for vectors. The newest go first: what somebody has just added is what is asked for. */
import { countIds, type IdRanges, NO_IDS, union } from "../ids/id-ranges.ts"

/** Pairs of ids that one statement names. */
const MAX_PAIRS = 64

export class Backlog {
  constructor(private ids: IdRanges = NO_IDS) {}

  get count(): number {
    return countIds(this.ids)
  }

  /** What is here already is here once. */
  add(ids: IdRanges): void {
    this.ids = union(this.ids, ids)
  }

  /** Takes out the newest, as many as `most`; none when nothing is left. */
  take(most: number): IdRanges {
    const taken: number[] = []
    let left = most
    let end = this.ids.length
    while (end > 0 && left > 0 && taken.length < 2 * MAX_PAIRS) {
      const [first, last] = [this.ids[end - 2]!, this.ids[end - 1]!]
      const from = Math.max(first, last - left + 1)
      taken.unshift(from, last)
      left -= last - from + 1
      if (from > first) {
        this.ids = this.ids.slice(0, end)
        this.ids[end - 1] = from - 1
        return Float64Array.from(taken)
      }
      end -= 2
    }
    this.ids = this.ids.slice(0, end)
    return Float64Array.from(taken)
  }
}
