/**
 * The extracted text as a file of UTF-8: written piece by piece, then read at any position. Only a few pages of it are
 * in memory, whatever its length.
 */
import { readSync, writeSync } from "node:fs"
import type { Characters } from "../../storage/document.ts"
import { Lru } from "../../threads/lru.ts"

/** Code units of a page; small enough that going back a little is cheap, large enough that pages are few. */
const PAGE_CHARS = 262_144
/** A slice lies in two pages at most, and cutting looks from one place to the next. */
const PAGES_IN_MEMORY = 4

interface Page {
  start: number
  text: string
}

export class TextFile implements Characters {
  /** Code units. */
  length = 0
  /** Per page: its first code unit, its first byte. */
  private readonly starts: number[] = []
  private readonly bytes: number[] = []
  private byteLength = 0
  private waiting: string[] = []
  private waitingLength = 0
  private readonly read = new Lru<number, Page>({ entries: PAGES_IN_MEMORY })
  private current: Page = { start: 0, text: "" }
  private failure: Error | undefined

  /** @param file open for writing and reading, and empty; the caller closes it */
  constructor(private readonly file: number) {}

  /** Well-formed text: no piece ends within a surrogate pair. */
  readonly write = (text: string): void => {
    this.waiting.push(text)
    this.waitingLength += text.length
    if (this.waitingLength >= PAGE_CHARS) this.flush()
  }

  /**
   * Everything written so far can be read afterwards.
   * @throws what the system says of a disk that does not take it, then and ever after: the text has a gap
   */
  flush(): void {
    this.throwIfFailed()
    try {
      this.writeWaiting()
    } catch (error) {
      this.failure = error as Error
      throw error
    }
  }

  /** @throws what a former write met with, which a reader may have taken for damage of a part of the document */
  throwIfFailed(): void {
    if (this.failure) throw this.failure
  }

  private writeWaiting(): void {
    const text = this.waiting.join("")
    this.waiting = []
    this.waitingLength = 0
    for (let at = 0; at < text.length; ) {
      const end = pageEnd(text, at + PAGE_CHARS)
      this.writePage(text.slice(at, end))
      at = end
    }
  }

  slice(start: number, end: number): string {
    const to = Math.min(end, this.length)
    let text = ""
    for (let at = start; at < to; ) {
      const page = this.pageAt(at)
      const stop = Math.min(to, page.start + page.text.length)
      text += page.text.slice(at - page.start, stop - page.start)
      at = stop
    }
    return text
  }

  charCodeAt(at: number): number {
    if (at < 0 || at >= this.length) return Number.NaN
    const page = this.pageAt(at)
    return page.text.charCodeAt(at - page.start)
  }

  private writePage(text: string): void {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.file, bytes, at)
    this.starts.push(this.length)
    this.bytes.push(this.byteLength)
    this.length += text.length
    this.byteLength += bytes.length
  }

  private pageAt(at: number): Page {
    const { current } = this
    if (at >= current.start && at < current.start + current.text.length) return current
    const number = this.numberOf(at)
    const page = this.read.get(number) ?? this.read.set(number, this.readPage(number))
    this.current = page
    return page
  }

  /** The last page that begins at or before `at`. */
  private numberOf(at: number): number {
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.starts[middle]! <= at) low = middle
      else high = middle - 1
    }
    return low
  }

  private readPage(number: number): Page {
    const from = this.bytes[number]!
    const bytes = Buffer.allocUnsafe((this.bytes[number + 1] ?? this.byteLength) - from)
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(this.file, bytes, at, bytes.length - at, from + at)
      if (count === 0) throw new Error("the text file is shorter than what was written")
      at += count
    }
    return { start: this.starts[number]!, text: bytes.toString("utf8") }
  }
}

/** `at`, or the position after it where it would split a surrogate pair. */
function pageEnd(text: string, at: number): number {
  if (at >= text.length) return text.length
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at
}
