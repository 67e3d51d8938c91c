/** Second thoughts about addresses that the entity model finds: in lists, scores and tables it takes numbers for houses. */
import type { ModelEntity } from "../backends/backend.ts"
import { isCitationOrDate } from "./impersonal.ts"
import { isEnglish } from "./language.ts"
import { hasUnreadLetter } from "./scripts.ts"

const STREET_FORM =
  /(?:straße|strasse|str\.|gasse|platz|weg|allee|ring|ufer|damm|straat|laan|plein|gracht|dreef|gatan|gata|vägen|veien|vegen|gade|vej|katu|tie|utca|út)(?![\p{L}])|(?<![\p{L}])(?:rue|avenue|av\.|boulevard|bd|chemin|place|quai|calle|avenida|avda\.|plaza|paseo|carrer|via|viale|piazza|corso|rua|travessa|largo|ul\.|ulica|os\.|al\.|pl\.|postfach|box|apartado|street|avenue|road|lane|drive|court|square|terrace|crescent|highway|parkway|way|corner|ул\.|улица|οδός)(?![\p{L}])/iu

/** Number and words: it can stand for itself. */
export const isWholeAddress = (value: string): boolean =>
  /\d/.test(value) && /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{3}/u.test(value)

/** Behind such words a number alone is a place. */
const CODE_WORDS =
  /(?:zip|postal|post ?code|postcode|plz|postleitzahl|code postal|código postal|cap)\P{L}{0,3}(?:code)?\P{L}{0,6}(?:is|ist|:)?\P{L}{0,3}$/iu

/**
 * @param find its offsets count in `around`, the window that the model saw
 * @param besideWhole it stands right beside a find that is a whole address
 */
export function isPlausibleAddress(find: ModelEntity, around: string, besideWhole = false): boolean {
  const { start, end } = find
  const value = around.slice(start, end)
  if (isAmount({ start, end }, around) || isCitationOrDate(value)) return false
  if (OTHER_NUMBER.test(value) || (hasUnreadLetter(value) && !isMixedAddress(value))) return false
  if (!/\p{L}{2}/u.test(value)) {
    // A number alone is a count or a year; postal codes have four digits and more.
    return /\d{4}/.test(value) ? besideWhole || CODE_WORDS.test(around.slice(0, start)) : besideWhole
  }
  if (!/\d/.test(value)) return (STREET_FORM.test(value) && value.includes(" ")) || besideWhole
  if (isCount(value, around)) return false
  if (STREET_FORM.test(value)) return true
  if (isList(value)) return false
  return isEnglish(`${around.slice(0, start)} ${around.slice(end)}`) && (besideWhole || isSure(find, around))
}

/**
 * Numbers and names take turns in lists, scores and timetables too: without the word of a street the model must be sure,
 * the more so of several numbers.
 */
const SURE_SCORE = { one: 0.85, several: 0.93 }

function isSure({ start, end, score }: ModelEntity, around: string): boolean {
  const value = around.slice(start, end)
  if (UNIT_FORM.test(value)) return true
  if (MEASURE.test(value) || isModel(value) || ROW_GOES_ON.test(around.slice(end))) return false
  if (score >= (/\d\P{Nd}+\d/u.test(value) ? SURE_SCORE.several : SURE_SCORE.one)) return true
  const besides = around.slice(Math.max(0, start - 2), start) + around.slice(end, end + 1)
  return PLACED.test(around.slice(0, start)) || (/^\d/.test(value) && ENCLOSED.test(besides))
}

/** `Room 12 Rothko, Room 14 Turner`, `14 Carat 18 Carat`, `1 Mercury 2 Venus 3 Earth`. */
function isList(value: string): boolean {
  if (REPEATED_WORD.test(value)) return true
  const numbers = (value.match(/(?<![\p{L}\d])\d{1,3}(?![\p{L}\d])/gu) ?? []).map(Number)
  return numbers.length > 2 && numbers.every((number, index) => index === 0 || number === numbers[index - 1]! + 1)
}
/** Before two numbers, or behind two. */
const REPEATED_WORD = /(?<!\p{L})(\p{L}{2,})\.? \d+.*(?<!\p{L})\1\.? \d|\d (\p{L}{2,})(?!\p{L}).*\d \2(?!\p{L})/iu

/** `250 g`, `0.5 l`: what is counted or weighed. */
const MEASURE =
  /\d m(?!\p{L})|\d ?(?:[gl]|kg|mg|ml|cl|cm|mm|km|kw|kwh|gb|mb|hp|oz|lbs?|tsp|tbsp|cups?|mins?|pages?|packs?|pcs|doors?|miles?|°|%)(?![\p{L}\d])/iu
/** `3 Aston Villa` before `28 17 4 7 59:37`: a row of a table. */
const ROW_GOES_ON = /^(?:[ \t|;]+[+-]?\d[\d.,:]*){3}/
/** `Clio, Citroën C3`: all digits cling to letters, and no part is a postcode. */
const isModel = (value: string): boolean =>
  !/(?<![\p{L}\d])\d/u.test(value) && !/(?<!\p{L})\p{Lu}{1,2}\d[\p{Lu}\d]? ?\d\p{Lu}{2}(?!\p{L})/u.test(value)
/** What leads to a place: `lives at`, `address is`, an empty line. */
const PLACED = /(?:\n\n|(?<!\p{L})(?:at|to|from|on|is|are|address)[:,]?[ \n])$/iu
/** Between two signs of punctuation. */
const ENCLOSED = /^[,:;–-] (?:[,;.)\n]|$)/

/** `Telefon 030 123456`, `card is 4111 1111`: the words say what the number is. */
const OTHER_NUMBER =
  /^(?:\P{L}*(?:tele(?:phone|fon|fono)?|phone|tel|fax|handy|mobile|cell|card|karte|account|konto|order|invoice|number|nr|is|my|version|isbn|page)(?!\p{L}))+\P{L}*$/iu

/** `Gold 2,310`, `Cod 12.40`, `Departure 07:42`, cells of a table: the find holds or cuts a number that is not that of a house. */
function isAmount({ start, end }: { start: number; end: number }, around: string): boolean {
  const value = around.slice(start, end)
  if (/\d[.,:]\d|\t/.test(value)) return !STREET_FORM.test(value)
  return (
    (/^\d/.test(value) && /\d[.,:]$/.test(around.slice(0, start))) ||
    (/\d$/.test(value) && /^[.,:]\d/.test(around.slice(end)))
  )
}

/** `200 nanograms`, `than oxygen 16` among words with capitals: places have one. */
function isCount(value: string, around: string): boolean {
  if (STREET_FORM.test(value) || UNIT_FORM.test(value)) return false
  return !/\p{Lu}/u.test(value) && /\p{Lu}/u.test(around)
}

const UNIT_FORM = /(?<!\p{L})(?:apt|apartment|suite|ste|unit|flat|floor|room|box|psc|apo|fpo|dpo)(?!\p{L})/iu

/** Number and street are read, the town stands in another script. */
export const isMixedAddress = (value: string): boolean =>
  /\d/.test(value) &&
  (value.match(/\p{Script=Latin}{3,}/gu)?.length ?? 0) >
    (value.match(/[^\s\p{Script=Latin}\d\p{P}]{2,}/gu)?.length ?? 0)
