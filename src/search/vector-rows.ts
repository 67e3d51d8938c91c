/** Fixed-size byte rows in the growing memory of a kernel, with room for a query and for the results of one pass. */
import { createKernel, type Kernel } from "./dot-kernel.ts"

/** Rows scored by one call of the kernel; their results take 64 KB. */
export const ROWS_PER_PASS = 16_384
const QUERY = 0
const QUERY_BYTES = 65_536
const OUT = QUERY_BYTES
const ROWS = OUT + 4 * ROWS_PER_PASS
const PAGE = 65_536

export class VectorRows {
  private readonly kernel: Kernel = createKernel()
  /** Bytes of a row in memory, a multiple of what the kernel takes at a time. */
  readonly stride: number
  private results: Int32Array

  constructor(
    rowBytes: number,
    private readonly measure: "dots" | "distances",
  ) {
    const step = measure === "dots" ? 64 : 16
    this.stride = Math.ceil(rowBytes / step) * step
    this.results = this.resultsView()
  }

  /** Makes room for `rows`; earlier views are void. */
  reserve(rows: number): void {
    const needed = ROWS + rows * this.stride
    const have = this.kernel.memory.buffer.byteLength
    // An eighth more than asked for: growing is cheap, but every growth voids the views.
    if (needed <= have) return
    this.kernel.memory.grow(Math.ceil((needed - have + rows * this.stride * 0.125) / PAGE))
    this.results = this.resultsView()
  }

  /** The bytes of rows `row…row + count`. */
  view(row: number, count: number): Uint8Array {
    return new Uint8Array(this.kernel.memory.buffer, ROWS + row * this.stride, count * this.stride)
  }

  setQuery(bytes: Uint8Array): void {
    const { buffer } = this.kernel.memory
    const query =
      this.measure === "dots" ? new Int16Array(buffer, QUERY, this.stride) : new Uint8Array(buffer, QUERY, this.stride)
    query.fill(0)
    query.set(this.measure === "dots" ? new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) : bytes)
  }

  /** Results of up to ROWS_PER_PASS rows, the first `count` of the array; valid until the next call. */
  score(row: number, count: number): Int32Array {
    this.kernel[this.measure](QUERY, ROWS + row * this.stride, count, this.stride, OUT)
    return this.results
  }

  /** Moves rows down, over a hole. */
  move(from: number, to: number, count: number): void {
    const all = new Uint8Array(this.kernel.memory.buffer)
    all.copyWithin(ROWS + to * this.stride, ROWS + from * this.stride, ROWS + (from + count) * this.stride)
  }

  private resultsView(): Int32Array {
    return new Int32Array(this.kernel.memory.buffer, OUT, ROWS_PER_PASS)
  }

  get bytes(): number {
    return this.kernel.memory.buffer.byteLength
  }
}
