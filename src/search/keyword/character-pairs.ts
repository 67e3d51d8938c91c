/** Finds the terms that hold a single character of a script without spaces, whose terms are pairs of characters. */
import { FIRST_UNSPACED, isSingleCharacter } from "../text/analyze.ts"
import type { KeywordStore } from "./keyword-store.ts"

/** Which characters a character stands behind, as one text. */
type Firsts = ReadonlyMap<string, string>

export class CharacterPairs {
  /**
   * By segment, made when it is first asked for: looking through a segment's terms takes some milliseconds for a thousand
   * passages of Chinese. Two bytes a term.
   */
  private readonly known = new Map<number, Firsts>()

  constructor(private readonly store: KeywordStore) {}

  /** Terms of a segment that begin with the character, itself among them, and pairs that end with it. */
  holding(segment: number, character: string): { begins: string[]; ends: string[] } {
    const ends = [...(this.firstsOf(segment).get(character) ?? "")].map(first => first + character)
    return { begins: this.store.termsFrom(segment, character, `${character}\u{10ffff}`), ends }
  }

  /** Forgets the segments that no longer exist. */
  keep(segments: ReadonlySet<number>): void {
    for (const number of this.known.keys()) if (!segments.has(number)) this.known.delete(number)
  }

  private firstsOf(segment: number): Firsts {
    const known = this.known.get(segment)
    if (known) return known
    const firsts = new Map<string, string>()
    for (const term of this.store.termsFrom(segment, FIRST_UNSPACED, "\u{10ffff}")) {
      const [first, second, ...more] = term
      if (second === undefined || more.length > 0 || !isSingleCharacter(second)) continue
      firsts.set(second, (firsts.get(second) ?? "") + first)
    }
    this.known.set(segment, firsts)
    return firsts
  }
}
