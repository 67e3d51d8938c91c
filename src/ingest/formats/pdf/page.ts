/** What is known of one page of a PDF while it is read, and how what was found otherwise compares with its own text. */
import type { RecognizedWord } from "../../pages/page.ts"
import { familiarity, type Legibility, legibility } from "../text/legibility.ts"
import { type PageBlock, pageBlocks } from "./page-blocks.ts"
import type { PageText } from "./pdfium.ts"

/** Longer texts are long enough. */
const COUNTED_CHARS = 4000
/** Words that a page shows replace its doubtful text when they are recognized as surely as this … */
const SURE_CONFIDENCE = 70
/** … and hardly any of them stand in that text. */
export const SHARED_WORDS = 0.4
/** A text in which most letter triples are common ones is language. */
export const CLEARLY_FAMILIAR = 0.25

export interface Page {
  blocks: PageBlock[]
  /** Letters and digits that are printed on it, see `letterCount`. */
  letters: number
  legibility: Legibility
  /** What was filled in, a line each: it is also told where the text of the page is not to be had from the file. */
  entries: string[]
  comments: string[]
  /** Files hang on it. */
  files: boolean
  /** Where its words stand, if its text was recognized. */
  words?: readonly RecognizedWord[]
}

const paragraph = (text: string): PageBlock => ({ kind: "paragraph", text })

export function readPage(page: PageText): Page {
  const { printed, unmapped, entries, unplaced, comments, files } = page
  return {
    blocks: [...pageBlocks(page), ...unplaced.map(paragraph)],
    letters: letterCount(printed),
    legibility: legibility(printed, unmapped),
    entries,
    comments,
    files,
  }
}

export const unloaded = (): Page => ({
  blocks: [],
  letters: 0,
  legibility: "clear",
  entries: [],
  comments: [],
  files: false,
})

/** The text of a page that was found otherwise, and what was filled in as far as it does not say that. */
export function replace(page: Page, text: string): void {
  const flat = flatten(text)
  const missing = page.entries.filter(entry => !flat.includes(flatten(entryValue(entry))))
  page.blocks = [...text.split(/\n{2,}/), ...missing].map(paragraph)
  page.letters = letterCount(text)
}

export const flatten = (text: string) => text.toLowerCase().replace(/\s+/g, " ").trim()
const entryValue = (line: string) => line.slice(line.indexOf(": ") + 1).trim()
const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []

/** Share (0..1) of the words of `text` that stand in the page's own. */
export function sharedWords(text: string, page: Page): number {
  const own = new Set(page.blocks.flatMap(block => wordsOf(block.text)))
  const words = wordsOf(text)
  return words.length === 0 ? 0 : words.filter(word => own.has(word)).length / words.length
}

/** True where what a page shows was recognized surely, reads like language, and is not what its text says. */
export function contradicts(text: string, confidence: number, page: Page): boolean {
  return (
    confidence >= SURE_CONFIDENCE &&
    (familiarity(text) ?? 0) >= CLEARLY_FAMILIAR &&
    sharedWords(text, page) < SHARED_WORDS
  )
}

/** Letters and digits, of a long text only about how many. */
export function letterCount(text: string): number {
  return text.length > COUNTED_CHARS ? COUNTED_CHARS : (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0)
}
