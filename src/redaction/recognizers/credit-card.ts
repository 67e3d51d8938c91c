/** Payment card numbers: issuer prefix, length and Luhn sum; bare, spaced or dashed. */
import type { Found, PieceView } from "./recognizer.ts"
import { matchesIn } from "./recognizer.ts"

const DIGIT_RUN = /(?<![\d.,])\d(?:[ \u00a0-]?\d){11,30}(?!\d)/g

/** Issuer number ranges with the lengths that they use. */
const BRANDS: { prefix: RegExp; lengths: number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 19] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:6011|64[4-9]|65|622)/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:30[0-5]|309|36|38|39)/, lengths: [14, 15, 16, 17, 18, 19] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:62|81)/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:1800|2131)/, lengths: [15] },
  { prefix: /^(?:50|5[6-9]|6)/, lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
  { prefix: /^220[0-4]/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:60|65|81|82|508|353|356)/, lengths: [16] },
  { prefix: /^9792/, lengths: [16] },
]

export function findCreditCards(view: PieceView): Found[] {
  const found: Found[] = []
  for (const match of matchesIn(view, DIGIT_RUN)) {
    const groups = groupsOf(match[0], match.index)
    for (let first = 0; first < groups.length; first++) {
      const last = lastGroupOfCard(groups, first)
      if (last < 0) continue
      found.push({ start: groups[first]!.start, end: groups[last]!.end, score: 1 })
      first = last
    }
  }
  return found
}

interface Group {
  digits: string
  start: number
  end: number
}

function groupsOf(run: string, offset: number): Group[] {
  return [...run.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({
    digits,
    start: offset + index,
    end: offset + index + digits.length,
  }))
}

/** The longest card that begins with this group; -1 where there is none. Two or one digit alone are no card group. */
function lastGroupOfCard(groups: Group[], first: number): number {
  let digits = ""
  let best = -1
  for (let last = first; last < groups.length; last++) {
    const group = groups[last]!.digits
    if (group.length < 3) break
    digits += group
    if (digits.length > 19) break
    if (isCardNumber(digits)) best = last
  }
  return best
}

function isCardNumber(digits: string): boolean {
  if (/^(\d)\1+$/.test(digits)) return false
  return BRANDS.some(brand => brand.lengths.includes(digits.length) && brand.prefix.test(digits)) && luhn(digits)
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
