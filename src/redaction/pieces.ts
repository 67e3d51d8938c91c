/**
 * Cuts text into pieces that no rule-found value crosses: words, and words that belong together such as the groups of
 * a card number, a quoted password or a private key. The cut after a word depends on the text before it and on the one
 * word behind it, never on more, so a stream and the whole text are cut alike and a stream waits for one word at most.
 */

/** Scripts that write without spaces end a word: rule-found values do not contain them. */
const WORD = /[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3000-\u303f]+/gu

/** Longest piece: above any token format and PEM key, and small enough to search again while it grows. */
const MAX_PIECE = 16_384
const MAX_QUOTED = 200

export interface Span {
  start: number
  end: number
}

/** The first word at or after an offset, cut at MAX_PIECE. */
function wordFrom(text: string, offset: number): Span | undefined {
  WORD.lastIndex = offset
  const match = WORD.exec(text)
  if (!match) return undefined
  const length = Math.min(match[0].length, MAX_PIECE)
  const cutsPair = length < match[0].length && /[\ud800-\udbff]/.test(match[0][length - 1]!)
  return { start: match.index, end: match.index + (cutsPair ? length - 1 : length) }
}

/**
 * The next piece at or after an offset.
 * @returns "none" where only white space is left; the offset at which an unfinished piece begins as `open`.
 */
export function nextPiece(text: string, offset: number, final: boolean): Span | "none" | { open: number } {
  const first = wordFrom(text, offset)
  if (!first) return "none"
  const isOpen = (word: Span) => !final && word.end === text.length
  if (isOpen(first)) return { open: first.start }
  const piece = { ...first }
  // Each word is looked at once, however long the piece grows.
  const signs: Signs = { dashes: false, quote: false, token: false }
  look(signs, text.slice(first.start, first.end))
  for (;;) {
    const glue = glueOf(text, piece, signs)
    if (!glue) return piece
    const next = wordFrom(text, piece.end)
    if (!next) {
      const gap = text.slice(piece.end)
      const mayBelong = glue.gap.test(gap) || glue.gap.test(`${gap}\n`) // between `\r` and `\n`
      return final || !mayBelong ? piece : { open: piece.start }
    }
    if (next.end - piece.start > MAX_PIECE || !glue.gap.test(text.slice(piece.end, next.start))) return piece
    if (isOpen(next)) return { open: piece.start }
    if (!glue.next.test(text.slice(next.start, next.end))) return piece
    look(signs, text.slice(next.start, next.end))
    piece.end = next.end
  }
}

/** What the words of a piece hold. */
interface Signs {
  dashes: boolean
  quote: boolean
  token: boolean
}

function look(signs: Signs, word: string): void {
  signs.dashes ||= word.includes("-----")
  signs.quote ||= /["'`]/.test(word)
  signs.token ||= word.includes("eyJ")
}

/** What must lie between a piece and the next word, and how that word must look, for it to belong to the piece. */
interface Glue {
  gap: RegExp
  next: RegExp
}

const DIGITS: Glue = {
  gap: /^[ \t]{0,3}$/,
  next: /^(?:[(+]?\d|[-–/.]$|(?:x|ext\.?|extension|office|fax|mobile|cell|home|work)(?!\p{L}))/iu,
}
const IBAN: Glue = { gap: /^ {0,3}$/, next: /^[A-Z0-9]{1,4}(?![A-Z0-9])/i }
const QUOTE: Glue = { gap: /^[^\n]{0,40}$/, next: /./ }
const PEM_HEAD: Glue = { gap: /^ $/, next: /^[A-Z0-9]+(?:-----.*)?$/s }
const PEM_BODY: Glue = {
  gap: /^[ \t]*(?:\r?\n[ \t>]*){1,2}$|^ $/,
  next: /^(?:[A-Za-z0-9+/=\\]{1,}["',;]*|-----END|(?:Proc-Type|DEK-Info|Version|Comment):|[\w,-]*ENCRYPTED|[A-Z0-9-]+,[A-F0-9]+)/,
}

/** What follows tells a telephone number from an amount. */
const COUNTED: Glue = { gap: /^[ \t]{1,3}$/, next: /^/ }
const IN_THREES = /(?:^|[^\d.,-])[2-9]\d{2}([ .-])\d{3}\1\d{3}$/
/** A token that is broken over lines: the lines hold nothing else but the marks of a quotation and of a line that goes on. */
const JWT_LINE: Glue = { gap: /^[ \t]*\r?\n[ \t]*$/, next: /^(?:[A-Za-z0-9_.-]{1,512}["',;\\]*|[>|]{1,8})$/ }
const JWT_QUOTED: Glue = { gap: /^[ \t]*$/, next: JWT_LINE.next }
const ENDS_IN_MARK = /\n[ \t]*[>|][>| \t]*$/

const ENDS_IN_DIGITS = /(?:\d[)\].]?|\d\)?[-–/]|^[(+][\d)-]*|\d[ \t]+[-–/.])$/
const IN_IBAN = /(?:^|[^A-Z0-9])[A-Z]{2}\d{2}(?:[A-Z0-9 .-]*[A-Z0-9])?$/i
const BEGINS_JWT = /(?:^|[^A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}[A-Za-z0-9_.-]*\\?$/
/** Shorter lines are not broken ones. */
const MIN_TOKEN_LINE = 20
const IN_PEM_HEAD = /-----BEGIN(?: [A-Z0-9]+){0,5}$|-----END(?: [A-Z0-9]+){0,5}$/
const AFTER_PEM_HEAD = /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/
const OPEN_SECRET =
  /(?:pass(?:word|wd|wort|code|phrase)?|pwd|secret|kennwort)["'`]{0,2}\s{0,3}(?:[:=]|is:?|was)\s{0,3}(["'`])(?:(?!\1).){0,200}$/i

function glueOf(text: string, piece: Span, signs: Signs): Glue | undefined {
  const words = text.slice(piece.start, piece.end)
  if (signs.dashes) {
    if (IN_PEM_HEAD.test(words)) return PEM_HEAD
    if (AFTER_PEM_HEAD.test(words)) return words.includes("-----END") ? undefined : PEM_BODY
  }
  if (signs.quote) {
    const open = OPEN_SECRET.exec(text.slice(Math.max(0, piece.start - 40), piece.end))
    if (open && piece.end - piece.start < MAX_QUOTED) return QUOTE
  }
  if (signs.token && isOpenToken(words)) return ENDS_IN_MARK.test(words) ? JWT_QUOTED : JWT_LINE
  const tail = words.slice(-64)
  if (IN_IBAN.test(tail)) return IBAN
  if (IN_THREES.test(tail)) return COUNTED
  return ENDS_IN_DIGITS.test(tail) ? DIGITS : undefined
}

/** The first line ends in the beginning of a token, and every further one was as long as the first, or longer. */
function isOpenToken(words: string): boolean {
  const end = words.indexOf("\n")
  const first = /\S*$/.exec(words.slice(0, end < 0 ? MAX_PIECE : end).trimEnd())![0]
  if (first.length < MIN_TOKEN_LINE || !BEGINS_JWT.test(first)) return false
  const last = words
    .slice(words.lastIndexOf("\n") + 1)
    .replace(/^[\s>|]+/, "")
    .trimEnd()
  return end < 0 || ENDS_IN_MARK.test(words) || last.length >= Math.min(first.length - 8, MIN_TOKEN_LINE)
}
