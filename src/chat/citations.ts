/** Binds the marks of a reply to the passages that were given under their numbers. */
import { numbersIn } from "../grounding/citations.ts"
import type { Citation, Source } from "./types.ts"

export interface Cited {
  /** In the order of their first marker. */
  citations: Citation[]
  /** Numbers that no passage has. */
  invalid: number[]
}

export function citedIn(text: string, sources: readonly Source[]): Cited {
  // Without passages a bracketed number is none of ours: a list index in code, perhaps.
  if (sources.length === 0) return { citations: [], invalid: [] }
  const citations: Citation[] = []
  const invalid: number[] = []
  for (const index of numbersIn(text)) {
    const source = sources.find(each => each.index === index)
    if (!source) invalid.push(index)
    else {
      const { file_id, chunk_id, name, position } = source
      citations.push({ index, file_id, chunk_id, name, position })
    }
  }
  return { citations, invalid }
}
