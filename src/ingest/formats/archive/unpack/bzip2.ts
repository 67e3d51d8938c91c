/** Bzip2 streams, one after another: Huffman codes, move-to-front, Burrows–Wheeler transform, run lengths. */
import { BitReader } from "./bit-reader.ts"
import { GrowingBytes } from "./growing-bytes.ts"

const BLOCK = 0x314159265359
const END = 0x177245385090
const SYMBOLS_PER_TABLE = 50
const RUN_A = 0
const RUN_B = 1

/** @throws Error for damage; RangeError above `limit` bytes */
export function bunzip2(data: Uint8Array, limit: number): Uint8Array {
  const bits = new BitReader(data, "high")
  const out = new GrowingBytes(limit)
  while (bits.hasMore(10)) {
    if (bits.read(24) !== 0x425a68) throw new Error("no bzip2 stream") // BZh
    const blockBytes = (bits.read(8) - 0x30) * 100_000
    if (!(blockBytes >= 100_000 && blockBytes <= 900_000)) throw new Error("blocks of no known size")
    for (;;) {
      const mark = bits.read(24) * 2 ** 24 + bits.read(24)
      bits.read(16)
      bits.read(16) // check sums
      if (mark === END) break
      if (mark !== BLOCK) throw new Error("neither a block nor the end")
      readBlock(bits, blockBytes, out)
    }
    bits.align()
  }
  return out.taken()
}

function readBlock(bits: BitReader, blockBytes: number, out: GrowingBytes): void {
  if (bits.read(1)) throw new Error("a block of an obsolete kind")
  const origin = bits.read(24)
  const symbols = readSymbolMap(bits)
  const tables = readTables(bits, symbols.length + 2)
  const counts = new Uint32Array(256)
  const transformed = new Uint32Array(blockBytes)
  const length = readSymbols(bits, tables, symbols, transformed, counts)
  if (origin >= length) throw new Error("an origin outside of the block")
  // From the last column of the sorted rotations to the order of the text.
  let sum = 0
  const starts = counts.map(count => {
    sum += count
    return sum - count
  })
  for (let i = 0; i < length; i++) {
    const byte = transformed[i]! & 0xff
    transformed[starts[byte]!++]! |= i << 8
  }
  writeRuns(transformed, length, origin, out)
}

function readSymbolMap(bits: BitReader): number[] {
  const used = bits.read(16)
  const symbols: number[] = []
  for (let high = 0; high < 16; high++) {
    if (!(used & (0x8000 >> high))) continue
    const low = bits.read(16)
    for (let i = 0; i < 16; i++) if (low & (0x8000 >> i)) symbols.push(high * 16 + i)
  }
  if (symbols.length === 0) throw new Error("a block of no symbols")
  return symbols
}

interface Table {
  /** By length: largest code, what to take from a code for its place among the symbols. */
  limits: Int32Array
  bases: Int32Array
  symbols: number[]
  shortest: number
  longest: number
}

interface Tables {
  tables: Table[]
  /** The table of each run of symbols. */
  selectors: Uint8Array
  end: number
}

function readTables(bits: BitReader, alphabet: number): Tables {
  const count = bits.read(3)
  const selectorCount = bits.read(15)
  if (count < 2 || count > 6 || selectorCount === 0) throw new Error("no tables")
  const order = Array.from({ length: count }, (_, i) => i)
  const selectors = Uint8Array.from({ length: selectorCount }, () => {
    let place = 0
    while (bits.read(1)) if (++place >= count) throw new Error("an invalid table")
    const [table] = order.splice(place, 1) as [number]
    order.unshift(table)
    return table
  })
  const tables = Array.from({ length: count }, () => readTable(bits, alphabet))
  return { tables, selectors, end: alphabet - 1 }
}

function readTable(bits: BitReader, alphabet: number): Table {
  let length = bits.read(5)
  const lengths = Array.from({ length: alphabet }, () => {
    for (;;) {
      if (length < 1 || length > 20) throw new Error("a code of no length")
      if (!bits.read(1)) return length
      length += bits.read(1) ? -1 : 1
    }
  })
  const shortest = Math.min(...lengths)
  const longest = Math.max(...lengths)
  const limits = new Int32Array(longest + 2).fill(-1)
  const bases = new Int32Array(longest + 2)
  const symbols: number[] = []
  let code = 0
  for (let size = shortest; size <= longest; size++) {
    bases[size] = code - symbols.length
    for (const [symbol, own] of lengths.entries()) if (own === size) symbols.push(symbol)
    code = bases[size]! + symbols.length
    limits[size] = code - 1
    code <<= 1
  }
  return { limits, bases, symbols, shortest, longest }
}

function readSymbol(bits: BitReader, { limits, bases, symbols, shortest, longest }: Table): number {
  let size = shortest
  let code = bits.read(size)
  while (code > limits[size]!) {
    if (++size > longest) throw new Error("a code of no symbol")
    code = (code << 1) | bits.read(1)
  }
  const symbol = symbols[code - bases[size]!]
  if (symbol === undefined) throw new Error("a code of no symbol")
  return symbol
}

/** @returns how many bytes the block has */
function readSymbols(
  bits: BitReader,
  { tables, selectors, end }: Tables,
  symbols: number[],
  into: Uint32Array,
  counts: Uint32Array,
): number {
  const front = [...symbols]
  let length = 0
  let run = 0
  let weight = 1
  const flush = () => {
    const byte = front[0]!
    if (length + run > into.length) throw new Error("a block that is too long")
    into.fill(byte, length, length + run)
    counts[byte]! += run
    length += run
    run = 0
    weight = 1
  }
  for (let read = 0; ; read++) {
    const table = tables[selectors[Math.floor(read / SYMBOLS_PER_TABLE)] ?? -1]
    if (!table) throw new Error("more symbols than tables")
    const symbol = readSymbol(bits, table)
    if (symbol === RUN_A || symbol === RUN_B) {
      run += weight << symbol
      weight *= 2
      if (run > into.length) throw new Error("a run that is too long")
      continue
    }
    if (run > 0) flush()
    if (symbol === end) return length
    if (length >= into.length) throw new Error("a block that is too long")
    const [byte] = front.splice(symbol - 1, 1) as [number]
    front.unshift(byte)
    into[length++] = byte
    counts[byte]!++
  }
}

/** Four equal bytes are followed by how many more of them there are. */
function writeRuns(transformed: Uint32Array, length: number, origin: number, out: GrowingBytes): void {
  let at = transformed[origin]! >>> 8
  let same = 0
  let before = -1
  for (let i = 0; i < length; i++) {
    const entry = transformed[at]!
    const byte = entry & 0xff
    at = entry >>> 8
    if (same === 4) {
      for (let j = 0; j < byte; j++) out.push(before)
      same = 0
      before = -1
      continue
    }
    same = byte === before ? same + 1 : 1
    before = byte
    out.push(byte)
  }
}
