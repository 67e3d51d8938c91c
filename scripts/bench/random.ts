/** Repeatable random numbers and words. */

/** Numbers in 0..1, the same ones for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Queries of one to three words, their letters drawn alike: the words of no language. */
export function randomWords(seed: number, count: number): string[] {
  const next = seeded(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const word = () => Array.from({ length: 4 + below(7) }, () => String.fromCharCode(97 + below(26))).join("")
  return Array.from({ length: count }, () => Array.from({ length: 1 + below(3) }, word).join(" "))
}
