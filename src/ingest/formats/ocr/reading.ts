/** What Tesseract's table of words says of a page. */

/** In pixels of the picture as it was turned. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** One line of the page. */
export interface Line extends Box {
  text: string
  words: (Box & { text: string; confidence: number })[]
}

export interface Reading {
  /** Empty where it is junk. */
  text: string
  /** 0..100, mean of the words. */
  confidence: number
  /** Junk included. */
  words: number
  lines: Line[]
  /** Of the picture as it was turned, pixels. */
  width: number
  height: number
}

/** The row of the page; its size stands where that of a word does. */
const PAGE_LEVEL = "1"
/** Word rows: level 5, numbers of block, paragraph and line, …, box, confidence, text. */
const WORD_LEVEL = "5"
/** Confidence of a word that is hardly ever junk. */
const SURE = 60
const SIGN =
  "[\\p{sc=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\u3000-\\u303f\\uff00-\\uffef]"
const TWO_LETTERS = /[\p{L}\p{N}]{2}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u

export function readTsv(tsv: string): Reading {
  const lines: Line[] = []
  let text = ""
  let [pageWidth, pageHeight] = [0, 0]
  let place: string[] = []
  let before: Box | undefined
  for (const row of tsv.split("\n")) {
    const cells = row.split("\t")
    if (cells[0] === PAGE_LEVEL) [pageWidth, pageHeight] = [Number(cells[8]), Number(cells[9])]
    const word = cells[11]?.trim()
    if (cells[0] !== WORD_LEVEL || !word) continue
    const [left, top, width, height, confidence] = cells.slice(6, 11).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ]
    const box = { left, top, right: left + width, bottom: top + height }
    const here = cells.slice(2, 5)
    const isNewBlock = here[0] !== place[0] || here[1] !== place[1]
    if (isNewBlock || here[2] !== place[2]) {
      if (text) text += isNewBlock ? "\n\n" : "\n"
      lines.push({ ...box, text: "", words: [] })
      before = undefined
    }
    const line = lines.at(-1)!
    const added = before && !areJoined(line.text, word, before, box) ? ` ${word}` : word
    text += added
    line.text += added
    line.words.push({ ...box, text: word, confidence })
    enlarge(line, box)
    place = here
    before = box
  }
  const all = lines.flatMap(({ words }) => words)
  const confidence = all.reduce((sum, word) => sum + word.confidence, 0) / Math.max(1, all.length)
  return {
    text: isJunk(all, confidence) ? "" : text,
    confidence,
    words: all.length,
    lines,
    width: pageWidth,
    height: pageHeight,
  }
}

function enlarge(line: Line, { left, top, right, bottom }: Box): void {
  line.left = Math.min(line.left, left)
  line.top = Math.min(line.top, top)
  line.right = Math.max(line.right, right)
  line.bottom = Math.max(line.bottom, bottom)
}

const ENDS_IN_SIGN = new RegExp(`${SIGN}[!-/:-@]*$`, "u")
const BEGINS_WITH_SIGN = new RegExp(`^${SIGN}`, "u")
const MARK = /^[,.;:!?)]/
const DIGIT = /^\d|\d$/
/** Korean: blanks are .28 of the height of a line and more, what Tesseract takes for blanks is .24 at most. */
const BLANK = 0.26
const BEGINS_WITH_SYLLABLE = /^\p{sc=Hangul}/u
const ENDS_IN_SYLLABLE = /[\p{sc=Hangul}\d]$/u

/** Tesseract parts the signs of scripts that know no blanks, and the syllables of Korean words. */
function areJoined(before: string, word: string, left: Box, right: Box): boolean {
  if (ENDS_IN_SIGN.test(before)) return BEGINS_WITH_SIGN.test(word) || MARK.test(word) || DIGIT.test(word)
  if (BEGINS_WITH_SIGN.test(word)) return DIGIT.test(before)
  const height = Math.min(left.bottom - left.top, right.bottom - right.top)
  return BEGINS_WITH_SYLLABLE.test(word) && ENDS_IN_SYLLABLE.test(before) && right.left - left.right < height * BLANK
}

/** What Tesseract sees in photographs without writing: a few short "words" that it doubts itself. */
function isJunk(words: Line["words"], mean: number): boolean {
  const sure = words.filter(({ text, confidence }) => confidence >= SURE && TWO_LETTERS.test(text)).length
  return sure === 0 || (mean < 40 && sure < 5)
}

/** Letters of words that are hardly junk: how much a reading got out of a page. */
export const sureLetters = ({ lines }: Reading): number =>
  lines
    .flatMap(({ words }) => words)
    .reduce((sum, { text, confidence }) => sum + (confidence >= SURE ? [...text].length : 0), 0)

export const confidenceOf = ({ words }: Line): number =>
  words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) /
  Math.max(
    1,
    words.reduce((sum, { text }) => sum + text.length, 0),
  )

/** Lines below this are often in a language that was not asked for. */
const DOUBTED_LINE = 75

/** Lines that the languages of the reading may not be those of; longest first. */
export const doubtedLines = ({ lines }: Reading): Line[] =>
  lines.filter(line => confidenceOf(line) < DOUBTED_LINE).sort((a, b) => b.right - b.left - (a.right - a.left))

/** By width, 0..1: letters of a foreign script are read as more or fewer. */
export const doubtedShare = (reading: Reading): number => shareOf(reading, doubtedLines(reading))

function shareOf(reading: Reading, part: Line[]): number {
  const widthOf = (lines: Line[]) => lines.reduce((sum, { left, right }) => sum + right - left, 0)
  return widthOf(part) / Math.max(1, widthOf(reading.lines))
}

const LATIN_WORD = /^["'(]?[A-Za-zÀ-ɏ'’-]{4,}[.,;:!?)"']*$/
const OTHER_WORD = /^\P{sc=Latin}*[^\P{L}\p{sc=Latin}]{2,}\P{sc=Latin}*$/u
const CERTAIN = 85

/** Words in letters of Latin, or of other scripts, that were read with certainty. Look-alikes make no words of that length. */
export const certainWords = ({ lines }: Reading, inLatin: boolean): number =>
  lines
    .flatMap(({ words }) => words)
    .filter(({ text, confidence }) => confidence >= CERTAIN && (inLatin ? LATIN_WORD : OTHER_WORD).test(text)).length

const isNoise = (line: Line): boolean => confidenceOf(line) < SURE

/** By width, 0..1. Latin letters with marks, where only English is installed, are doubted but no noise. */
export const noiseShare = (reading: Reading): number => shareOf(reading, reading.lines.filter(isNoise))

/** Without the lines that were read as noise. */
export const withoutNoise = ({ lines }: Reading): string =>
  lines
    .filter(line => !isNoise(line))
    .map(({ text }) => text)
    .join("\n")
