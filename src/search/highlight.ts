/** Offsets of the words in a text that match a query by analysis: any inflection of a word that was asked for. */
import { foldText, formsOf, groupsOf, isUnspaced, WORDS } from "./analyze.ts"

export interface Highlight {
  start: number
  end: number
}

/** The query's side, made once for all hits of a search. */
export class Highlighter {
  private readonly terms: Set<string>
  /** First letters of the terms: analysis keeps them, so that most words need none. */
  private readonly beginnings: Set<string>
  private readonly known = new Map<string, boolean>()

  constructor(query: string) {
    const terms = groupsOf(query).flatMap(group => group.terms)
    this.terms = new Set(terms)
    this.beginnings = new Set(terms.flatMap(term => [term.slice(0, 1), term.slice(0, 2)]))
  }

  find(text: string): Highlight[] {
    const found: Highlight[] = []
    for (const match of text.matchAll(WORDS)) {
      const [raw] = match
      const start = match.index
      const end = start + raw.length
      if (isUnspaced(raw)) this.findPairs(text, start, end, found)
      else if (this.mayMatch(raw) && this.matches(foldText(raw))) found.push({ start, end })
    }
    return found
  }

  /** Short words are exempt from the second letter: `dying` is indexed as `die`. */
  private mayMatch(raw: string): boolean {
    if (raw.charCodeAt(0) > 127 || raw.charCodeAt(1) > 127) return true
    return this.beginnings.has(raw.slice(0, raw.length > 5 ? 2 : 1).toLowerCase())
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
