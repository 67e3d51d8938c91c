/** Texts as documents of the engine: analyzed here, as on one machine, so that both find the same. */
import { yieldToOthers } from "../../storage/chunks.ts"
import type { Stretch } from "../passage-store.ts"
import { schemeOf, termsOf } from "../text/analyze.ts"
import { PassageLanguages } from "../text/language.ts"
import type { IndexedPassage } from "./layout.ts"

/** Some 3 ms, after which others go first. */
const AT_A_TIME = 32

export class Analysis {
  /** Words and vectors of a stretch are written beside each other, and both need its terms. */
  private readonly known = new WeakMap<Stretch, Promise<IndexedPassage[]>>()

  of(stretch: Stretch): Promise<IndexedPassage[]> {
    const known = this.known.get(stretch)
    if (known) return known
    const analyzed = analyze(stretch)
    this.known.set(stretch, analyzed)
    return analyzed
  }
}

async function analyze({ generation, workspaceId, firstId, texts, scheme }: Stretch): Promise<IndexedPassage[]> {
  const languages = new PassageLanguages()
  const passages: IndexedPassage[] = []
  for (const text of texts) {
    const id = firstId + passages.length
    passages.push({
      workspaceId,
      generation: generation.id,
      id,
      ordinal: id - generation.first,
      passages: generation.last - generation.first + 1,
      terms: termsOf(text, schemeOf(text, scheme)),
      language: languages.next(text),
    })
    if (passages.length % AT_A_TIME === 0) await yieldToOthers()
  }
  return passages
}
