/** What a run has shown to its model, numbered; `[2]` in the answer cites number 2. */
import { numbersIn } from "../grounding/citations.ts"
import type { Place } from "../storage/document.ts"

export interface Passage {
  file_id: string
  /** Null for a stretch that was read rather than found. */
  chunk_id: string | null
  name: string
  position: Place & { start: number; end: number }
}

export interface Citation extends Passage {
  index: number
}

export class Passages {
  private readonly byKey = new Map<string, Citation>()

  /** The number of the passage; the same passage keeps its number. */
  add(passage: Passage): number {
    const key = passage.chunk_id ?? `${passage.file_id} ${passage.position.start} ${passage.position.end}`
    const known = this.byKey.get(key)
    if (known) return known.index
    const index = this.byKey.size + 1
    this.byKey.set(key, { index, ...passage })
    return index
  }

  /** Every passage so far, by number. */
  all(): Citation[] {
    return [...this.byKey.values()]
  }

  /** The passages that the text cites, each once, in the order of their first marker. Unknown numbers cite nothing. */
  citedIn(text: string): Citation[] {
    const byIndex = new Map([...this.byKey.values()].map(citation => [citation.index, citation]))
    return numbersIn(text).flatMap(number => byIndex.get(number) ?? [])
  }
}
