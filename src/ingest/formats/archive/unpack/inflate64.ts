/** Deflate64 (PKWARE APPNOTE 4.4.5, method 9): Deflate with a window of 64 KB and repetitions of up to 65 538 bytes. */
import { BitReader } from "./bit-reader.ts"
import { GrowingBytes } from "./growing-bytes.ts"

const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 3,
]
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 16]
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
const END_OF_BLOCK = 256

/** @throws Error for damage; RangeError above `limit` bytes */
export function inflate64(data: Uint8Array, limit: number): Uint8Array {
  const bits = new BitReader(data, "low")
  const out = new GrowingBytes(limit)
  for (let last = 0; !last; ) {
    last = bits.read(1)
    const type = bits.read(2)
    if (type === 0) readStored(bits, out)
    else if (type === 1) readBlock(bits, out, FIXED_LITERALS, FIXED_DISTANCES)
    else if (type === 2) readBlock(bits, out, ...readTables(bits))
    else throw new Error("a block of no known type")
  }
  return out.taken()
}

/** Canonical codes: how many of each length, and the symbols in order. */
interface Codes {
  counts: Uint16Array
  symbols: Uint16Array
}

function codesOf(lengths: number[]): Codes {
  const counts = new Uint16Array(16)
  for (const length of lengths) counts[length]!++
  counts[0] = 0
  const next = new Uint16Array(16)
  for (let i = 1; i < 15; i++) next[i + 1] = next[i]! + counts[i]!
  const symbols = new Uint16Array(lengths.length)
  for (const [symbol, length] of lengths.entries()) if (length > 0) symbols[next[length]!++] = symbol
  return { counts, symbols }
}

function readSymbol(bits: BitReader, { counts, symbols }: Codes): number {
  let code = 0
  let first = 0
  let index = 0
  for (let length = 1; length <= 15; length++) {
    code |= bits.read(1)
    const count = counts[length]!
    if (code - count < first) return symbols[index + code - first]!
    index += count
    first = (first + count) << 1
    code <<= 1
  }
  throw new Error("a code of no symbol")
}

const FIXED_LITERALS = codesOf([
  ...new Array<number>(144).fill(8),
  ...new Array<number>(112).fill(9),
  ...new Array<number>(24).fill(7),
  ...new Array<number>(8).fill(8),
])
const FIXED_DISTANCES = codesOf(new Array<number>(32).fill(5))

function readTables(bits: BitReader): [literals: Codes, distances: Codes] {
  const literalCount = bits.read(5) + 257
  const distanceCount = bits.read(5) + 1
  const codeCount = bits.read(4) + 4
  const codeLengths = new Array<number>(19).fill(0)
  for (let i = 0; i < codeCount; i++) codeLengths[CODE_ORDER[i]!] = bits.read(3)
  const codes = codesOf(codeLengths)
  const lengths: number[] = []
  while (lengths.length < literalCount + distanceCount) {
    const symbol = readSymbol(bits, codes)
    if (symbol < 16) lengths.push(symbol)
    else {
      const repeated = symbol === 16 ? lengths.at(-1) : 0
      if (repeated === undefined) throw new Error("a repetition of nothing")
      const times = symbol === 16 ? 3 + bits.read(2) : symbol === 17 ? 3 + bits.read(3) : 11 + bits.read(7)
      for (let i = 0; i < times; i++) lengths.push(repeated)
    }
  }
  return [codesOf(lengths.slice(0, literalCount)), codesOf(lengths.slice(literalCount, literalCount + distanceCount))]
}

function readStored(bits: BitReader, out: GrowingBytes): void {
  const [low, high] = bits.bytes(4)
  for (const byte of bits.bytes(low! | (high! << 8))) out.push(byte)
}

function readBlock(bits: BitReader, out: GrowingBytes, literals: Codes, distances: Codes): void {
  for (;;) {
    const symbol = readSymbol(bits, literals)
    if (symbol === END_OF_BLOCK) return
    if (symbol < END_OF_BLOCK) {
      out.push(symbol)
      continue
    }
    const length = LENGTHS[symbol - 257]
    if (length === undefined) throw new Error("a code of no length")
    const count = length + bits.read(LENGTH_BITS[symbol - 257]!)
    const distance = readSymbol(bits, distances)
    const extra = distance < 2 ? 0 : (distance >> 1) - 1
    const base = distance < 2 ? distance + 1 : ((2 + (distance & 1)) << extra) + 1
    out.repeat(base + bits.read(extra), count)
  }
}
