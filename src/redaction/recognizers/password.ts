/** Passwords: in `password: …` forms, after command-line switches, inside connection strings. */
import type { Found, PieceView, RuleKind } from "./recognizer.ts"
import { ANY_SIGN, matchesIn } from "./recognizer.ts"
import { isPlaceholder } from "./secret-value.ts"

/** `scheme://user:password@host`; the password alone is the value. */
const CONNECTION =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@?#]{0,128}:([^\s/@]{1,256}(?:@(?=[^\s@/]*@)[^\s/@]*)?)@(?=[^\s@])/gi

/** Long enough to end other names: `db_password`, `PGPASSWORD`, `userPassphrase`. */
const LONG_NAME =
  "(?:pass(?:word|wd|wort|code|phrase)|kennwort|contraseña|contrasena|mot de passe|wachtwoord|senha|hasło|lösenord|пароль|密码|密碼|パスワード|비밀번호)"
const SHORT_NAME = "(?:(?<!\\p{L})(?:pwd|pass|parola))"
const NAME = `(?:${LONG_NAME}|${SHORT_NAME})`
/** A separator makes whatever follows the value. */
const ASSIGNED = new RegExp(
  `${NAME}["'\`\\]]{0,2}\\s{0,3}(?:=>|:=|==?|[:：])\\s{0,3}$|(?:^|\\s)--?(?:password|passwd|pwd|pass)(?:=|\\s{1,3})$`,
  "iu",
)
/** In a sentence only what does not look like a word of it: `the password is required` holds none. */
const SAID = new RegExp(
  `${NAME}(?:\\s(?:is|was|to|ist|est|es|é|è|for\\s\\S{1,40}\\sis|will\\sbe|should\\sbe|is\\snow|is\\sset\\sto)|,)?:?\\s{1,3}$`,
  "iu",
)
const OPEN_QUOTE = /^["'`“”‘’«]/
const WORD = /\S+/g

export const password: RuleKind = {
  category: "credentials",
  label: "password",
  precedence: 3,
  foundBy: "rules",
  needs: ANY_SIGN,
  find: findPasswords,
}

function findPasswords(view: PieceView): Found[] {
  const found: Found[] = []
  for (const match of matchesIn(view, CONNECTION)) {
    const end = match.index + match[0].length - 1
    const start = end - match[1]!.length
    if (!isPlaceholder(match[1]!)) found.push({ start, end, score: 0.95 })
  }
  for (const match of matchesIn(view, WORD)) {
    for (const start of valueStarts(match[0], match.index)) {
      const value = valueAt(view.text, start)
      if (value) found.push(value)
    }
  }
  return found
}

/** The beginning of the word, and behind each separator inside it: `db_password=…`, `?pwd=…`, `"password":"…"`. */
function valueStarts(word: string, index: number): number[] {
  const starts = [index]
  for (const separator of word.matchAll(/(?:=>|:=|==?|[:：])/g))
    starts.push(index + separator.index + separator[0].length)
  return starts
}

function valueAt(text: string, start: number): Found | undefined {
  const before = text.slice(Math.max(0, start - 80), start)
  const assigned = ASSIGNED.test(before)
  if (!assigned && !SAID.test(before)) return undefined
  const rest = text.slice(start)
  const quote = OPEN_QUOTE.exec(rest)?.[0]
  const value = quote ? quoted(rest, quote) : unquoted(rest, assigned)
  if (!value || isPlaceholder(value)) return undefined
  if (!assigned && !quote && (IS_ARGUMENT.test(value) || !looksChosen(value))) return undefined
  if (assigned && value.length < 3) return undefined
  const from = start + (quote?.length ?? 0)
  return { start: from, end: from + value.length, score: assigned ? 0.9 : 0.7 }
}

const CLOSING: Record<string, string> = { "“": "”", "‘": "’", "«": "»" }

function quoted(rest: string, quote: string): string {
  const end = rest.indexOf(CLOSING[quote] ?? quote, 1)
  return end < 0 ? (/^\S+/.exec(rest.slice(1))?.[0] ?? "") : rest.slice(1, end)
}

/** Up to the white space; punctuation that ends a sentence or a list is not part of it. */
function unquoted(rest: string, assigned: boolean): string {
  const word = /^[^\s"'`<>]+/.exec(rest)?.[0] ?? ""
  const value = assigned ? withoutTail(word, "),;]}").replace(/[.,]$/, "") : withoutTail(word, ").,;:!?]}")
  return assigned ? (value.split(/[&;](?=[A-Za-z_ ]+=)|,(?=\S{1,64}[:=])/)[0] ?? "") : value
}

/** Not a regular expression: one takes the square of the length in steps. */
function withoutTail(word: string, signs: string): string {
  let end = word.length
  while (end > 0 && signs.includes(word[end - 1]!)) end--
  return word.slice(0, end)
}

/** `pass header=0`, `passwd -apr1`, `password exec:/bin/ask`, `password (always`: how a program is called. */
const IS_ARGUMENT = /^[-(<[{]|[=(:/]|_[a-z]+$/i

/** Four characters or more of at least two sorts, a digit or a sign among them. */
const looksChosen = (value: string): boolean =>
  value.length >= 4 &&
  /[\p{L}]/u.test(value) &&
  (/\d/.test(value) || /[^\p{L}\d'’.,-]/u.test(value)) &&
  !/^\d+(?:st|nd|rd|th|ms|s|kb|mb)$/i.test(value)
