/** What another engine has to do to be measured on the product's passages and questions. */
import type { Embedder } from "../../../src/backends/backend.ts"

export interface Passages {
  texts: string[]
  /** One per text, of unit length: made beforehand, so that a build's time is the index alone. */
  vectors: Float32Array[]
  /** For the vector of a query, which counts as part of a search here as in the product. */
  embedder: Embedder
}

export interface Peer {
  /** Rows of the passages, best first. */
  search(query: string): Promise<number[]>
  close(): Promise<void>
}

export interface Engine {
  name: string
  open(passages: Passages): Promise<Peer>
}

/** Candidates asked of an engine, and of each half of a hybrid one. */
export const DEPTH = 100

/** The usual joining of rankings: a sum of 1 / (60 + rank), each list with the same weight. */
export function reciprocalRanks(lists: number[][]): number[] {
  const scores = new Map<number, number>()
  for (const list of lists)
    for (const [at, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (60 + at + 1))
  return [...scores].sort((a, b) => b[1] - a[1]).map(([id]) => id)
}

export async function queryVector(query: string, { embedder }: Passages): Promise<Float32Array> {
  const [vector] = await embedder.embed([query], "query")
  return vector!
}
