/** The stretch of a growing text that is still being searched, plain (see normal.ts) and as it was given. */
import { LEFT_LENGTH } from "./clusters.ts"
import { PlainText } from "./normal.ts"
import { CONTEXT_LENGTH } from "./recognizers/recognizer.ts"

/** Text kept before the settled place: the longest look back of a rule or of the model. */
const KEPT_BEHIND = Math.max(CONTEXT_LENGTH, LEFT_LENGTH) + 80
/** Kept text may grow by this much before it is cut: cutting copies. */
const TRIM_STEP = 4096

export class ScannedText {
  /** The plain text from `base` on; all offsets count in it, unless they are called given. */
  text = ""
  base = 0
  /** Tells where a place of the plain text is in the given one. */
  readonly plain = new PlainText()
  private given = ""
  private givenBase = 0

  /** Where the plain text ends so far. */
  get end(): number {
    return this.base + this.text.length
  }

  /** Takes more text; returns what the plain text gains by it. */
  add(delta: string, final: boolean): string {
    const plainDelta = this.plain.push(delta, final)
    this.text += plainDelta
    this.given += delta
    return plainDelta
  }

  slice(from: number, to: number): string {
    return this.text.slice(from - this.base, to - this.base)
  }

  /** The given text between two given offsets; `from` not before the place that was settled last. */
  givenSlice(from: number, to: number): string {
    return this.given.slice(from - this.givenBase, to - this.givenBase)
  }

  /** Lets go of what no search looks back to any more. */
  forgetBefore(settled: number): void {
    const keepFrom = settled - KEPT_BEHIND - this.base
    if (keepFrom < TRIM_STEP) return
    this.text = this.text.slice(keepFrom)
    this.base += keepFrom
    const given = this.plain.endOf(settled)
    this.given = this.given.slice(given - this.givenBase)
    this.givenBase = given
    this.plain.forget(this.base)
  }
}
