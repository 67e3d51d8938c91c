/** Offsets of the words in a text that match a query by analysis: any inflection of a word that was asked for. */
import { foldText, formsOf, groupsOf, isUnspaced, wordsOf } from "./analyze.ts"

export interface Highlight {
  start: number
  end: number
}

/** The query's side, made once for all hits of a search. */
export class Highlighter {
  private readonly terms: Set<string>
  private readonly known = new Map<string, boolean>()

  constructor(query: string) {
    this.terms = new Set(groupsOf(query).flatMap(group => group.terms))
  }

  find(text: string): Highlight[] {
    const found: Highlight[] = []
    for (const { word, start, end } of wordsOf(text)) {
      if (isUnspaced(word)) this.findPairs(text, start, end, found)
      else if (this.matches(word)) found.push({ start, end })
    }
    return found
  }

  private matches(word: string): boolean {
    const known = this.known.get(word)
    if (known !== undefined) return known
    const matches = formsOf(word).some(terms => terms.some(term => this.terms.has(term)))
    this.known.set(word, matches)
    return matches
  }

  /** In scripts without spaces: each pair of characters that was asked for, touching ones joined. */
  private findPairs(text: string, from: number, to: number, found: Highlight[]): void {
    const characters = [...text.slice(from, to)]
    if (characters.length === 1 && this.terms.has(foldText(characters[0]!))) found.push({ start: from, end: to })
    let start = from
    for (let i = 0; i + 1 < characters.length; i++) {
      const pair = characters[i]! + characters[i + 1]!
      if (this.terms.has(foldText(pair))) {
        const last = found.at(-1)
        if (last && last.end >= start) last.end = start + pair.length
        else found.push({ start, end: start + pair.length })
      }
      start += characters[i]!.length
    }
  }
}
