/** Where a reader is led to within a document: sentences that support an answer, and what was searched for. */

/** Offsets into the extracted text, in UTF-16 code units. */
export interface Span {
  start: number
  end: number
}

/** More than that nobody steps through. */
const MAX_MATCHES = 1_000

/** Every place of the words as they are written, whatever their case. */
export function matchesOf(text: string, words: string): Span[] {
  const wanted = words.trim()
  if (!wanted) return []
  const pattern = new RegExp(RegExp.escape(wanted).replace(/(?:\\x20| )+/g, "\\s+"), "giu")
  const found: Span[] = []
  for (const { 0: match, index } of text.matchAll(pattern)) {
    found.push({ start: index, end: index + match.length })
    if (found.length === MAX_MATCHES) break
  }
  return found
}

/** The sentences of an answer that cite a passage, without their marks. */
export function claimOf(answer: string, index: number): string {
  const citing = [...sentencesOf(answer)].filter(({ segment }) =>
    [...segment.matchAll(/\[([\d,; ]+)\]/g)].some(([, list]) => list!.split(/[,;]/).map(Number).includes(index)),
  )
  return citing.map(({ segment }) => segment.replace(/\[[\d,; ]+\]/g, " ")).join(" ")
}

/** Share of the best sentence's words that another one needs to be marked as well. */
const NEARLY_AS_GOOD = 0.7

/**
 * The sentences of a passage that have most words in common with what an answer says; the whole passage where none has any,
 * as of an answer in another language.
 */
export function supportOf(text: string, passage: Span, claim: string | undefined): Span[] {
  const wanted = wordsOf(claim ?? "")
  if (wanted.size === 0) return [passage]
  const scored = [...sentencesOf(text.slice(passage.start, passage.end))].map(({ segment, index }) => {
    const start = passage.start + index + segment.search(/\S|$/)
    const end = passage.start + index + segment.trimEnd().length
    return { start, end, score: wanted.intersection(wordsOf(segment)).size }
  })
  const best = Math.max(0, ...scored.map(({ score }) => score))
  if (best === 0) return [passage]
  return scored.filter(({ score }) => score > best * NEARLY_AS_GOOD).map(({ start, end }) => ({ start, end }))
}

const sentencesOf = (text: string) => new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)

/** One character says little, but in scripts that write no blanks it may be a word. */
const isWord = (text: string): boolean => text.length > 2 || /[\p{Script=Han}\p{Script=Hangul}]/u.test(text)

function wordsOf(text: string): Set<string> {
  const parts = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text.toLowerCase())
  return new Set([...parts].flatMap(({ segment, isWordLike }) => (isWordLike && isWord(segment) ? [segment] : [])))
}

export const overlaps = (one: Span, other: Span): boolean => one.start < other.end && one.end > other.start
