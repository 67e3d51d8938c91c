/**
 * Where chunks lie in a dense array: rows 0..end-1, ids in stretches. Postings and vectors are numbered by row, so that
 * arrays stay dense however many ids were given and removed.
 */
import { eachOverlap, type IdRanges, toRanges } from "./id-ranges.ts"

/** Length of an array for so many rows and an eighth more: a library that grows would else allocate anew at every write. */
export const withRoom = (rows: number): number => Math.ceil(rows * 1.125)

interface Stretch {
  row: number
  id: number
  count: number
}

export class Rows {
  private byRow: Stretch[] = []
  private byId: Stretch[] = []
  /** Row after the last. */
  end = 0

  /** Adds rows at the end for the ids `id…`. */
  append(id: number, count: number): void {
    this.place(this.end, id, count)
  }

  /** Gives `count` free rows from `row` on to the ids `id…`. */
  place(row: number, id: number, count: number): void {
    if (count === 0) return
    this.end = Math.max(this.end, row + count)
    const at = lastAt(this.byRow, "row", row)
    const before = this.byRow[at]
    if (before && before.row + before.count === row && before.id + before.count === id) {
      before.count += count
      return
    }
    const stretch = { row, id, count }
    this.byRow.splice(at + 1, 0, stretch)
    this.byId.splice(lastAt(this.byId, "id", id) + 1, 0, stretch)
  }

  /** Forgets ids. @returns the rows that are free now, as first and count. */
  remove(ranges: IdRanges): [row: number, count: number][] {
    const free: [number, number][] = []
    const kept: Stretch[] = []
    for (const { row, id, count } of this.byRow) {
      let from = id
      const keep = (to: number) => {
        if (to > from) kept.push({ row: row + from - id, id: from, count: to - from })
      }
      eachOverlap(ranges, id, id + count - 1, (first, last) => {
        keep(first)
        free.push([row + first - id, last - first + 1])
        from = last + 1
      })
      keep(id + count)
    }
    if (free.length === 0) return free
    this.byRow = kept
    this.byId = kept.toSorted((a, b) => a.id - b.id)
    return free
  }

  /** First id and count of each stretch, in row order. */
  toPairs(): Float64Array {
    return Float64Array.from(this.byRow.flatMap(({ id, count }) => [id, count]))
  }

  /** The ids that are here. */
  ids(): IdRanges {
    return toRanges(this.byRow.map(({ id, count }) => [id, id + count - 1] as const))
  }

  idOf(row: number): number {
    const stretch = this.byRow[lastAt(this.byRow, "row", row)]!
    return stretch.id + row - stretch.row
  }

  /** -1 where the id is not here. */
  rowOf(id: number): number {
    const stretch = this.byId[lastAt(this.byId, "id", id)]
    if (!stretch || id >= stretch.id + stretch.count) return -1
    return stretch.row + id - stretch.id
  }

  /** Calls back with each stretch of rows whose ids are in `ranges`, ascending, as row, count and id of its first row. */
  eachIn(ranges: IdRanges, use: (row: number, count: number, id: number) => void): void {
    for (const { row, id, count } of this.byRow)
      eachOverlap(ranges, id, id + count - 1, (from, to) => use(row + from - id, to - from + 1, from))
  }
}

/** Place of the last stretch that begins at `value` or before, -1 without one. */
function lastAt(stretches: Stretch[], key: "row" | "id", value: number): number {
  let low = 0
  let high = stretches.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (stretches[middle]![key] <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}
