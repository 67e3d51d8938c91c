/**
 * The vector leg in the search worker: every vector as signed bytes with a scale of its own. LanceDB is the durable store
 * behind it.
 *
 * A small library is kept in memory and scored in full. A large one keeps in memory one bit per dimension only: estimates
 * from these choose the rows that are scored, whose bytes are read from a scratch file. Filters stay exact: only visible
 * rows enter either pass.
 */

import type { IdRanges } from "../ids/id-ranges.ts"
import { Rows, withRoom } from "../ids/rows.ts"
import { TopK } from "../ids/top-k.ts"
import { CodeRows } from "./code-rows.ts"
import { Nearest } from "./nearest.ts"
import { quantize } from "./quantize.ts"
import { BLOCK, SignRows } from "./sign-rows.ts"

/**
 * Bytes up to which all rows are in memory and scored: 100 000 rows of 384 dimensions take 2 ms, where estimates and the scratch
 * file take 3.
 */
const SMALL_BYTES = 38_400_000
/** Visible rows up to which a large library's are all read and scored. */
const EXACT_ROWS = 20_000
/** Rows that estimates hand on: this share, and at least so many, and so many per wanted hit. See `SignRows`. */
const CANDIDATE_SHARE = 0.01
const CANDIDATES = 3000
const CANDIDATES_PER_HIT = 20

export interface VectorHit {
  id: number
  /** Cosine. */
  score: number
}

interface Options {
  /** Where the scratch file of a large library goes; without one all is kept in memory. */
  scratchDirectory?: string
  smallBytes?: number
}

export class VectorIndex {
  count = 0
  private readonly rows = new Rows()
  /** Rows of removed vectors, which new ones take. */
  private free: [row: number, count: number][] = []
  private readonly codes: CodeRows
  private signs: SignRows | undefined
  private scales: Float32Array = new Float32Array(1024)
  private query: Float32Array = new Float32Array(0)
  private queryScale = 0
  private holdsZeros = false
  private heldIds: IdRanges | undefined

  constructor(
    readonly table: string,
    readonly dimensions: number,
    private readonly options: Options = {},
  ) {
    this.codes = new CodeRows(dimensions)
  }

  /** Adds unit vectors, row after row, or zeros for a passage of which the model knows nothing; ids already here are left as they are. */
  add(ids: Float64Array, vectors: Float32Array): void {
    for (let from = 0; from < ids.length; ) {
      if (this.rows.rowOf(ids[from]!) >= 0) {
        from++
        continue
      }
      let to = from + 1
      while (to < ids.length && ids[to] === ids[to - 1]! + 1 && this.rows.rowOf(ids[to]!) < 0) to++
      while (from < to) from += this.addSome(ids[from]!, to - from, vectors.subarray(from * this.dimensions))
    }
  }

  remove(ranges: IdRanges): void {
    this.heldIds = undefined
    for (const stretch of this.rows.remove(ranges)) {
      this.free.push(stretch)
      this.count -= stretch[1]
    }
  }

  /** Sets the vector that `search` and `scoreOf` compare with. */
  setQuery(vector: Float32Array): void {
    const code = new Uint8Array(this.codes.stride)
    this.queryScale = quantize(vector, code)
    this.codes.setQuery(code)
    this.query = vector
  }

  /** `comparable`: the visible passages that have a vector here. */
  search(visible: IdRanges, depth: number): { hits: VectorHit[]; comparable: number } {
    const stretches: [row: number, count: number][] = []
    let total = 0
    this.rows.eachIn(visible, (row, count) => {
      stretches.push([row, count])
      total += count
    })
    const top = new TopK(Math.min(depth, total))
    const wanted = Math.max(CANDIDATES, CANDIDATES_PER_HIT * depth, Math.round(total * CANDIDATE_SHARE))
    if (this.signs && total > Math.max(EXACT_ROWS, wanted)) this.scoreNear(this.signs, stretches, wanted, top)
    else this.scoreAll(stretches, top)
    return { hits: top.list(), comparable: total - this.withoutMeaning(stretches) }
  }

  /** Rows of zeros among these. */
  private withoutMeaning(stretches: [row: number, count: number][]): number {
    if (!this.holdsZeros) return 0
    let zeros = 0
    for (const [first, count] of stretches)
      for (let row = first; row < first + count; row++) if (this.scales[row] === 0) zeros++
    return zeros
  }

  /** The cosine of any passage; undefined where it has no vector, or one of zeros. */
  scoreOf(id: number): number | undefined {
    const row = this.rows.rowOf(id)
    return row < 0 || this.scales[row] === 0
      ? undefined
      : this.codes.score(row, 1)[0]! * this.scales[row]! * this.queryScale
  }

  /** Ids that have a vector here: the same object as long as they are the same. */
  held(): IdRanges {
    this.heldIds ??= this.rows.ids()
    return this.heldIds
  }

  holds(id: number): boolean {
    return this.rows.rowOf(id) >= 0
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.codes.bytes + (this.signs?.bytes ?? 0) + this.scales.byteLength
  }

  close(): void {
    this.codes.close()
  }

  /** Adds vectors of ids that follow each other, as many of `count` as one free stretch takes. @returns how many */
  private addSome(id: number, count: number, vectors: Float32Array): number {
    const hole = this.free.pop()
    const row = hole ? hole[0] : this.rows.end
    const size = Math.min(count, hole ? hole[1] : count)
    if (hole && hole[1] > size) this.free.push([row + size, hole[1] - size])
    const { dimensions } = this
    const { stride } = this.codes
    this.reserveScales(row + size)
    const bytes = new Uint8Array(size * stride)
    for (let i = 0; i < size; i++)
      this.scales[row + i] = quantize(
        vectors.subarray(i * dimensions, (i + 1) * dimensions),
        bytes.subarray(i * stride, (i + 1) * stride),
      )
    this.codes.write(row, bytes)
    this.holdsZeros ||= this.scales.subarray(row, row + size).includes(0)
    this.signs?.write(row, bytes, stride, this.scales.subarray(row, row + size))
    this.rows.place(row, id, size)
    this.heldIds = undefined
    this.count += size
    if (!this.signs && this.rows.end * stride > (this.options.smallBytes ?? SMALL_BYTES)) this.becomeLarge()
    return size
  }

  /** Makes the sign bits of what is here, and lets go of the bytes in memory. */
  private becomeLarge(): void {
    const { end } = this.rows
    this.signs = new SignRows(this.mean())
    this.eachPass(0, end, (row, count) => {
      this.signs?.write(row, this.codes.read(row, count), this.codes.stride, this.scales.subarray(row, row + count))
    })
    const { scratchDirectory } = this.options
    if (scratchDirectory !== undefined) this.codes.spill(scratchDirectory, end)
  }

  private mean(): Float32Array {
    const sums = new Float64Array(this.dimensions)
    const { end } = this.rows
    this.eachPass(0, end, (first, count) => {
      const codes = this.codes.read(first, count)
      const signed = new Int8Array(codes.buffer, codes.byteOffset, codes.length)
      for (let i = 0; i < count; i++) {
        const scale = this.scales[first + i]!
        const at = i * this.codes.stride
        for (let j = 0; j < sums.length; j++) sums[j]! += signed[at + j]! * scale
      }
    })
    return Float32Array.from(sums, sum => sum / end)
  }

  private eachPass(first: number, count: number, use: (row: number, count: number) => void): void {
    const size = this.codes.rowsPerPass
    for (let from = 0; from < count; from += size) use(first + from, Math.min(size, count - from))
  }

  private scoreAll(stretches: [number, number][], top: TopK): void {
    for (const [first, all] of stretches)
      this.eachPass(first, all, (row, count) => this.offerAll(top, row, this.codes.score(row, count), count))
  }

  private scoreNear(signs: SignRows, stretches: [number, number][], wanted: number, top: TopK): void {
    signs.setQuery(this.query)
    const nearest = new Nearest(wanted)
    for (const [first, count] of stretches) {
      const end = first + count
      for (let row = first - (first % BLOCK); row < end; row += SignRows.rowsPerPass) {
        const size = Math.min(SignRows.rowsPerPass, end - row)
        nearest.offer(row, signs.estimate(row, size), Math.max(0, first - row))
      }
    }
    const rows = nearest.rows()
    for (let from = 0; from < rows.length; from += this.codes.rowsPerPass) {
      const some = rows.subarray(from, from + this.codes.rowsPerPass)
      const products = this.codes.scoreEach(some)
      for (let i = 0; i < some.length; i++) this.offer(top, some[i]!, products[i]!)
    }
  }

  /** As `offer` for rows that follow each other, of which nearly none is near enough. */
  private offerAll(top: TopK, first: number, products: Int32Array, count: number): void {
    const { scales, queryScale } = this
    let least = top.threshold
    for (let i = 0; i < count; i++) {
      if (products[i]! * scales[first + i]! * queryScale < least) continue
      this.offer(top, first + i, products[i]!)
      least = top.threshold
    }
  }

  private offer(top: TopK, row: number, product: number): void {
    if (this.scales[row] === 0) return
    const score = product * this.scales[row]! * this.queryScale
    if (score >= top.threshold) top.push(score, this.rows.idOf(row))
  }

  private reserveScales(rows: number): void {
    if (rows <= this.scales.length) return
    const scales = new Float32Array(withRoom(rows))
    scales.set(this.scales)
    this.scales = scales
  }
}
