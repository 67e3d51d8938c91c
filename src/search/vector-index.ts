/**
 * The vector leg in memory: every vector as signed bytes with a scale of its own, and its sign bits. Lives in the search
 * worker; LanceDB is the durable store behind it.
 *
 * Up to `EXACT_ROWS` visible rows all are scored. Above, a first pass counts differing sign bits (one eighth of the
 * bytes) and the best few thousand are scored: filters stay exact, since only visible rows enter either pass.
 */
import { eachOverlap, type IdRanges, NO_IDS, toRanges, union } from "./id-ranges.ts"
import { Rows } from "./rows.ts"
import { TopK } from "./top-k.ts"
import { ROWS_PER_PASS, VectorRows } from "./vector-rows.ts"

/** Visible rows up to which all are scored: 3 ms at 256 dimensions. */
const EXACT_ROWS = 100_000
/**
 * Rows that the first pass hands on: this share, and at least so many, and so many per wanted hit. With the built-in
 * model 3 % of 15 000 passages held .97 of the ten nearest, 1 % .90; in larger libraries, where the first pass is used,
 * the same share holds more. Centring or rotating the vectors first gained less than .01.
 */
const CANDIDATE_SHARE = 0.02
const CANDIDATES = 3000
const CANDIDATES_PER_HIT = 20
/** Share of removed rows at which the memory is closed up. */
const HOLES_SHARE = 0.1

export interface VectorHit {
  id: number
  /** Cosine. */
  score: number
}

export class VectorIndex {
  private rows = new Rows()
  private readonly codes: VectorRows
  private readonly signs: VectorRows
  private scales = new Float32Array(1024)
  private gone: IdRanges = NO_IDS
  private queryScale = 0
  /** Of the first pass, kept between searches: two bytes a row. */
  private distances = new Uint16Array(0)

  constructor(
    readonly table: string,
    readonly dimensions: number,
  ) {
    this.codes = new VectorRows(dimensions, "dots")
    this.signs = new VectorRows(Math.ceil(dimensions / 8), "distances")
  }

  get count(): number {
    return this.rows.count
  }

  /** Adds unit vectors, row after row; ids already here are left as they are. */
  add(ids: Int32Array, vectors: Float32Array): void {
    this.reserve(this.rows.count + ids.length)
    for (let i = 0; i < ids.length; i++) {
      if (this.rows.rowOf(ids[i]!) >= 0) continue
      const row = this.rows.count
      const vector = vectors.subarray(i * this.dimensions, (i + 1) * this.dimensions)
      this.scales[row] = quantize(vector, this.codes.view(row, 1))
      signsOf(vector, this.signs.view(row, 1))
      this.rows.append(ids[i]!, 1)
    }
  }

  remove(ranges: IdRanges): void {
    this.gone = union(this.gone, ranges)
    let holes = 0
    this.rows.eachIn(this.gone, (_, count) => {
      holes += count
    })
    if (holes > 0 && holes >= this.rows.count * HOLES_SHARE) this.closeUp()
  }

  /** Sets the vector that `search` and `scoreOf` compare with. */
  setQuery(vector: Float32Array): void {
    const code = new Uint8Array(this.codes.stride)
    this.queryScale = quantize(vector, code)
    this.codes.setQuery(code)
    const signs = new Uint8Array(this.signs.stride)
    signsOf(vector, signs)
    this.signs.setQuery(signs)
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
    if (total <= Math.max(EXACT_ROWS, wanted)) this.scoreAll(stretches, top)
    else for (const row of this.nearBySigns(stretches, total, wanted)) this.scoreInto(top, row, 1)
    return { hits: top.list(), comparable: total }
  }

  /** The cosine of any passage; undefined where it has no vector. */
  scoreOf(id: number): number | undefined {
    const row = this.rows.rowOf(id)
    return row < 0 ? undefined : this.codes.score(row, 1)[0]! * this.scales[row]! * this.queryScale
  }

  /** Ids that have a vector here. */
  held(): IdRanges {
    const pairs = this.rows.toPairs()
    const spans: [number, number][] = []
    for (let i = 0; i < pairs.length; i += 2) spans.push([pairs[i]!, pairs[i]! + pairs[i + 1]! - 1])
    return toRanges(spans)
  }

  get bytes(): number {
    return this.codes.bytes + this.signs.bytes + this.scales.byteLength
  }

  private scoreAll(stretches: [number, number][], top: TopK): void {
    for (const [row, count] of stretches)
      for (let from = 0; from < count; from += ROWS_PER_PASS)
        this.scoreInto(top, row + from, Math.min(ROWS_PER_PASS, count - from))
  }

  private scoreInto(top: TopK, row: number, count: number): void {
    const products = this.codes.score(row, count)
    for (let i = 0; i < count; i++) {
      const score = products[i]! * this.scales[row + i]! * this.queryScale
      if (score >= top.threshold) top.push(score, this.rows.idOf(row + i))
    }
  }

  /** At least `wanted` rows (ties included) with the fewest differing sign bits. */
  private nearBySigns(stretches: [number, number][], total: number, wanted: number): Int32Array {
    if (this.distances.length < total) this.distances = new Uint16Array(total)
    const { distances } = this
    const counts = new Int32Array(8 * this.signs.stride + 1)
    let at = 0
    for (const [row, count] of stretches)
      for (let from = 0; from < count; from += ROWS_PER_PASS) {
        const size = Math.min(ROWS_PER_PASS, count - from)
        const found = this.signs.score(row + from, size)
        for (let i = 0; i < size; i++) {
          const distance = found[i]!
          counts[distance]!++
          distances[at++] = distance
        }
      }
    let limit = 0
    let near = counts[0]!
    while (near < wanted) near += counts[++limit]!
    const rows = new Int32Array(near)
    let kept = 0
    at = 0
    for (const [row, count] of stretches)
      for (let i = 0; i < count; i++) if (distances[at++]! <= limit) rows[kept++] = row + i
    return rows
  }

  private reserve(rows: number): void {
    this.codes.reserve(rows)
    this.signs.reserve(rows)
    if (rows <= this.scales.length) return
    const scales = new Float32Array(Math.ceil(rows * 1.125))
    scales.set(this.scales)
    this.scales = scales
  }

  private closeUp(): void {
    const rows = new Rows()
    const pairs = this.rows.toPairs()
    let row = 0
    for (let i = 0; i < pairs.length; i += 2) {
      const first = pairs[i]!
      const end = first + pairs[i + 1]!
      let from = first
      const keep = (to: number) => {
        if (to <= from) return
        const source = row + from - first
        this.codes.move(source, rows.count, to - from)
        this.signs.move(source, rows.count, to - from)
        this.scales.copyWithin(rows.count, source, source + to - from)
        rows.append(from, to - from)
      }
      eachOverlap(this.gone, first, end - 1, (goneFrom, goneTo) => {
        keep(goneFrom)
        from = goneTo + 1
      })
      keep(end)
      row += pairs[i + 1]!
    }
    this.rows = rows
    this.gone = NO_IDS
  }
}

/** Writes the vector as signed bytes. @returns what a byte stands for. */
function quantize(vector: Float32Array, bytes: Uint8Array): number {
  let largest = 0
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!))
  if (largest === 0) {
    bytes.fill(0)
    return 0
  }
  const factor = 127 / largest
  for (let i = 0; i < vector.length; i++) bytes[i] = Math.round(vector[i]! * factor) & 255
  return largest / 127
}

function signsOf(vector: Float32Array, bytes: Uint8Array): void {
  bytes.fill(0)
  for (let i = 0; i < vector.length; i++) if (vector[i]! > 0) bytes[i >> 3]! |= 1 << (i & 7)
}
