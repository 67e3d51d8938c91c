/**
 * A term's postings in one segment: for each row (ascending) how often the term stands in it. Per entry one varint of
 * `(row - previous) * 2 + (frequency is 1)` and, for higher frequencies, one byte. About 1.4 bytes per posting.
 */

/** Higher frequencies count as this: BM25 is flat there. */
const MAX_FREQUENCY = 255

/** Grows as needed; one per writer. */
export class PostingWriter {
  private buffer = new Uint8Array(1024)
  private length = 0
  private lastRow = -1
  count = 0

  add(row: number, frequency: number): void {
    if (this.length + 6 > this.buffer.length) {
      const larger = new Uint8Array(this.buffer.length * 2)
      larger.set(this.buffer)
      this.buffer = larger
    }
    const once = frequency === 1
    let value = (row - this.lastRow) * 2 + (once ? 1 : 0)
    this.lastRow = row
    this.count++
    while (value > 127) {
      this.buffer[this.length++] = (value & 127) | 128
      value >>>= 7
    }
    this.buffer[this.length++] = value
    if (!once) this.buffer[this.length++] = Math.min(MAX_FREQUENCY, frequency)
  }

  /** The bytes so far, and starts over. */
  take(): Uint8Array {
    const bytes = this.buffer.slice(0, this.length)
    this.length = 0
    this.lastRow = -1
    this.count = 0
    return bytes
  }
}

/** Decoded postings of one term: rows (offset by the segment's base) and frequencies, in buffers that are reused. */
export class PostingBuffer {
  rows = new Int32Array(4096)
  frequencies = new Uint8Array(4096)
  length = 0

  /**
   * Appends the entries of `bytes` whose row is visible in `mask` (any bit). Decodes as `eachPosting` does, without a call
   * per entry: this loop is the time of a query.
   */
  read(bytes: Uint8Array, base: number, mask: Uint8Array): void {
    this.reserve(bytes.length)
    const { rows, frequencies } = this
    let at = this.length
    let row = base - 1
    for (let i = 0; i < bytes.length; ) {
      let byte = bytes[i++]!
      let value = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[i++]!
        value |= (byte & 127) << shift
      }
      row += value >>> 1
      const frequency = value & 1 ? 1 : bytes[i++]!
      if (mask[row] === 0) continue
      rows[at] = row
      frequencies[at++] = frequency
    }
    this.length = at
  }

  /** Appends the visible rows among `counts`, which begin at `base`, that have one. */
  add(counts: Uint32Array, base: number, mask: Uint8Array): void {
    this.reserve(counts.length)
    counts.forEach((count, row) => {
      if (count === 0 || mask[base + row] === 0) return
      this.rows[this.length] = base + row
      this.frequencies[this.length++] = Math.min(MAX_FREQUENCY, count)
    })
  }

  /**
   * Joins what was read from `second` on with what stands before it: both parts ascend by row, and a row of both gets
   * the sum of its frequencies.
   */
  joinFrom(second: number): void {
    if (second === 0 || second === this.length) return
    const rows = this.rows.slice(0, this.length)
    const frequencies = this.frequencies.slice(0, this.length)
    let left = 0
    let right = second
    let at = 0
    while (left < second || right < rows.length) {
      const leftRow = left < second ? rows[left]! : Number.POSITIVE_INFINITY
      const rightRow = right < rows.length ? rows[right]! : Number.POSITIVE_INFINITY
      let frequency = 0
      if (leftRow <= rightRow) frequency += frequencies[left++]!
      if (rightRow <= leftRow) frequency += frequencies[right++]!
      this.rows[at] = Math.min(leftRow, rightRow)
      this.frequencies[at++] = Math.min(MAX_FREQUENCY, frequency)
    }
    this.length = at
  }

  private reserve(more: number): void {
    if (this.length + more <= this.rows.length) return
    const size = Math.max(this.length + more, this.rows.length * 2)
    const rows = new Int32Array(size)
    rows.set(this.rows)
    this.rows = rows
    const frequencies = new Uint8Array(size)
    frequencies.set(this.frequencies)
    this.frequencies = frequencies
  }
}

/** Calls back with each entry. */
export function eachPosting(bytes: Uint8Array, use: (row: number, frequency: number) => void): void {
  let row = -1
  for (let i = 0; i < bytes.length; ) {
    let byte = bytes[i++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[i++]!
      value |= (byte & 127) << shift
    }
    row += value >>> 1
    use(row, value & 1 ? 1 : bytes[i++]!)
  }
}
