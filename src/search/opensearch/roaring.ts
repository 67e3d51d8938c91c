/** Sets of numbers in the portable format of roaring bitmaps, which the engine filters by. */

/** A header without containers of runs, as the format's specification names it. */
const COOKIE = 12_346
/** With more numbers than these of the same upper 16 bits, a container is a bit for each of the 65 536. */
const MAX_LISTED = 4096
const BITS_BYTES = 8192

/** @param numbers ascending, each once, below 2³² @returns base 64 */
export function roaringBitmap(numbers: ArrayLike<number>): string {
  const containers = new Map<number, number[]>()
  for (let i = 0; i < numbers.length; i++) {
    const key = numbers[i]! >>> 16
    const container = containers.get(key)
    if (container) container.push(numbers[i]! & 0xffff)
    else containers.set(key, [numbers[i]! & 0xffff])
  }
  const sizeOf = (low: number[]) => (low.length > MAX_LISTED ? BITS_BYTES : 2 * low.length)
  const headerBytes = 8 + 8 * containers.size
  const total = [...containers.values()].reduce((sum, low) => sum + sizeOf(low), headerBytes)
  const bytes = Buffer.alloc(total)
  bytes.writeUInt32LE(COOKIE, 0)
  bytes.writeUInt32LE(containers.size, 4)
  let nth = 0
  let at = headerBytes
  for (const [key, low] of containers) {
    bytes.writeUInt16LE(key, 8 + 4 * nth)
    bytes.writeUInt16LE(low.length - 1, 10 + 4 * nth)
    bytes.writeUInt32LE(at, 8 + 4 * containers.size + 4 * nth)
    if (low.length > MAX_LISTED) for (const bit of low) bytes[at + (bit >> 3)]! |= 1 << (bit & 7)
    else for (const [i, value] of low.entries()) bytes.writeUInt16LE(value, at + 2 * i)
    at += sizeOf(low)
    nth++
  }
  return bytes.toString("base64")
}
