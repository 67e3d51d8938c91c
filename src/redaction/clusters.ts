/**
 * Which parts of a text the entity model is asked about. A cluster is a stretch of words that could belong to a name
 * or an address; the model sees it between LEFT_WORDS before and RIGHT_WORDS behind, and only what it finds inside the
 * cluster counts. Cluster and window depend on nothing further to the right, so a stream that waits RIGHT_WORDS words
 * behind the last candidate asks exactly what the whole text would have asked. Where no capitals tell names from words,
 * every word is a candidate: such text is cut at the ends of its sentences.
 */
import { isCandidate } from "./candidates.ts"
import { hasUncasedLetter } from "./scripts.ts"

/** Words behind the last candidate that the model may see; each one delays a stream by one word. */
export const RIGHT_WORDS = 3
const LEFT_WORDS = 8
/** Left context in characters at most: also what a stream must keep of text that it has let go. */
export const LEFT_LENGTH = 240
/** A longer cluster is cut: it bounds what a stream holds back in lists of names and in unknown languages. */
const MAX_WORDS = 40
const MAX_LENGTH = 640
/** The same for text without capitals, and how much of it is enough to end at a sentence's end, in characters. */
const MAX_UNCASED_LENGTH = 144
const MIN_SENTENCE_LENGTH = 12
/** Left context of such text in characters: more than the model looks back. */
const UNCASED_LEFT_LENGTH = 36
/** A full stop behind a short word may belong to it: `डॉ.`, `ม.`. */
const SENTENCE_END = /(?:[!?…]|[\p{L}\p{M}]{4}\.)[\p{P}\s]*\s$|[؟۔।։。！？][\p{P}\s]*$/u

/** Stands for a value, or looks so; what a rule finds inside is found all the same. */
const REPLACEMENT = /\[REDACTED_[A-Z_]{1,32}\]/

/** Read in one go: a few milliseconds. */
const STEP_WORDS = 500

/** Words, for names: runs without white space; scripts without spaces in short runs between their punctuation. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]{1,12}|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3000-\u303f]{1,200}/gu

export interface Window {
  /** What the model reads: text offsets `[start, end)`. */
  start: number
  end: number
  /** What it is asked about. */
  clusterStart: number
  clusterEnd: number
}

interface Word {
  start: number
  end: number
  candidate: boolean
  /** A candidate of a script without capitals. */
  uncased: boolean
}

/** Finds clusters in a text that grows; offsets count from the beginning of the whole text. */
export class ClusterFinder {
  /** Words before the present place, the last LEFT_WORDS of them, and those of the open cluster. */
  private words: Word[] = []
  private at = 0
  private clusterFrom = -1
  private lastCandidate = -1

  /** Start of the open cluster or of an unfinished word; where neither is, the end of what was read. */
  get pending(): number {
    return this.clusterFrom >= 0 ? this.words[this.clusterFrom]!.start : this.at
  }

  /**
   * Reads on in `text` (whose first character has the offset `base`), at most STEP_WORDS words; returns the windows that
   * are complete, and whether all that can be read was read.
   */
  advance(text: string, base: number, final: boolean): { windows: Window[]; done: boolean } {
    const windows: Window[] = []
    for (let count = 0; count < STEP_WORDS; count++) {
      WORD.lastIndex = this.at - base
      const match = WORD.exec(text)
      const end = match ? match.index + match[0].length : text.length
      if (!match || (end === text.length && !final)) {
        // An unfinished word is read again when more has come.
        this.at = base + (match ? match.index : text.length)
        if (final) this.close(windows, this.signsBehind(text, base, text.length))
        return { windows, done: true }
      }
      this.at = base + end
      this.take(
        { start: base + match.index, end: base + end, candidate: false, uncased: false },
        match[0],
        text,
        base,
        windows,
      )
    }
    return { windows, done: false }
  }

  private take(word: Word, written: string, text: string, base: number, windows: Window[]): void {
    if (this.endsSentence(word, text, base)) {
      this.close(windows, this.signsBehind(text, base, word.start - base))
      // The next sentence speaks for itself.
      this.words = []
    }
    const before = this.words
      .slice(-LEFT_WORDS)
      .map(({ start, end }) => text.slice(Math.max(0, start - base), end - base))
    word.candidate = !REPLACEMENT.test(written) && isCandidate(written, before)
    word.uncased = word.candidate && hasUncasedLetter(written)
    this.words.push(word)
    const index = this.words.length - 1
    if (word.candidate) {
      if (this.clusterFrom < 0) this.clusterFrom = index
      this.lastCandidate = index
    }
    if (this.clusterFrom < 0) {
      if (this.words.length > 4 * LEFT_WORDS) this.words = this.words.slice(-LEFT_WORDS)
      return
    }
    const first = this.words[this.clusterFrom]!
    const length = word.end - first.start
    if (index - this.lastCandidate >= RIGHT_WORDS) this.close(windows)
    else if (word.uncased && length >= MAX_UNCASED_LENGTH) this.cut(windows)
    else if (index - this.clusterFrom + 1 >= MAX_WORDS || length >= MAX_LENGTH) this.close(windows)
  }

  /** Where the signs end that stand right behind the last word: wide ones belong to no word. @param next where more begins in `text` */
  private signsBehind(text: string, base: number, next: number): number | undefined {
    const last = this.words.at(-1)
    return last && last.end + /^\p{P}*/u.exec(text.slice(last.end - base, next))![0].length
  }

  /** The open cluster ends in text without capitals, and a sentence between its last word and the next. */
  private endsSentence(next: Word, text: string, base: number): boolean {
    const first = this.words[this.clusterFrom]
    const last = this.words.at(-1)
    if (!first || !last?.uncased || last.end - first.start < MIN_SENTENCE_LENGTH) return false
    return SENTENCE_END.test(text.slice(Math.max(0, last.end - base - 8), next.start - base))
  }

  /** Asks about the open cluster but for its last words, which the model sees behind it; they open the next one. */
  private cut(windows: Window[]): void {
    const words = this.words
    const kept = Math.max(this.clusterFrom + 1, words.length - RIGHT_WORDS)
    const end = words.at(-1)!.end
    const rest = words.slice(kept)
    this.words = words.slice(0, kept)
    this.lastCandidate = this.words.findLastIndex(({ candidate }) => candidate)
    this.close(windows, end)
    const at = this.words.length
    this.words.push(...rest)
    this.clusterFrom = this.words.findIndex(({ candidate }, index) => index >= at && candidate)
    this.lastCandidate = this.clusterFrom < 0 ? -1 : this.words.findLastIndex(({ candidate }) => candidate)
  }

  /** @param end where the window ends */
  private close(windows: Window[], end = this.words.at(-1)?.end): void {
    if (this.clusterFrom < 0 || end === undefined) return
    const first = this.words[this.clusterFrom]!
    const left = this.words.slice(Math.max(0, this.clusterFrom - LEFT_WORDS), this.clusterFrom)
    const leftLength = first.uncased ? UNCASED_LEFT_LENGTH : LEFT_LENGTH
    const start = left.find(word => word.start >= first.start - leftLength)?.start ?? first.start
    windows.push({ start, end, clusterStart: first.start, clusterEnd: this.words[this.lastCandidate]!.end })
    this.words = this.words.slice(-LEFT_WORDS)
    this.clusterFrom = -1
    this.lastCandidate = -1
  }
}
