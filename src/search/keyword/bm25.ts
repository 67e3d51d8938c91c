/** BM25 as pure functions: what a word weighs, and what a passage's length makes of it. */

/** k1: how soon more of the same word stops to count (1.2–1.5 measured alike; `fuse` is tuned to it). b: length. */
export const BM25 = { k1: 1.2, b: 0.75 }

/** Lengths are stored as 16 bits. */
export const MAX_LENGTH = 65_535

/** Robertson's weight of a term in the form that never goes below zero. */
export function idf(documents: number, holding: number): number {
  return Math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
}

/** The largest part that a word can have in a score. */
export const largestPart = (weight: number, documents: number, holding: number): number =>
  weight * idf(documents, holding) * (BM25.k1 + 1)

/** k1 · (1 − b + b · length / mean). */
export const lengthPart = (length: number, meanLength: number): number =>
  BM25.k1 * (1 - BM25.b + (BM25.b * length) / Math.max(1, meanLength))

/** `lengthPart` of every length. */
export function normsOf(meanLength: number): Float32Array {
  const norms = new Float32Array(MAX_LENGTH + 1)
  for (let length = 0; length < norms.length; length++) norms[length] = lengthPart(length, meanLength)
  return norms
}
