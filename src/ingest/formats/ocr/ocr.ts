/**
 * Reads pictures of writing, in the languages that are installed. A page is read with the languages of the page before it in
 * its file, at first with English. Where lines are doubtful, the shapes of the letters tell which scripts there are, and a
 * trial on some lines which languages; where the text is of one script, its words tell the language. What is found so is
 * kept only where it reads the page better.
 */
import { ExtractionError } from "../../../storage/document.ts"
import type { RecognizedText } from "../extractor.ts"
import { type Core, openCore, type Writing } from "./core.ts"
import { ENGLISH, findLanguages, type OcrLanguageSources, ofScripts } from "./languages.ts"
import { Picture, type Turn } from "./picture.ts"
import {
  certainWords,
  confidenceOf,
  doubtedLines,
  doubtedShare,
  noiseShare,
  type Reading,
  sureLetters,
  withoutNoise,
} from "./reading.ts"
import { Recognizers } from "./recognizers.ts"
import { LATIN, scriptOf, scriptSeenAs, scriptsLike } from "./scripts.ts"
import { spokenLanguages } from "./spoken.ts"
import { sizeBefore, wordPlaces } from "./word-places.ts"

/** Mean confidence of a page on its head: 38 and 39, where the same page upright has 95. */
const DOUBTED = 60
/** Fewer are a photograph's. */
const ENOUGH_WORDS = 5
/** Share of the lines, by width, from which on another language is looked for. */
const DOUBTED_SHARE = 0.08
/** Scripts with fewer letters than this share of the most frequent one's are look-alikes. */
const FEW_LETTERS = 0.1
/** The same for scripts whose language is missing: of that the operator is told. */
const MANY_LETTERS = 0.3
const ENOUGH_LETTERS = 12
/** Share of the most frequent script's letters from which on another may be the page's as well: Hebrew is taken for Thai. */
const NEARLY = 0.8
/** Lines that are tried, and languages: each trial loads one. */
const TRIED_LINES = 3
const TRIED_LANGUAGES = 6
/** Confidence of a line that another language must reach, and what it must gain, before it is believed. */
const CONVINCING = 65
const GAIN = 8
/** Words that were read with certainty before their language is kept beside others. */
const SOME_WORDS = 2
/** What one page is read with; each language makes reading slower. */
const MAX_LANGUAGES = 3

interface Page {
  picture: Picture
  turn: Turn
}

interface Found extends Reading {
  languages: readonly string[]
  /** Names of scripts that no installed language reads. */
  missing: string[]
  /** As the picture stood for it. */
  turn: Turn
}

const HALF = 2

const turnedBy = ({ picture, turn }: Page, quarters: number): Page => ({
  picture,
  turn: { ...turn, quarters: turn.quarters + quarters },
})

export class Ocr {
  private core: Promise<Core> | undefined
  private recognizers: Recognizers | undefined
  private installed = new Map<string, string>()
  private expected: readonly string[] = [ENGLISH]

  constructor(private readonly sources: OcrLanguageSources = {}) {}

  /** What is installed is looked at anew, and what former pages were in is forgotten. To be called before each file. */
  beginFile(): void {
    this.installed = new Map()
    this.expected = [ENGLISH]
  }

  /**
   * Reads one picture; blocks this process meanwhile. Lines that slant are set straight first (at 10 degrees hardly a word
   * is read otherwise), and a page that stands on its head is turned.
   * @throws where the picture cannot be decoded; ExtractionError where recognition cannot start.
   */
  async recognize(image: Uint8Array): Promise<RecognizedText> {
    const recognizers = await this.start()
    const picture = new Picture(recognizers, image)
    try {
      const page: Page = { picture, turn: { quarters: 0, radians: picture.skew() } }
      const found = this.isFixed ? this.readTurned(page) : this.read(page)
      const { text, confidence, missing } = found
      const places = { words: wordPlaces(found, found.turn), size: sizeBefore(found, found.turn) }
      return missing.length === 0
        ? { text, confidence, ...places }
        : { text: withoutNoise(found), confidence, missing, ...places }
    } finally {
      picture.close()
    }
  }

  private get isFixed(): boolean {
    return this.sources.folder !== undefined
  }

  private async start(): Promise<Recognizers> {
    try {
      this.core ??= openCore()
      const core = await this.core
      if (this.installed.size === 0) {
        this.installed = findLanguages(this.sources)
        this.recognizers?.forgetAll()
        if (this.isFixed) this.expected = [...this.installed.keys()]
      }
      this.recognizers ??= new Recognizers(core, language => this.installed.get(language)!)
      this.recognizers.open(this.expected)
      return this.recognizers
    } catch (error) {
      throw new ExtractionError("internal_error", "the text recognition could not be started", true, { cause: error })
    }
  }

  private readWith(page: Page, languages: readonly string[]): Found {
    return { ...page.picture.read(languages, page.turn), languages, missing: [], turn: page.turn }
  }

  /** As it stands, and on its head where that is doubtful. */
  private readTurned(page: Page, upright = this.readWith(page, this.expected)): Found {
    if (upright.confidence > DOUBTED || upright.words < ENOUGH_WORDS) return upright
    const turned = this.readWith(turnedBy(page, HALF), this.expected)
    return turned.confidence > upright.confidence ? turned : upright
  }

  private read(page: Page): Found {
    let found = this.readWith(page, this.expected)
    if (isDoubtful(found)) found = this.lookCloser(page, found)
    found = this.inItsLanguages(page, found)
    if (!isDoubtful(found)) this.expected = found.languages
    return found
  }

  /** Sets the page upright where it was not. */
  private lookCloser(page: Page, first: Found): Found {
    const writing = page.picture.look(page.turn)
    if (!writing) return this.readTurned(page, first)
    let found = first
    if (writing.turn !== 0) {
      const turned = turnedBy(page, writing.turn)
      found = this.readWith(turned, this.expected)
      page.turn = turned.turn
      if (!isDoubtful(found)) return found
    }
    const scripts = scriptsOf(writing).filter(({ name }) => name !== LATIN || !this.expected.some(isLatin))
    const chosen = this.tryLanguages(page, found, scripts)
    if (chosen.length > 0) {
      const proven = found.languages.filter(language => certainWords(found, isLatin(language)) >= SOME_WORDS)
      const other = this.readWith(page, [...new Set([...chosen, ...proven])].slice(0, MAX_LANGUAGES))
      if (sureLetters(other) > sureLetters(found)) found = other
    }
    if (!isDoubtful(found)) return found
    const missing = isPartlyNoise(found) ? this.missingOf(scripts) : []
    if (missing.length === 0 && chosen.length === 0 && writing.turn === 0) return this.readTurned(page, found)
    return { ...(sureLetters(first) > sureLetters(found) ? first : found), missing }
  }

  /** Of each kind of writing the language that reads the doubtful lines best, the most successful first. */
  private tryLanguages(page: Page, found: Found, scripts: readonly SeenScript[]): string[] {
    const lines = doubtedLines(found).slice(0, TRIED_LINES)
    const likely = [...new Set(scripts.flatMap(({ name }) => scriptsLike(name)))]
    const latin = likely.includes(LATIN) ? [ENGLISH] : [] // their letters are nearly the same
    const trials = [...latin, ...ofScripts(this.installed.keys(), likely).filter(language => !isLatin(language))]
      .slice(0, TRIED_LANGUAGES)
      .map(language => ({ language, read: page.picture.readLines(language, page.turn, lines) }))
    const wins = new Map<string, number>()
    for (const [i, line] of lines.entries()) {
      const needed = Math.max(CONVINCING, confidenceOf(line) + GAIN)
      for (const { language, read } of trials)
        if (read[i]! >= needed) wins.set(language, (wins.get(language) ?? 0) + read[i]! * (line.right - line.left))
    }
    const kinds = new Set<string>()
    return [...wins]
      .sort((a, b) => b[1] - a[1])
      .map(([language]) => language)
      .filter(language => {
        const [kind] = scriptsLike(scriptOf(language)) as [string]
        return !kinds.has(kind) && kinds.add(kind)
      })
  }

  /** The script that the page is mostly in, where it is not installed, and those that it may be as well. */
  private missingOf([most, ...others]: readonly SeenScript[]): string[] {
    if (!most || most.share < MANY_LETTERS || most.letters < ENOUGH_LETTERS) return []
    return [most, ...others.filter(({ letters }) => letters >= most.letters * NEARLY)]
      .map(({ name }) => name)
      .filter(name => name !== LATIN && ofScripts(this.installed.keys(), [name]).length === 0)
  }

  /** Of a script with several installed languages, the words tell which. */
  private inItsLanguages(page: Page, found: Found): Found {
    const spoken = spokenLanguages(found, this.installed)
    if (spoken.length === 0 || spoken.every(language => found.languages.includes(language))) return found
    const told = new Set(spoken.map(scriptOf))
    const others = found.languages.filter(language => !told.has(scriptOf(language)))
    const order =
      scriptOf(found.languages[0]!) === scriptOf(spoken[0]!) ? [...spoken, ...others] : [...others, ...spoken]
    const better = this.readWith(page, order.slice(0, MAX_LANGUAGES))
    return better.confidence > found.confidence ? { ...better, missing: found.missing } : found
  }
}

const isDoubtful = (reading: Reading): boolean => reading.words === 0 || doubtedShare(reading) >= DOUBTED_SHARE

/** There are words, or lines, that are to be left out. */
const isPartlyNoise = (reading: Reading): boolean => reading.words === 0 || noiseShare(reading) >= DOUBTED_SHARE

const isLatin = (language: string): boolean => scriptOf(language) === LATIN

interface SeenScript {
  name: string
  letters: number
  /** Of the most frequent script, Latin included. */
  share: number
}

/** The most frequent first. */
function scriptsOf({ scripts }: Writing): SeenScript[] {
  const named = scripts.flatMap(({ name: seen, letters }) => {
    const name = scriptSeenAs(seen)
    return name === undefined ? [] : [{ name, letters }]
  })
  const most = Math.max(1, ...named.map(({ letters }) => letters))
  return named
    .filter(({ name, letters }, i) => letters >= most * FEW_LETTERS && named.findIndex(one => one.name === name) === i)
    .map(script => ({ ...script, share: script.letters / most }))
}
