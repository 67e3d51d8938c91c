/**
 * What is stored of a document's pages beside its text, so that a passage is found on its page at once: reading a scan again
 * takes seconds. The first line is JSON, a row for each page; then come, packed, the words of each page that was recognized.
 * Pages whose text stands in the file have none: it is read again where it is needed, in milliseconds.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib"
import type { PageOutline, RecognizedWord, Sides } from "./page.ts"

/** A word that was recognized, in shares (0..1) of its page, with its place in the stored text of that page. */
export interface PlacedWord extends Sides {
  start: number
  end: number
  /** In the text a line ends before it. */
  beginsLine: boolean
}

/** A page as it was read. */
export interface ReadPage extends PageOutline {
  /** As they are stored; empty where none was recognized. */
  words: Uint8Array
}

/** A page as it is stored. */
export interface StoredPage extends PageOutline {
  /** Of its words, in bytes after the first line. */
  wordsAt: number
  wordsLength: number
}

/** Those of the words that stand in the text, which has them in their order. */
export function placedWords(text: string, words: readonly RecognizedWord[]): PlacedWord[] {
  const placed: PlacedWord[] = []
  let at = 0
  for (const { text: word, ...sides } of words) {
    let start = at
    while (/\s/.test(text[start] ?? "")) start++
    if (!text.startsWith(word, start)) continue
    placed.push({ ...sides, start, end: start + word.length, beginsLine: text.slice(at, start).includes("\n") })
    at = start + word.length
  }
  return placed
}

type Row = [
  width: number,
  height: number,
  start: number,
  end: number,
  startByte: number,
  endByte: number,
  ocr: 0 | 1,
  wordsLength: number,
]

export function layoutFile(pages: readonly ReadPage[]): Buffer {
  const rows = pages.map(
    ({ width, height, start, end, startByte, endByte, ocr, words }): Row => [
      ...([width, height, start, end, startByte, endByte] as const),
      ...([ocr ? 1 : 0, words.length] as const),
    ],
  )
  return Buffer.concat([Buffer.from(`${JSON.stringify(rows)}\n`), ...pages.map(({ words }) => words)])
}

/** @param line the first of the file. @throws where it was not written by `layoutFile` */
export function parseLayout(line: string): StoredPage[] {
  let wordsAt = 0
  return (JSON.parse(line) as Row[]).map(([width, height, start, end, startByte, endByte, ocr, wordsLength]) => {
    const page = { width, height, start, end, startByte, endByte, ocr: ocr === 1, wordsAt, wordsLength }
    wordsAt += wordsLength
    return page
  })
}

/** Steps of a page: a sixth of a pixel at 200 dpi. */
const STEPS = 10_000
/** Of one page; no page of a scan has a tenth. */
const MAX_WORDS_BYTES = 2 ** 22

/** Differences to the word before are small and packed well. */
export function packWords(words: readonly PlacedWord[]): Uint8Array {
  if (words.length === 0) return new Uint8Array()
  let [at, left, top, bottom] = [0, 0, 0, 0]
  const numbers = words.flatMap(word => {
    const step = (share: number) => Math.round(share * STEPS)
    const [x1, y1, x2, y2] = [step(word.left), step(word.top), step(word.right), step(word.bottom)]
    const skipped = (word.start - at) * 2 + (word.beginsLine ? 1 : 0)
    const row = [skipped, word.end - word.start, x1 - left, y1 - top, x2 - x1, y2 - bottom]
    ;[at, left, top, bottom] = [word.end, x2, y1, y2]
    return row
  })
  return deflateRawSync(JSON.stringify(numbers))
}

/** @throws where they were not written by `layoutFile` */
export function unpackWords(bytes: Uint8Array): PlacedWord[] {
  const numbers: number[] = JSON.parse(inflateRawSync(bytes, { maxOutputLength: MAX_WORDS_BYTES }).toString())
  let [at, left, top, bottom] = [0, 0, 0, 0]
  const words: PlacedWord[] = []
  for (let i = 0; i + 5 < numbers.length; i += 6) {
    const [skipped, length, x, y, width, lower] = numbers.slice(i, i + 6) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    const [x1, y1, y2] = [left + x, top + y, bottom + lower]
    const start = at + (skipped >>> 1)
    words.push({
      start,
      end: start + length,
      left: x1 / STEPS,
      top: y1 / STEPS,
      right: (x1 + width) / STEPS,
      bottom: y2 / STEPS,
      beginsLine: (skipped & 1) === 1,
    })
    ;[at, left, top, bottom] = [start + length, x1 + width, y1, y2]
  }
  return words
}
