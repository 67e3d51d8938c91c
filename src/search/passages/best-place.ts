/**
 * Where in a passage its best matching sentence stands: passages join short sections, and a hit names the section that was
 * asked for. Only the hits of the page that is answered are looked at.
 */
import { sentenceSpans } from "../../backends/sentences.ts"
import type { SectionStart } from "../../storage/document.ts"
import { formsOf, isUnspaced, WORDS } from "../text/analyze.ts"
import { foldText } from "../text/fold.ts"
import type { WordWeight } from "../thread/worker-messages.ts"

/** The query's words, by every form under which they can stand in a text. */
export class QueryWords {
  private readonly byTerm = new Map<string, number>()

  constructor(private readonly weights: readonly WordWeight[]) {
    weights.forEach(({ terms }, word) => {
      for (const term of terms) this.byTerm.set(term, word)
    })
  }

  /** Where the sentence begins that holds most of the query's weight, the first of several; undefined where none holds any. */
  bestSentence(text: string): number | undefined {
    let best = 0
    let at: number | undefined
    for (const { start, end } of sentenceSpans(text)) {
      const weight = this.weightOf(text.slice(start, end))
      if (weight <= best) continue
      best = weight
      at = start
    }
    return at
  }

  private weightOf(sentence: string): number {
    const held = new Set<number>()
    const note = (form: string) => {
      const found = this.byTerm.get(form)
      if (found !== undefined) held.add(found)
    }
    for (const [word] of foldText(sentence).matchAll(WORDS)) {
      for (const forms of formsOf(word)) forms.forEach(note)
      if (isUnspaced(word)) [...word].forEach(note)
    }
    let sum = 0
    for (const word of held) sum += this.weights[word]!.weight
    return sum
  }
}

/** The section at a place in the passage. */
export function sectionAt(sections: readonly SectionStart[], at: number): string | null {
  let section = sections[0]?.[1] ?? null
  for (const [start, name] of sections) if (start <= at) section = name
  return section
}

/** The texts of a passage's sections, in their order. */
export const sectionTexts = (text: string, sections: readonly SectionStart[]): string[] =>
  sections.map(([start], i) => text.slice(start, sections[i + 1]?.[0]))
