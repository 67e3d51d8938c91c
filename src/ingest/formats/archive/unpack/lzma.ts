/** LZMA (7-Zip's specification): a range coder with adaptive bits over literals and repetitions. */
import { GrowingBytes } from "./growing-bytes.ts"

const STATES = 12
const POSITION_STATES = 16
const LENGTH_STATES = 4
const FULL_DISTANCES = 128
const ALIGN_BITS = 4
const MIN_MATCH = 2
const HALF = 1024

/**
 * A member of a zip (PKWARE APPNOTE 5.8): version, size of the properties, properties, then the data.
 * `size`: bytes to expect where the data has no mark for its end.
 * @throws Error for damage; RangeError above `limit` bytes
 */
export function unpackZipLzma(data: Uint8Array, limit: number, size: number | undefined): Uint8Array {
  const [properties] = data.subarray(4)
  if (properties === undefined || data[2] !== 5 || properties >= 225) throw new Error("no LZMA data")
  const literalContext = properties % 9
  const rest = Math.floor(properties / 9)
  const decoder = new LzmaDecoder(data.subarray(9), limit, literalContext, rest % 5, Math.floor(rest / 5))
  return decoder.run(size)
}

class RangeDecoder {
  private range = 0xffffffff
  private code = 0
  private at = 5

  constructor(private readonly data: Uint8Array) {
    for (let i = 1; i < 5; i++) this.code = ((this.code << 8) | (data[i] ?? 0)) >>> 0
  }

  bit(odds: Uint16Array, index: number): number {
    const probability = odds[index]!
    const bound = (this.range >>> 11) * probability
    let bit = 0
    if (this.code < bound) {
      this.range = bound
      odds[index] = probability + ((2048 - probability) >>> 5)
    } else {
      this.code = (this.code - bound) >>> 0
      this.range = (this.range - bound) >>> 0
      odds[index] = probability - (probability >>> 5)
      bit = 1
    }
    this.normalize()
    return bit
  }

  direct(count: number): number {
    let value = 0
    for (let i = 0; i < count; i++) {
      this.range >>>= 1
      const bit = this.code >= this.range ? 1 : 0
      if (bit) this.code = (this.code - this.range) >>> 0
      this.normalize()
      value = value * 2 + bit
    }
    return value
  }

  tree(odds: Uint16Array, offset: number, bits: number): number {
    let node = 1
    for (let i = 0; i < bits; i++) node = node * 2 + this.bit(odds, offset + node)
    return node - (1 << bits)
  }

  /** The lowest bit first. */
  reverseTree(odds: Uint16Array, offset: number, bits: number): number {
    let node = 1
    let value = 0
    for (let i = 0; i < bits; i++) {
      const bit = this.bit(odds, offset + node)
      node = node * 2 + bit
      value |= bit << i
    }
    return value
  }

  private normalize(): void {
    if (this.range >= 0x1000000) return
    if (this.at >= this.data.length) throw new Error("the data ends early")
    this.range = (this.range << 8) >>> 0
    this.code = ((this.code << 8) | this.data[this.at++]!) >>> 0
  }
}

const fresh = (count: number) => new Uint16Array(count).fill(HALF)

class LengthDecoder {
  private readonly choice = fresh(2)
  private readonly low = fresh(POSITION_STATES * 8)
  private readonly middle = fresh(POSITION_STATES * 8)
  private readonly high = fresh(256)

  read(coder: RangeDecoder, positionState: number): number {
    if (!coder.bit(this.choice, 0)) return coder.tree(this.low, positionState * 8, 3)
    if (!coder.bit(this.choice, 1)) return 8 + coder.tree(this.middle, positionState * 8, 3)
    return 16 + coder.tree(this.high, 0, 8)
  }
}

class LzmaDecoder {
  private readonly coder: RangeDecoder
  private readonly out: GrowingBytes
  private readonly literals: Uint16Array
  private readonly isMatch = fresh(STATES * POSITION_STATES)
  private readonly isRepeat = fresh(STATES)
  private readonly isRepeat0 = fresh(STATES)
  private readonly isRepeat1 = fresh(STATES)
  private readonly isRepeat2 = fresh(STATES)
  private readonly isLongRepeat = fresh(STATES * POSITION_STATES)
  private readonly slots = fresh(LENGTH_STATES * 64)
  private readonly distances = fresh(1 + FULL_DISTANCES)
  private readonly align = fresh(1 << ALIGN_BITS)
  private readonly lengths = new LengthDecoder()
  private readonly repeatLengths = new LengthDecoder()
  /** Of the last four repetitions, less one. */
  private recent: [number, number, number, number] = [0, 0, 0, 0]
  private state = 0

  constructor(
    data: Uint8Array,
    limit: number,
    private readonly literalContext: number,
    private readonly literalPosition: number,
    private readonly positionBits: number,
  ) {
    this.coder = new RangeDecoder(data)
    this.out = new GrowingBytes(limit)
    this.literals = fresh(0x300 << (literalContext + literalPosition))
  }

  run(size: number | undefined): Uint8Array {
    const { coder, out } = this
    while (size === undefined || out.length < size) {
      const position = out.length & ((1 << this.positionBits) - 1)
      if (!coder.bit(this.isMatch, this.state * POSITION_STATES + position)) this.literal()
      else if (!this.repetition(position)) break
    }
    return out.taken()
  }

  private literal(): void {
    const { coder, out, literalContext } = this
    const place = out.length & ((1 << this.literalPosition) - 1)
    const offset = 0x300 * ((place << literalContext) + (out.back(1) >>> (8 - literalContext)))
    let symbol = 1
    if (this.state >= 7) {
      let match = out.back(this.recent[0] + 1)
      while (symbol < 0x100) {
        const expected = (match >>> 7) & 1
        match <<= 1
        const bit = coder.bit(this.literals, offset + ((1 + expected) << 8) + symbol)
        symbol = symbol * 2 + bit
        if (bit !== expected) break
      }
    }
    while (symbol < 0x100) symbol = symbol * 2 + coder.bit(this.literals, offset + symbol)
    out.push(symbol & 0xff)
    this.state = this.state < 4 ? 0 : this.state < 10 ? this.state - 3 : this.state - 6
  }

  /** False at the mark for the end. */
  private repetition(position: number): boolean {
    const { coder, out, state } = this
    if (!coder.bit(this.isRepeat, state)) {
      const [a, b, c] = this.recent
      const length = this.lengths.read(coder, position)
      this.state = state < 7 ? 7 : 10
      const distance = this.distance(length)
      if (distance === 0xffffffff) return false
      this.recent = [distance, a, b, c]
      out.repeat(distance + 1, length + MIN_MATCH)
      return true
    }
    if (!coder.bit(this.isRepeat0, state)) {
      if (!coder.bit(this.isLongRepeat, state * POSITION_STATES + position)) {
        this.state = state < 7 ? 9 : 11
        out.repeat(this.recent[0] + 1, 1)
        return true
      }
    } else this.recallDistance(state)
    const length = this.repeatLengths.read(coder, position)
    this.state = state < 7 ? 8 : 11
    out.repeat(this.recent[0] + 1, length + MIN_MATCH)
    return true
  }

  private recallDistance(state: number): void {
    const [a, b, c, d] = this.recent
    if (!this.coder.bit(this.isRepeat1, state)) this.recent = [b, a, c, d]
    else if (!this.coder.bit(this.isRepeat2, state)) this.recent = [c, a, b, d]
    else this.recent = [d, a, b, c]
  }

  private distance(length: number): number {
    const { coder } = this
    const slot = coder.tree(this.slots, Math.min(length, LENGTH_STATES - 1) * 64, 6)
    if (slot < 4) return slot
    const bits = (slot >> 1) - 1
    const base = (2 | (slot & 1)) * 2 ** bits
    if (slot < 14) return base + coder.reverseTree(this.distances, base - slot, bits)
    return base + coder.direct(bits - ALIGN_BITS) * 2 ** ALIGN_BITS + coder.reverseTree(this.align, 0, ALIGN_BITS)
  }
}
