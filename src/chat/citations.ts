/** Finds the `[n]` markers of a reply and binds them to the passages that were given under those numbers. */
import type { Citation, Source } from "./types.ts"

const MARKER = /\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/g

export interface Cited {
  /** In the order of their first marker. */
  citations: Citation[]
  /** Numbers that no passage has. */
  invalid: number[]
}

export function citedIn(text: string, sources: readonly Source[]): Cited {
  // Without passages a bracketed number is none of ours: a list index in code, perhaps.
  if (sources.length === 0) return { citations: [], invalid: [] }
  const numbers = [...text.matchAll(MARKER)].flatMap(([, list]) => list!.split(/[,;]/).map(Number))
  const citations: Citation[] = []
  const invalid: number[] = []
  for (const index of new Set(numbers)) {
    const source = sources.find(each => each.index === index)
    if (!source) invalid.push(index)
    else {
      const { file_id, chunk_id, name, position } = source
      citations.push({ index, file_id, chunk_id, name, position })
    }
  }
  return { citations, invalid }
}
