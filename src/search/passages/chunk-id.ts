/** Chunk numbers, up to 2⁵³, as ids on the wire: `chunk_` and the number in base 32, padded, so that they sort by creation. */
const PREFIX = "chunk_"
const DIGITS = 10

export function chunkId(number: number): string {
  return PREFIX + number.toString(32).padStart(DIGITS, "0")
}
