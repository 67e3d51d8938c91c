/**
 * One bit per dimension of each vector: on which side of the mean of all vectors it lies. From these alone, an eighth of
 * the bytes, the product with a query is estimated well enough to say which rows are worth scoring: of the ten nearest of
 * 171 000 real passages 1.000 are among the best .5 % by estimate, of the hundred nearest .991. Comparing bits with the
 * query's own bits instead found .996 and .937. Without the mean, models whose vectors all point one way lose most.
 *
 * Rows lie in blocks of 16, byte by byte, as the kernel reads them.
 */
import { createKernel, growKernel, type Kernel } from "./dot-kernel.ts"

export const BLOCK = 16
/** Blocks estimated by one call. */
const BLOCKS_PER_PASS = 1024
const TABLES = 0
const TABLE_BYTES = 65_536
const OUT = TABLE_BYTES
const ROWS = OUT + 2 * BLOCK * BLOCKS_PER_PASS
/** Largest table entry: two of them are added in eight bits. */
const MAX_ENTRY = 127
const MAX_SUM = 65_535

export class SignRows {
  static readonly rowsPerPass = BLOCK * BLOCKS_PER_PASS
  private readonly kernel: Kernel = createKernel()
  /** Bytes of a row. */
  private readonly width: number

  /** `center`: the mean of the vectors. */
  constructor(private readonly center: Float32Array) {
    this.width = Math.ceil(center.length / 8)
  }

  /** Writes rows from `row` on. `codes`: their signed bytes, `stride` apart, each with its scale. */
  write(row: number, codes: Uint8Array, stride: number, scales: Float32Array): void {
    this.reserve(row + scales.length)
    const memory = new Uint8Array(this.kernel.memory.buffer)
    const signed = new Int8Array(codes.buffer, codes.byteOffset, codes.length)
    const { center, width } = this
    for (let i = 0; i < scales.length; i++) {
      const scale = scales[i]!
      let to = this.placeOf(row + i)
      let from = i * stride
      for (let byte = 0; byte < width; byte++, to += BLOCK) {
        let bits = 0
        const dimension = 8 * byte
        const count = Math.min(8, center.length - dimension)
        for (let bit = 0; bit < count; bit++) if (signed[from++]! * scale > center[dimension + bit]!) bits |= 1 << bit
        memory[to] = bits
      }
    }
  }

  /** Sets the vector that rows are compared with: a table per four dimensions, of the sums that its 16 patterns give. */
  setQuery(query: Float32Array): void {
    const positions = 2 * this.width
    const part = (position: number, bit: number) => query[4 * position + bit] ?? 0
    let widest = 0
    for (let position = 0; position < positions; position++) {
      let width = 0
      for (let bit = 0; bit < 4; bit++) width += Math.abs(part(position, bit))
      widest = Math.max(widest, width)
    }
    const factor = widest > 0 ? Math.min(MAX_ENTRY, Math.floor(MAX_SUM / positions)) / widest : 0
    const tables = new Uint8Array(this.kernel.memory.buffer, TABLES, 16 * positions)
    for (let position = 0; position < positions; position++)
      for (let pattern = 0; pattern < 16; pattern++) {
        // A bit that is not set counts where the query is negative: the sum is never below zero, the order is the same.
        let sum = 0
        for (let bit = 0; bit < 4; bit++) {
          const value = part(position, bit)
          if (pattern & (1 << bit) ? value > 0 : value < 0) sum += Math.abs(value)
        }
        tables[16 * position + pattern] = Math.floor(sum * factor)
      }
  }

  /** Estimates of up to `rowsPerPass` rows from a multiple of `BLOCK` on: higher is nearer. Valid until the next call. */
  estimate(row: number, count: number): Uint16Array {
    const blocks = Math.ceil(count / BLOCK)
    this.kernel.tableSums(TABLES, ROWS + row * this.width, blocks, this.width, OUT)
    return new Uint16Array(this.kernel.memory.buffer, OUT, count)
  }

  get bytes(): number {
    return this.kernel.memory.buffer.byteLength
  }

  /** Where byte 0 of a row lies. */
  private placeOf(row: number): number {
    return ROWS + (row - (row % BLOCK)) * this.width + (row % BLOCK)
  }

  private reserve(rows: number): void {
    growKernel(this.kernel, ROWS, Math.ceil(rows / BLOCK) * BLOCK * this.width)
  }
}
