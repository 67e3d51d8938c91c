/** Takes texts apart into sentences, list items and table rows. Pure. */
/** Ends of sentences: punctuation before a blank, an empty line, a line break. A few quotes and brackets may close it. */
const ENDS = /(?<=[.!?؟।॥۔]["'”’)\]]{0,6})\s+|(?<=[。！？]["'”’)\]]{0,6})\s*|\n\s*\n|\n/gu
/** "Dr. Hale" and "No. 7" are no ends. */
const ABBREVIATION = /(?:\b(?:dr|mr|mrs|ms|no|nr|st|vs|etc|e\.g|i\.e|approx|fig|art|sec)|\b\p{Lu})\.$/iu

/** What of a sentence tells whether it goes on: one of many abbreviations would be looked at again for each. */
const LOOK_BACK = 400

/** Sentences, list items and table rows, each exactly as it stands in the text. */
export const sentencesOf = (text: string): string[] =>
  sentenceSpans(text).map(({ start, end }) => text.slice(start, end))

/** Where they stand, in UTF-16 units. */
export function sentenceSpans(text: string): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = []
  const add = (from: number, to: number) => {
    const sentence = text.slice(from, to)
    const start = from + sentence.length - sentence.trimStart().length
    const end = from + sentence.trimEnd().length
    if (end > start) spans.push({ start, end })
  }
  let start = 0
  for (const end of text.matchAll(ENDS)) {
    const tail = text.slice(Math.max(start, end.index - LOOK_BACK), end.index).trim()
    if (end[0].includes("\n") ? runsOn(tail, text.slice(end.index), end[0]) : ABBREVIATION.test(tail)) continue
    add(start, end.index)
    start = end.index + end[0].length
  }
  add(start, text.length)
  return spans
}

/** A line of prose that breaks within its sentence, as lines of a page do; rows of a table do not. */
const runsOn = (sentence: string, rest: string, end: string): boolean =>
  end === "\n" && /^\n\p{Ll}/u.test(rest) && sentence.split(" ").length > 5 && !/[.!?:;]$/.test(sentence)

/** A line that names what follows and says nothing itself. */
export const isHeading = (sentence: string): boolean =>
  /^#/.test(sentence) ||
  (sentence.length < 120 && !/[.!?:;,|\t。！？।؟،；：、]/.test(sentence) && !/\p{N}/u.test(sentence))
