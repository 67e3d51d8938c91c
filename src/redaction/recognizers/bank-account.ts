/** Bank accounts: IBANs by country length and mod-97, US routing numbers and account numbers where words say so. */
import type { Found, PieceView, RuleKind } from "./recognizer.ts"
import { contextBefore, matchesIn, SIGN } from "./recognizer.ts"

/** Length of an IBAN per country (SWIFT IBAN registry). */
const IBAN_LENGTHS: Record<string, number> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BI: 27,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DJ: 27,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FK: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HN: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LC: 32,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  LY: 25,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MN: 20,
  MR: 27,
  MT: 31,
  MU: 30,
  NI: 28,
  NL: 18,
  NO: 15,
  OM: 23,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  RU: 33,
  SA: 24,
  SC: 31,
  SD: 18,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  SO: 23,
  ST: 25,
  SV: 28,
  TL: 23,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
  YE: 30,
}

const IBAN_HEAD = /(?<![\p{L}\p{N}])[A-Z]{2}[ .-]{0,3}\d{2}(?=[ .-]{0,3}[A-Z\d])/giu
const NUMBER = /(?<![\p{L}\p{N}.,/])\d(?:[ -]{0,3}\d){4,19}(?![\p{L}\p{N}]|[.,]\d)/gu
/** Signs between the groups of an IBAN. */
const MAX_GAP = 3
const ROUTING_WORDS = /\b(?:routing|aba|rtn|transit)\b[^\d\n]{0,24}$/
const ACCOUNT_WORDS =
  /(?:\b(?:bank |checking |savings? |current |giro)?(?:account|acct|acc|a\/c)(?: ?(?:number|num|no|nr|n°|#)\.?| ?id)?|\b(?:konto(?:nummer|nr)?|kontonr|numéro de compte|número de cuenta|numero di conto|sort[ -]?code))\b[^\p{L}\d\n]{0,6}(?:(?:is|ist|was|to|into|from|number|no|nr|es|est|è)\b[^\p{L}\d\n]{0,4}){0,2}$/u

export const bankAccount: RuleKind = {
  category: "financial",
  label: "bank account",
  precedence: 2,
  foundBy: "rules",
  needs: SIGN.digit,
  find: findBankAccounts,
}

function findBankAccounts(view: PieceView): Found[] {
  return [...findIbans(view), ...findNumbers(view)]
}

function findIbans(view: PieceView): Found[] {
  const found: Found[] = []
  for (const head of matchesIn(view, IBAN_HEAD)) {
    const length = IBAN_LENGTHS[head[0].slice(0, 2).toUpperCase()]
    const end = length === undefined ? -1 : endOfIban(view.text, head.index, length)
    if (end > 0) found.push({ start: head.index, end, score: 1 })
  }
  return found
}

/** Reads `length` letters and digits, up to three spaces, dashes or dots between them; -1 where the sum is wrong or more follow. */
function endOfIban(text: string, start: number, length: number): number {
  let code = ""
  let at = start
  let gap = 0
  for (; at < text.length && code.length < length; at++) {
    const character = text[at]!
    if (/[A-Za-z0-9]/.test(character)) {
      code += character.toUpperCase()
      gap = 0
    } else if (!/[ .-]/.test(character) || ++gap > MAX_GAP) return -1
  }
  const whole = code.length === length && !/[\p{L}\p{N}]/u.test(text[at] ?? "")
  return whole && mod97(code) ? at : -1
}

/** ISO 13616: the first four characters to the end, letters as 10..35; the remainder by 97 is 1. */
function mod97(code: string): boolean {
  let remainder = 0
  for (const character of code.slice(4) + code.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}

function findNumbers(view: PieceView): Found[] {
  const found: Found[] = []
  for (const match of matchesIn(view, NUMBER)) {
    const digits = match[0].replaceAll(/\D/g, "")
    const context = contextBefore(view, match.index, 60)
    const routing = digits.length === 9 && ROUTING_WORDS.test(context) && isRoutingNumber(digits)
    const account = digits.length >= 6 && digits.length <= 18 && ACCOUNT_WORDS.test(context)
    if (routing || account)
      found.push({ start: match.index, end: match.index + match[0].length, score: routing ? 0.95 : 0.8 })
  }
  return found
}

/** American Bankers Association: weights 3, 7, 1; the sum ends in 0. */
function isRoutingNumber(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < 9; i++) sum += Number(digits[i]) * [3, 7, 1][i % 3]!
  return sum % 10 === 0 && digits !== "000000000"
}
