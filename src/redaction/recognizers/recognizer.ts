/** What a kind of private value is, and what every rule that finds one looks like. */

export type Category = "personal" | "financial" | "credentials" | "custom"

export interface Kind {
  category: Exclude<Category, "custom">
  /** For people, in English; the console has its own words in `src/console/redacted.ts`. */
  label: string
  /** Which of one category stands where two claim the same characters equally: the lower one. */
  precedence: number
  /** Part of a value is none: what a stronger find leaves of it is not redacted under its name. */
  wholeOnly?: true
}

/** A kind that the entity model finds, with the rules in name-and-address.ts. */
export interface ModelKind extends Kind {
  foundBy: "model"
}

/** A kind that rules find: its recognizer searches one piece of text and says where values are. */
export interface RuleKind extends Kind {
  foundBy: "rules"
  /** A piece without any of these signs holds no such value and is not searched: most pieces are plain words. */
  needs: number
  find: Recognizer
}

/** Cheap to see in a piece, one bit each. `secretWord` stands in it or shortly before it; looked for where nothing else is seen. */
export const SIGN = { digit: 1, at: 2, colonOrEquals: 4, underscore: 8, secretWord: 16 } as const
export const ANY_SIGN = Object.values(SIGN).reduce((all, sign) => all | sign, 0)

/** A value found by a rule; offsets count in `PieceView.text`. */
export interface Found {
  start: number
  end: number
  score: number
}

/**
 * One piece with what stands before it. A piece is the smallest stretch that a value cannot cross (see pieces.ts), so
 * that a rule needs nothing behind it: the same piece is judged the same, however the text arrived.
 */
export interface PieceView {
  /** Up to CONTEXT_LENGTH characters before the piece, then the piece. */
  text: string
  /** Where the piece begins in `text`; a value starts here or later. */
  from: number
}

export type Recognizer = (view: PieceView) => Found[]

/** How far back a rule may look for words such as `routing number`. */
export const CONTEXT_LENGTH = 120

/** The words right before an offset, lower-cased; `length` characters at most. */
export function contextBefore(view: PieceView, offset: number, length: number): string {
  return view.text.slice(Math.max(0, offset - length), offset).toLowerCase()
}

/** All matches of a sticky-free global pattern that begin inside the piece. */
export function* matchesIn(view: PieceView, pattern: RegExp): Generator<RegExpExecArray> {
  pattern.lastIndex = view.from
  for (;;) {
    const match = pattern.exec(view.text)
    if (!match) return
    if (match[0] === "") pattern.lastIndex++
    else {
      // A consumer may itself run the pattern; its place is kept here.
      const resume = pattern.lastIndex
      yield match
      pattern.lastIndex = resume
    }
  }
}
