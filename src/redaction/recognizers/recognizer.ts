/** What every rule recognizer looks like: it searches one piece of text and says where values are. */

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
