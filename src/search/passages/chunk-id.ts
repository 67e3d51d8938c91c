/** Chunk numbers, up to 2⁵³, as ids on the wire: `chunk_` and the number in base 32, padded, so that they sort by creation. */
const PREFIX = "chunk_"
const DIGITS = 10

export function chunkId(number: number): string {
  return PREFIX + number.toString(32).padStart(DIGITS, "0")
}

/** The number; undefined for anything that is not such an id. */
export function chunkNumber(id: string): number | undefined {
  if (!id.startsWith(PREFIX)) return undefined
  const digits = id.slice(PREFIX.length)
  return /^[0-9a-v]{10,11}$/.test(digits) ? Number.parseInt(digits, 32) : undefined
}
