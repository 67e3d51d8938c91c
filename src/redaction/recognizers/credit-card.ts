/**
 * Payment card numbers: the ranges and lengths of the networks, and the Luhn sum; bare or in groups. One number in ten has
 * a valid sum, so what could as well be another number needs words about cards beside it.
 */
import type { Found, PieceView, RuleKind } from "./recognizer.ts"
import { contextBefore, matchesIn, SIGN } from "./recognizer.ts"

/** A whole run of digits: groups with up to three spaces, dashes or dots between them. */
const DIGIT_RUN = /(?<![\d.,]|\d[ .-]{1,3})\d(?:[ .-]{0,3}\d){11,}/g

interface Network {
  prefix: RegExp
  lengths: readonly number[]
  /** Its numbers are easily others': a shop's, a parcel's, a telephone's. */
  needsWords?: boolean
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Issuer ranges as the networks publish them. */
const NETWORKS: readonly Network[] = [
  { prefix: /^4/, lengths: [16] }, // Visa
  { prefix: /^4/, lengths: [13, 19], needsWords: true },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] }, // Mastercard
  { prefix: /^3[47]/, lengths: [15] }, // American Express
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [16] }, // Discover; also RuPay, Elo, Verve, Troy
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [17, 18, 19], needsWords: true },
  { prefix: /^(?:30[0-5]|3095|36|3[89])/, lengths: [14] }, // Diners Club
  { prefix: /^(?:30[0-5]|3095|36|3[89])/, lengths: range(15, 19), needsWords: true },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16] }, // JCB; also RuPay
  { prefix: /^35/, lengths: range(16, 19), needsWords: true },
  { prefix: /^(?:1800|2131)/, lengths: [15], needsWords: true },
  { prefix: /^(?:62|81)/, lengths: [16, 19] }, // UnionPay; also RuPay
  { prefix: /^(?:62|81)/, lengths: [17, 18], needsWords: true },
  { prefix: /^(?:50|5[6-9]|6)/, lengths: [16] }, // Maestro; also Dankort, Elo, Verve, RuPay, InterPayment
  { prefix: /^(?:50|5[6-9]|6)/, lengths: range(12, 19), needsWords: true },
  { prefix: /^220[0-5]/, lengths: [16] }, // Mir, Borica
  { prefix: /^220[0-5]/, lengths: [17, 18, 19], needsWords: true },
  { prefix: /^82/, lengths: [16] }, // RuPay
  { prefix: /^9792/, lengths: [16] }, // Troy
  { prefix: /^(?:8600|9860|1946)/, lengths: [16], needsWords: true }, // Uzcard, Humo, GPN
  { prefix: /^1/, lengths: [15], needsWords: true }, // UATP
]

const CARD_WORDS =
  /(?:card|karte|karta|kart[ıyę]?|\bkort|kaart|carte|tarjeta|carta di|cart[ãa]o|kártya|cc ?[#:]|\bpan\b|credit|crédito|debit|débito|\bvisa\b|master ?card|maestro|\bamex\b|american express|discover|diners|\bjcb\b|union ?pay|rupay|\bmir\b|\btroy\b|\belo\b|verve|dankort|\bpay(?:ment)?\b|charge|carte bleue|карт|卡|カード|카드|بطاقة|کارت|כרטיס|कार्ड|κάρτα|การ์ด|thẻ)/iu
const CARD_WORDS_BEHIND = /^[\s,;()]{0,3}(?:exp|cvv|cvc|cv2|valid|good thru|gültig|\d\d\/\d\d)/i
/** Papers and devices whose numbers have the form, and some the sum, of a card's. */
const OTHER_NUMBER =
  /(?:licen[cs]e|führerschein|permis de conduire|permiso de conducir|patente|rijbewijs|prawo jazdy|passport|pasaporte|imei|isbn|tracking)\b(?: ?(?:number|no|nr|code|id))?[\s.:#]{0,3}(?:(?:is|was|ist|es)\s{0,2})?$/u
const MIN_GROUP = 3
/** `12 2027 123` behind a card. */
const DATE_AND_CODE_GROUPS = 3
/** How far before a number its words may stand. */
const CONTEXT = 80

export const creditCard: RuleKind = {
  category: "financial",
  label: "credit card",
  precedence: 1,
  foundBy: "rules",
  needs: SIGN.digit,
  find: findCreditCards,
}

function findCreditCards(view: PieceView): Found[] {
  const found: Found[] = []
  for (const match of matchesIn(view, DIGIT_RUN)) {
    const behind = view.text.slice(match.index + match[0].length)
    const before = contextBefore(view, match.index, CONTEXT)
    const said = CARD_WORDS.test(before) || CARD_WORDS_BEHIND.test(behind)
    if (OTHER_NUMBER.test(before) && !CARD_WORDS.test(before.slice(-24))) continue
    found.push(...cardsIn(groupsOf(match[0], match.index), said))
  }
  return found
}

interface Group {
  digits: string
  start: number
  end: number
  /** What stands between it and the next group. */
  separator: string
}

function groupsOf(run: string, offset: number): Group[] {
  return [...run.matchAll(/(\d+)([ .-]*)/g)].map(({ 1: digits = "", 2: separator = "", index }) => ({
    digits,
    start: offset + index,
    end: offset + index + digits.length,
    separator,
  }))
}

/**
 * A number is read as a whole: all groups, or those between other numbers that are written otherwise. Groups that are
 * left over after a card that is said to be one are its date and code.
 */
function cardsIn(groups: Group[], said: boolean): Found[] {
  const found: Found[] = []
  for (let first = 0; first < groups.length; first++) {
    const last = lastGroupOfCard(groups, first, said)
    if (last < 0) continue
    found.push({ start: groups[first]!.start, end: groups[last]!.end, score: 1 })
    first = last
  }
  return found
}

function lastGroupOfCard(groups: Group[], first: number, said: boolean): number {
  let digits = ""
  let best = -1
  for (let last = first; last < groups.length; last++) {
    digits += groups[last]!.digits
    if (digits.length > 19) break
    if (isCardNumber(digits, said) && isGrouped(groups, first, last, said) && standsAlone(groups, first, last, said))
      best = last
  }
  return best
}

/** In threes and more; digits one by one, or in pairs, only of what is said to be a card. */
function isGrouped(groups: Group[], first: number, last: number, said: boolean): boolean {
  const sizes = groups.slice(first, last).map(({ digits }) => digits.length)
  return sizes.every(size => size >= MIN_GROUP) || (said && sizes.every(size => size === sizes[0]))
}

/** Nothing of the same writing continues the number on either side. */
function standsAlone(groups: Group[], first: number, last: number, said: boolean): boolean {
  const before = groups[first - 1]
  const after = groups[last + 1]
  const whole = first === last
  const goesOn = (group: Group, separator: string, neighbor: Group) =>
    whole
      ? group.digits.length >= 12 && separator.length < 2
      : separator === groups[first]!.separator && group.digits.length === neighbor.digits.length
  const isFraction = before?.separator === "." && first === last
  if (before && (isFraction || goesOn(before, before.separator, groups[first]!))) return false
  if (!after) return true
  const further = groups.slice(last + 1, last + 2 + DATE_AND_CODE_GROUPS)
  const rest = further.reduce((sum, { digits }) => sum + digits.length, 0)
  if (said && further.length <= DATE_AND_CODE_GROUPS && rest <= 10) return true
  return !goesOn(after, groups[last]!.separator, groups[last]!) && (whole || rest > 2)
}

function isCardNumber(digits: string, said: boolean): boolean {
  if (digits.length < 12 || !luhn(digits) || /^(\d)\1+$/.test(digits)) return false
  return NETWORKS.some(
    ({ prefix, lengths, needsWords }) =>
      (said || !needsWords) && lengths.includes(digits.length) && prefix.test(digits),
  )
}

/** ISO/IEC 7812: double every second digit from the right; the sum ends in 0. */
function luhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
