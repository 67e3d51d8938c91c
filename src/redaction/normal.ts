/**
 * Text as the search reads it: without characters that nobody sees, with plain digits, letters, spaces and dashes, so
 * that `４１１１`, a soft hyphen, a narrow space or the stroke of an escaped sign (`anna\.smith@`) hides nothing. Offsets are
 * translated back: what is found is replaced in the text as it was given.
 */

/** Soft hyphen, joiners, directions and other signs without a glyph. */
const INVISIBLE = "\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
/** As Markdown and expressions write a sign that would mean something there. */
const ESCAPE = "\\\\(?=[-._@+])"
/** Mathematical digits and such of other scripts; some lie beyond the first plane, two units each. */
const SIGNS = `[${INVISIBLE}]|[\\uff01-\\uff5e]|[\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]|[\\u2010-\\u2015\\u2212\\ufe58\\ufe63]|(?![0-9])\\p{Nd}`
const SPECIAL = new RegExp(`${ESCAPE}|${SIGNS}`, "gu")
const SIGN = new RegExp(SIGNS, "u")
const IS_UNSEEN = new RegExp(`^[${INVISIBLE}\\\\]$`)
const IS_DASH = /^[\u2010-\u2015\u2212\ufe58\ufe63]$/

/** The plain character for a special one; "" for those that are passed over; `before` is what stands before it. */
function plainOf(special: string, before: string): string {
  const code = special.codePointAt(0)!
  if (IS_UNSEEN.test(special)) return ""
  if (/^\s$/.test(special)) return " "
  // Between words a dash says something else than between the groups of a number.
  if (IS_DASH.test(special)) return /[0-9A-Z ]$/.test(before) ? "-" : special
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
  return digitOf(code)
}

const digits = new Map<number, string>()

/** Decimal digits stand in rows of ten, zero first; the mathematical rows follow one another. */
function digitOf(code: number): string {
  const known = digits.get(code)
  if (known !== undefined) return known
  let zero = code
  if (code >= 0x1d7ce && code <= 0x1d7ff) zero -= (code - 0x1d7ce) % 10
  else while (zero > code - 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--
  const digit = String(code - zero)
  digits.set(code, digit)
  return digit
}

/** The given text from one place on runs in step with the plain one, until the next stretch begins. */
interface Stretch {
  plain: number
  given: number
  /** The units passed over right before it belong to the character before it. */
  ofCharacterBefore: boolean
}

/** Both forms of a text that grows, and the way between their offsets. */
export class PlainText {
  private stretches: Stretch[] = [{ plain: 0, given: 0, ofCharacterBefore: false }]
  private plainLength = 0
  private givenLength = 0
  private last = ""
  /** Half of a pair, or a stroke whose sign is to come, that the last delta ended with. */
  private half = ""

  /** Takes more of the given text; returns what the plain text gains. */
  push(delta: string, final: boolean): string {
    let text = this.half + delta
    this.half = !final && /[\ud800-\udbff\\]$/.test(text) ? text.slice(-1) : ""
    text = text.slice(0, text.length - this.half.length)
    let plain = ""
    let at = 0
    for (const { 0: special, index } of text.matchAll(SPECIAL)) {
      plain += this.take(text.slice(at, index))
      plain += this.replace(special)
      at = index + special.length
    }
    return plain + this.take(text.slice(at))
  }

  private take(part: string): string {
    this.plainLength += part.length
    this.givenLength += part.length
    this.last = (this.last + part).slice(-2)
    return part
  }

  private replace(special: string): string {
    const plain = plainOf(special, this.last.slice(-1))
    this.plainLength += plain.length
    this.givenLength += special.length
    if (plain.length !== special.length)
      this.stretches.push({ plain: this.plainLength, given: this.givenLength, ofCharacterBefore: plain !== "" })
    this.last = (this.last + plain).slice(-2)
    return plain
  }

  /** Where the given character stands that became the plain one at this offset. */
  startOf(offset: number): number {
    const { plain, given } = this.stretchAt(offset)
    return given + offset - plain
  }

  /** Where the given character before this plain offset ends. */
  endOf(offset: number): number {
    if (offset === 0) return 0
    const at = this.stretchAt(offset)
    if (at.plain === offset && at.ofCharacterBefore) return at.given
    const before = this.stretchAt(offset - 1)
    return before.given + offset - before.plain
  }

  /** The plain offset for a given one; of a character that is passed over, that of the next one. */
  plainOf(given: number): number {
    const index = this.indexAt(given, "given")
    const at = this.stretches[index]!
    return Math.min(at.plain + given - at.given, this.stretches[index + 1]?.plain ?? this.plainLength)
  }

  /** All of the given text that was taken. */
  get length(): number {
    return this.givenLength
  }

  private stretchAt(offset: number): Stretch {
    return this.stretches[this.indexAt(offset, "plain")]!
  }

  /** The last stretch that begins at or before an offset. */
  private indexAt(offset: number, side: "plain" | "given"): number {
    let low = 0
    let high = this.stretches.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.stretches[middle]![side] <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Offsets before this plain one are not asked for any more. */
  forget(before: number): void {
    const keep = this.stretches.findLastIndex(({ plain }) => plain < before)
    if (keep > 0) this.stretches = this.stretches.slice(keep)
  }
}

/** An expression that looks for what the plain text has not: such signs, or a stroke itself. */
export const isSpecial = (pattern: string): boolean => SIGN.test(pattern) || pattern.includes("\\\\")
