/** Offsets of the words in a text that match a query by analysis: any inflection of a word that was asked for. */
import { hasFormOf, isUnspaced, WORDS, WORDS_IN_TEXT } from "../text/analyze.ts"
import { foldText } from "../text/fold.ts"

export interface Highlight {
  start: number
  end: number
}

/** Letters and digits of ASCII alone, whatever dashes, quotation marks and other signs stand between them. */
const ASCII_WORDS = /^[\x00-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf\u2010-\u205e]*$/

/** The query's side, made once for all hits of a search. */
export class Highlighter {
  private readonly terms: Set<string>
  /**
   * First letters of the terms, and first two, by character code: analysis keeps them, so that most words of a text are
   * passed over without being cut out of it.
   */
  private readonly firsts = new Uint8Array(128)
  private readonly pairs = new Uint8Array(128 * 128)
  private readonly known = new Map<string, boolean>()

  /** `terms`: the forms of the words that were looked for. */
  constructor(terms: readonly string[]) {
    this.terms = new Set(terms)
    for (const term of terms) {
      this.firsts[term.charCodeAt(0)] = 1 // beyond the array nothing happens
      if (term.charCodeAt(0) < 128 && term.charCodeAt(1) < 128)
        this.pairs[term.charCodeAt(0) * 128 + term.charCodeAt(1)] = 1
    }
  }

  find(text: string): Highlight[] {
    const isPlain = ASCII_WORDS.test(text) && !text.includes("#") && !text.includes("++")
    return isPlain ? this.findInAscii(text) : this.findInAny(text)
  }

  private findInAscii(text: string): Highlight[] {
    const found: Highlight[] = []
    for (let at = 0; at < text.length; ) {
      const first = lowerCase(text.charCodeAt(at))
      const start = at++
      if (!isWord(first)) continue
      while (at < text.length && isWord(lowerCase(text.charCodeAt(at)))) at++
      if (!this.mayMatch(first, lowerCase(text.charCodeAt(start + 1)), at - start)) continue
      if (this.matches(text.slice(start, at).toLowerCase())) found.push({ start, end: at })
    }
    return found
  }

  private findInAny(text: string): Highlight[] {
    const found: Highlight[] = []
    for (const match of text.matchAll(WORDS_IN_TEXT)) {
      const [raw] = match
      const start = match.index
      const end = start + raw.length
      const [first, second] = [raw.charCodeAt(0), raw.charCodeAt(1)]
      if (isUnspaced(raw)) this.findPairs(text, start, end, found)
      else if (first > 127 || second > 127 || this.mayMatch(lowerCase(first), lowerCase(second), raw.length))
        if (
          foldText(raw)
            .match(WORDS)
            ?.some(word => this.matches(word))
        )
          found.push({ start, end })
    }
    return found
  }

  /** Short words are exempt from the second letter: `dying` is indexed as `die`. */
  private mayMatch(first: number, second: number, length: number): boolean {
    return length > 5 ? this.pairs[first * 128 + second] === 1 : this.firsts[first] === 1
  }

  private matches(word: string): boolean {
    const known = this.known.get(word)
    if (known !== undefined) return known
    const matches = hasFormOf(this.terms, word)
    this.known.set(word, matches)
    return matches
  }

  /** In scripts without spaces: each pair of characters, or character alone, that was asked for, touching ones joined. */
  private findPairs(text: string, from: number, to: number, found: Highlight[]): void {
    const characters = [...text.slice(from, to)]
    let start = from
    characters.forEach((character, i) => {
      const pair = character + (characters[i + 1] ?? "")
      const match = [pair, character].find(each => this.terms.has(foldText(each)))
      if (match) {
        const last = found.at(-1)
        const end = start + match.length
        if (last && last.end >= start) last.end = Math.max(last.end, end)
        else found.push({ start, end })
      }
      start += character.length
    })
  }
}

/** Of an ASCII letter; other codes as they are. */
const lowerCase = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code)

/** A lower-case ASCII letter or digit. */
const isWord = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
