/**
 * Where chunks lie in a dense array: rows 0..n-1 in order of arrival, ids in stretches. Postings and vectors are
 * numbered by row, so that arrays stay dense however many ids were given and removed.
 */
import { eachOverlap, type IdRanges } from "./id-ranges.ts"

export class Rows {
  /** Stretches in row order: first id, count. The first row of each is in `starts`. */
  private readonly firstIds: number[] = []
  private readonly counts: number[] = []
  private readonly starts: number[] = []
  /** Stretch numbers by ascending first id. */
  private readonly byId: number[] = []
  count = 0

  static from(pairs: ArrayLike<number>): Rows {
    const rows = new Rows()
    for (let i = 0; i < pairs.length; i += 2) rows.append(pairs[i]!, pairs[i + 1]!)
    return rows
  }

  /** Adds `count` rows for the ids `firstId…`. */
  append(firstId: number, count: number): void {
    if (count === 0) return
    const end = this.firstIds.length - 1
    if (end >= 0 && this.firstIds[end]! + this.counts[end]! === firstId) this.counts[end]! += count
    else {
      this.byId.splice(this.placeOf(firstId), 0, this.firstIds.length)
      this.firstIds.push(firstId)
      this.counts.push(count)
      this.starts.push(this.count)
    }
    this.count += count
  }

  /** First id and count of each stretch, in row order. */
  toPairs(): Int32Array {
    const pairs = new Int32Array(2 * this.firstIds.length)
    for (let i = 0; i < this.firstIds.length; i++) {
      pairs[2 * i] = this.firstIds[i]!
      pairs[2 * i + 1] = this.counts[i]!
    }
    return pairs
  }

  idOf(row: number): number {
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.starts[middle]! <= row) low = middle
      else high = middle - 1
    }
    return this.firstIds[low]! + row - this.starts[low]!
  }

  /** -1 where the id is not here. */
  rowOf(id: number): number {
    const stretch = this.byId[this.placeOf(id) - 1]
    if (stretch === undefined) return -1
    const offset = id - this.firstIds[stretch]!
    return offset < this.counts[stretch]! ? this.starts[stretch]! + offset : -1
  }

  /** Calls back with each stretch of rows whose ids are in `ranges`, as row, count and id of its first row. */
  eachIn(ranges: IdRanges, use: (row: number, count: number, id: number) => void): void {
    for (let i = 0; i < this.firstIds.length; i++) {
      const first = this.firstIds[i]!
      eachOverlap(ranges, first, first + this.counts[i]! - 1, (from, to) =>
        use(this.starts[i]! + from - first, to - from + 1, from),
      )
    }
  }

  /** How many stretches begin at `id` or before. */
  private placeOf(id: number): number {
    let low = 0
    let high = this.byId.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.firstIds[this.byId[middle]!]! <= id) low = middle + 1
      else high = middle
    }
    return low
  }
}
