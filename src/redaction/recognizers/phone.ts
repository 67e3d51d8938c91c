/**
 * Phone numbers of all regions. Almost every run of seven to twelve digits is a number somewhere, so the shape decides
 * how much else is asked: an international prefix speaks for itself, a national form must be valid in some region
 * (libphonenumber), and a bare run of digits needs words such as `call` beside it.
 */
import { type CountryCode, getCountries, parsePhoneNumberFromString } from "libphonenumber-js/max"
import { Lru } from "../../threads/lru.ts"
import type { Found, PieceView, RuleKind } from "./recognizer.ts"
import { contextBefore, matchesIn, SIGN } from "./recognizer.ts"

const CANDIDATE =
  /(?<![\p{N}_@#$€£%&=?]|[\p{N}][.,/:]|\p{L}\/|(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])\p{L})(?:\+|\(\+?)?\d(?:[ .()/-]{0,3}\d){4,16}(?:\s?(?:x|ext\.?|extension|#)\s?\d{1,6})?(?![\p{N}_@%]|[.,:/]\d|\p{Ll})/giu

const PHONE_WORDS =
  /(?:\b(?:call(?:ed|ing)?|phone|phones|telephone|tel|mobile|cell(?:ular)?|fax|dial|ring|text|sms|whatsapp|reach|contact|answering|hotline|helpline|landline|handy|telefon|telefono|teléfono|téléphone|móvil|ph|mob|signal|viber)\b|☎|📞|📱|电话|電話|手机|手機|携帯|전화|هاتف|جوال|اتصل|تلفن|טלפון|फ़ोन|फोन|โทร|тел|телефон|мобил|τηλ|κινητό|điện thoại|telefoon|numer telefonu|puhelin|telefonszám)/u
const PHONE_LABEL_BEHIND = /^[\s\-–(/,]{0,3}(?:office|fax|mobile|cell|home|work|tel|phone|ext|x\d)/i
const OTHER_NUMBER =
  /(?:\b(?:order|invoice|version|release|isbn|issn|doi|ref(?:erence)?|ticket|case|serial|sku|part|model|port|build|page|rfc|iso|chapter|section|ssn|social security(?: number)?|passport|licen[cs]e|zip|postcode|tracking|account|acct|iban|routing|patent|item|batch|lot|id|vat|tax|card|commit|pid|uid|year)(?: ?(?:number|no|nr|code|id))?|#|№|[$€£¥])[\s.:#]{0,3}(?:(?:is|was|no|nr)\b[\s.:]{0,2})?$/u

/** Regions whose national numbers have nine digits and are written in threes. */
const GROUPED_IN_THREES: CountryCode[] = ["ES", "PL", "PT", "CZ", "SK", "GR", "HR", "SI", "UA", "NO", "CH"]
/** Behind an amount stands what is counted, or another number; behind a telephone number a sentence ends or goes on. */
const COUNTED =
  /^[\t ]{0,3}(?:[-–+×x*/=<>|%‰°€$£¥#\d]|(?!(?:or|and|und|oder|ou|et|o|y|e|lub|oraz|between|after|before|until|from|any|at|on|in|if|for|is|please|bitte|ab|von|till|during)\b)\p{Ll})/u
const COUNTING =
  /(?:[-–+×x*/=<>|%°€$£¥#\d]|\b(?:of|about|over|nearly|than|some|total|sum|price|costs?|population|approximately|around|exceeds?|amounts?|worth|usd|eur|gbp|chf|pln))[\s:]{0,3}$/u

const SHAPES_OF_OTHER_THINGS = [
  /^\d{4}[-./]\d{1,2}[-./]\d{1,2}$/, // dates
  /^\d{1,2}[-./]\d{1,2}[-./]\d{4}$/,
  /^(?:[0-2]?\d|3[01])[-./](?:0?\d|1[0-2])[-./]\d{2}$/,
  /^(?:19|20)\d{2}[-–/ ](?:19|20)\d{2}$/, // years
  /^(?:19|20)\d{2}(?:0\d|1[0-2])(?:[0-2]\d|3[01])(?:\d{4,6})?$/,
  /^\d{3}-\d{2}-\d{4}$/, // social security number
  /^\d{5}-\d{4}$/, // ZIP+4
  /^\d{1,3}(?:[ .]000)+$/, // round amounts
  /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, // addresses of hosts, versions
  /^\d{1,2}(?:\.\d{1,2}){2,3}$/,
  /^\d+\.\d+(?: \d.*)?$/, // decimals, first of a row
  /^\d{1,3} \d{4}-\d\d-\d\d$/, // a date behind a number
  /^97[89][- ]?(?:\d[- ]?){10}$/, // ISBN
  /^\d{1,2}[-–]\d{1,2}$/,
  /^1[0-9]\d{8}(?:\d{3})?$/, // unix times, seconds or milliseconds
]

export const phone: RuleKind = {
  category: "personal",
  label: "phone",
  precedence: 2,
  foundBy: "rules",
  needs: SIGN.digit,
  find: findPhones,
}

function findPhones(view: PieceView): Found[] {
  const found: Found[] = []
  for (const match of matchesIn(view, CANDIDATE)) {
    const number = trimmed(match[0])
    const score = scoreOf(number, match.index, view)
    if (score > 0) found.push({ start: match.index, end: match.index + number.length, score })
  }
  return found
}

/** A closing parenthesis that was opened before the number is not part of it. */
function trimmed(text: string): string {
  const opened = text.split("(").length - 1
  const closed = text.split(")").length - 1
  return closed > opened ? text.replace(/\).*$/s, "") : text
}

function scoreOf(number: string, index: number, view: PieceView): number {
  const [main = ""] = number.split(/\s?(?:x|e|#)/i)
  const digits = main.replaceAll(/\D/g, "")
  if (digits.length < 6 || digits.length > 15 || /^(\d)\1+$/.test(digits)) return 0
  const before = contextBefore(view, index, 64)
  const saidPhone =
    PHONE_WORDS.test(before.slice(-48)) || PHONE_LABEL_BEHIND.test(view.text.slice(index + number.length))
  if (/^\(?\+/.test(main)) return isPossible(main) || saidPhone ? 0.95 : 0
  const extension = main !== number
  const northAmerican = /^(?:(?:001|1)[-. ])?(?:\(\d{3}\) ?\d{3}[-. ]\d{4}|\d{3}([-. ])\d{3}\1\d{4})$/.test(main)
  if (SHAPES_OF_OTHER_THINGS.some(shape => shape.test(main)) && !extension)
    return saidPhone && digits.length > 8 ? 0.6 : 0
  if (OTHER_NUMBER.test(before)) return 0
  if (saidPhone) return 0.9
  if (northAmerican || extension) return 0.85
  if (/^001[-. ]/.test(main)) return 0.8
  const grouped = /[ .()/-]/.test(main)
  const areaCode = /^\(0?\d{1,4}\) ?\d/.test(main)
  if (areaCode && digits.length >= 7) return 0.75
  if (isInThrees(main) && !countsSomething(before, view.text.slice(index + number.length)))
    return validSomewhere(main, GROUPED_IN_THREES) ? 0.6 : 0
  const national = grouped && /^0\d/.test(main) && digits.length >= 9 && digits.length <= 12
  return national && validSomewhere(main) ? 0.7 : 0
}

function isPossible(international: string): boolean {
  const parsed = parsePhoneNumberFromString(international)
  return parsed?.isPossible() ?? false
}

/** `601 234 567`: also how large amounts are written. */
const isInThrees = (number: string): boolean => /^[2-9]\d{2}([ .-])\d{3}\1\d{3}$/.test(number)

const countsSomething = (before: string, behind: string): boolean => COUNTED.test(behind) || COUNTING.test(before)

/** Answers of `validSomewhere`: texts repeat their numbers. */
const known = new Lru<string, boolean>({ entries: 5000 })

/** Valid as a national number in at least one of the regions; in any, where none are given. */
function validSomewhere(national: string, regions?: CountryCode[]): boolean {
  const key = regions ? `${national}/${regions.length}` : national
  const remembered = known.get(key)
  if (remembered !== undefined) return remembered
  const valid = (regions ?? getCountries()).some(
    (country: CountryCode) => parsePhoneNumberFromString(national, country)?.isValid() ?? false,
  )
  return known.set(key, valid)
}
