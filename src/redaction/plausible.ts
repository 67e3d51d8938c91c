/**
 * Second thoughts about what the entity model says. It was trained on English sentences: in others it takes nouns for
 * names and numbers for addresses. There a name must hold a known name, and an address the form of one.
 */
import type { ModelEntity } from "../backends/backend.ts"
import { isCitationOrDate, isPartOfThing } from "./impersonal.ts"
import { commonWords, foreignWords, givenNames, surnames } from "./lexicon.ts"
import { hasForeignLetter, hasUnreadLetter, withoutUnread } from "./scripts.ts"

/** Fewer small words say nothing about a language, unless one is frequent in another. */
const MIN_WORDS = 3
/** Share of English words among the small words of a text: English has .8 and more, German or French under .3. */
const MIN_ENGLISH = 0.4

const WORD = /\p{L}[\p{L}\p{M}'’]*/gu

/** Small words of other languages that are English too, or in no list; no parts of names. */
const FOREIGN_WORDS = new Set(
  (
    "der das und des dem im ist zu mit für auf ein eine einer eines einem einen wurde wurden nicht sich als auch sind hat nach bei aus wird oder zum zur durch " +
    "le les et est une un pour dans qui sur par au aux avec son sont été ne pas " +
    "el los las y por con para una fue como más pero " +
    "il che per della dei nel alla con sono è gli " +
    "het een voor met zijn niet wordt aan ook " +
    "och att som på av är för med det til og ikke på som er " +
    "nie się na jest oraz przez em não com uma os são ao foi como " +
    "ve bir bu için ile și în cu pe este hogy az és nem egy je se ve si " +
    "quante quanti quanto quale ha vilka vilken kolik ile kaç câte câți hoeveel op de quantas combien cuántas welche wie"
  ).split(" "),
)
const ENGLISH_WORDS = new Set(
  "the of and to is was for with that are at by from it he she his her this my i you we they be has have not please an your our in on as or which were their its can will".split(
    " ",
  ),
)

const STREET_FORM =
  /(?:straße|strasse|str\.|gasse|platz|weg|allee|ring|ufer|damm|straat|laan|plein|gracht|dreef|gatan|gata|vägen|veien|vegen|gade|vej|katu|tie|utca|út)(?![\p{L}])|(?<![\p{L}])(?:rue|avenue|av\.|boulevard|bd|chemin|place|quai|calle|avenida|avda\.|plaza|paseo|carrer|via|viale|piazza|corso|rua|travessa|largo|ul\.|ulica|os\.|al\.|pl\.|postfach|box|apartado|street|avenue|road|lane|drive|court|square|terrace|crescent|highway|parkway|way|corner|ул\.|улица|οδός)(?![\p{L}])/iu

/** Of the model's finds those that hold up; offsets count in `around`, the window that it saw. */
export function plausibleFinds(finds: ModelEntity[], around: string): ModelEntity[] {
  const valueIn = ({ start, end }: ModelEntity) => around.slice(start, end)
  const whole = finds.filter(
    find => find.kind === "ADDRESS" && isWholeAddress(valueIn(find)) && !isAmount(find, around),
  )
  return finds.filter(find => {
    if (find.kind === "NAME") return isPlausibleName(find, around)
    const besideWhole = whole.some(
      other => other !== find && find.start - other.end < NEAR && other.start - find.end < NEAR,
    )
    return isPlausibleAddress(find, around, besideWhole)
  })
}

/** The lines of one address are seldom further apart. */
const NEAR = 16
/** Below these a find is a guess: of listed names, of other words in English and in other languages. */
const MIN_SCORE = { known: 0.4, english: 0.65, foreign: 0.8 }

function isPlausibleName({ start, end, score }: ModelEntity, around: string): boolean {
  // Of a find that runs into writing that is not read, only the rest is taken (see Scan) and judged.
  const value = withoutUnread(around.slice(start, end))
  const before = around.slice(0, start)
  const after = around.slice(end)
  // Parts of names (`van der`) say nothing of the language that they stand in.
  const others = `${before} ${after}`
  if (isNoName(value)) return false
  if (hasForeignLetter(value)) return score >= MIN_SCORE.foreign && /\p{Lu}/u.test(value) && holdsKnownName(value)
  if (!/\p{Lu}/u.test(value)) return isPlausibleSmall(value, score, before, others)
  const introduced = INTRODUCED.test(before)
  if (!introduced && isPartOfThing(value, before, after)) return false
  if (introduced || isEnglish(others)) return score >= (holdsKnownName(value) ? MIN_SCORE.known : MIN_SCORE.english)
  return isPlausibleForeign(value, score, before, others)
}

/**
 * In other languages the model takes places, compounds and titles for names. There a word that stands alone must be
 * listed, and in a language that the model was not taught the first of several must be a first name.
 */
function isPlausibleForeign(value: string, score: number, before: string, others: string): boolean {
  const words = wordsOf(value)
  if (VIETNAMESE.test(others)) return isPlausibleVietnamese(value, before)
  const startsKnown = isKnownName(words[0] ?? "")
  if (!isTaughtLanguage(others)) return words.length > 1 ? startsKnown : startsKnown && score >= MIN_SCORE.foreign
  if (holdsKnownName(value)) return score >= MIN_SCORE.known
  return score >= MIN_SCORE.foreign && (words.length > 1 || words.some(word => surnames().has(word.toLowerCase())))
}

/** Every syllable of a place has its capital there; a person is addressed, or bears a surname that stands first. */
const isPlausibleVietnamese = (value: string, before: string): boolean =>
  ADDRESSED_IN_VIETNAMESE.test(before) ||
  VIETNAMESE_FAMILY.test(value) ||
  (wordsOf(value).length > 1 && !VIETNAMESE_LETTER.test(value) && holdsKnownName(value))

/** Letters of Vietnamese alone, twice: a name in another text may hold one. */
const VIETNAMESE_LETTER = /[ăâđêôơưàáãèéìíòóõùúýĩũ\u1ea0-\u1ef9]/iu
const VIETNAMESE = /[ơưđ\u1ea0-\u1ef9].*[ơưđ\u1ea0-\u1ef9]/isu
/** Surnames stand first and are few: these are those of all but some in a hundred. */
const VIETNAMESE_FAMILY =
  /^(?:Nguyễn|Trần|Lê|Phạm|Huỳnh|Hoàng|Phan|Vũ|Võ|Đặng|Bùi|Đỗ|Hồ|Ngô|Dương|Lý|Đào|Đoàn|Vương|Trịnh|Trương|Đinh|Lâm|Phùng|Mai|Tô|Hà|Tạ|Đàm|Thái|Cao|Châu|Chu|Lưu|Tăng|Quách|La|Kiều|Hứa|Lương|Nghiêm|Thạch|Từ|Văn|Tống|Triệu|Diệp|Khổng|Lục|Ninh|Tôn|Bạch|Doãn|Giang|Viên) \p{Lu}/u
const ADDRESSED_IN_VIETNAMESE = /(?<!\p{L})(?:ông|bà|anh|chị|cô|chú|bác|em|bạn|tên (?:tôi )?là)[ :]*$/iu

/** A name without a capital: said to be one, or in English, where few small words are unknown. */
function isPlausibleSmall(value: string, score: number, before: string, others: string): boolean {
  if (INTRODUCED.test(before)) return score >= MIN_SCORE.known
  const words = wordsOf(value)
  const known = words.filter(isKnownName).length
  if (!isEnglish(others)) return known === words.length && known > 1
  // Who writes capitals elsewhere seldom forgets them in names.
  if (/\p{Lu}/u.test(others)) return score >= (known > 0 ? MIN_SCORE.english : MIN_SCORE.foreign)
  return score >= (known > 0 ? MIN_SCORE.known : MIN_SCORE.english)
}

/** What stands right before a name, in many languages. */
const INTRODUCED =
  /(?:(?<!\p{L})(?:name(?: is)?|named|called|i['’]m|i am|this is|mrs?|ms|miss|dr|prof|hi|hello|hey|dear|regards|sincerely|cheers|thanks|name ist|heiße|herrn?|frau|hallo|lieber?|grüßen|m['’]appelle|nom est|je suis|bonjour|madame|monsieur|chère?|cordialement|llamo|nombre es|soy|hola|señora?|querid[oa]|estimad[oa]|saludos|chiamo|nome è|ciao|signora?|gentile|car[oa]|saluti|naam is|ik ben|mevrouw|meneer|beste|groet(?:en)?|nome é|olá|senhora?|nazywam się|na imię|jestem|pani?|cześć|pozdrawiam|jmenuji se|ahoj|paní|heter|hej|hälsningar|hedder|hilsen|nimeni on|nevem|numesc|numele meu este|domnul|doamna|adım|sayın|merhaba|tên (?:tôi )?là))[\s.,:]*$/iu

/** Number and words: it can stand for itself. */
const isWholeAddress = (value: string): boolean =>
  /\d/.test(value) && /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{3}/u.test(value)

/** Behind such words a number alone is a place. */
const CODE_WORDS =
  /(?:zip|postal|post ?code|postcode|plz|postleitzahl|code postal|código postal|cap)\P{L}{0,3}(?:code)?\P{L}{0,6}(?:is|ist|:)?\P{L}{0,3}$/iu

function isPlausibleAddress({ start, end }: ModelEntity, around: string, besideWhole: boolean): boolean {
  const value = around.slice(start, end)
  if (isAmount({ start, end }, around) || isCitationOrDate(value)) return false
  if (OTHER_NUMBER.test(value) || (hasUnreadLetter(value) && !isMixedAddress(value))) return false
  if (!/\p{L}{2}/u.test(value)) {
    // A number alone is a count or a year; postal codes have four digits and more.
    return /\d{4}/.test(value) ? besideWhole || CODE_WORDS.test(around.slice(0, start)) : besideWhole
  }
  if (!/\d/.test(value)) return (STREET_FORM.test(value) && value.includes(" ")) || besideWhole
  // Of a script that is half known only what looks like a street; in English text a town may be written so.
  if (hasForeignLetter(value) && !/\p{Script=Latin}{2}/u.test(`${around.slice(0, start)} ${around.slice(end)}`))
    return STREET_FORM.test(value)
  if (isCount(value, around)) return false
  return STREET_FORM.test(value) || isEnglish(`${around.slice(0, start)} ${around.slice(end)}`)
}

/** `Telefon 030 123456`, `card is 4111 1111`: the words say what the number is. */
const OTHER_NUMBER =
  /^(?:\P{L}*(?:tele(?:phone|fon|fono)?|phone|tel|fax|handy|mobile|cell|card|karte|account|konto|order|invoice|number|nr|is|my|version|isbn|page)(?!\p{L}))+\P{L}*$/iu

/** `Gold 2,310`, `Cod 12.40`, `Departure 07:42`, cells of a table: the find holds or cuts a number that is no house's. */
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

/** What a model may take for a name, though it is one plain word (`Producer`), a country, one letter, or no letters. */
function isNoName(value: string): boolean {
  const lower = value.trim().toLowerCase()
  if (countries().has(lower) && !givenNames().has(lower)) return true
  if (/\s/.test(lower)) return !/\p{L}{2}/u.test(value)
  if (!/\p{L}/u.test(value) || (/^.$/u.test(value) && !/\p{Script=Han}/u.test(value))) return true
  return commonWords().has(lower) && !givenNames().has(lower)
}

/** Number and street are read, the town stands in another script. */
export const isMixedAddress = (value: string): boolean =>
  /\d/.test(value) &&
  (value.match(/\p{Script=Latin}{3,}/gu)?.length ?? 0) >
    (value.match(/[^\s\p{Script=Latin}\d\p{P}]{2,}/gu)?.length ?? 0)

function isEnglish(text: string): boolean {
  let english = 0
  let words = 0
  let foreign = 0
  for (const [written] of text.matchAll(WORD)) {
    const word = written.toLowerCase().replace(/['’]s?$/, "")
    if (FOREIGN_WORDS.has(word) || foreignWords().has(word)) foreign++
    if (ENGLISH_WORDS.has(word)) foreign--
    // One letter is a word in most languages.
    if (!/^\p{Ll}/u.test(written) || word.length < 2) continue
    const common = commonWords().has(word) && !FOREIGN_WORDS.has(word)
    // A list of names is in no language.
    if (!common && givenNames().has(word)) continue
    words++
    if (common) english++
  }
  if (foreign > 0) return false
  return words < MIN_WORDS || english >= MIN_ENGLISH * words
}

/** It holds a word that is frequent in a language that the model was taught. */
function isTaughtLanguage(text: string): boolean {
  for (const [word] of text.toLowerCase().matchAll(WORD))
    if (FOREIGN_WORDS.has(word) || foreignWords().has(word)) return true
  return !WORD_SMALL.test(text)
}
const WORD_SMALL = /(?<!\p{L})\p{Ll}{2}/u

/** One of its few words is in the list of names; a small one that is no common word too. */
function holdsKnownName(value: string): boolean {
  const words = wordsOf(value)
  return words.length <= 5 && words.some(isKnownName)
}

const wordsOf = (value: string): string[] => value.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? []

function isKnownName(word: string): boolean {
  const lower = word.toLowerCase().split("-")[0]!
  return (
    givenNames().has(lower) &&
    (/^\p{Lu}/u.test(word) || !(commonWords().has(lower) || FOREIGN_WORDS.has(lower) || foreignWords().has(lower)))
  )
}

let countryNames: Set<string> | undefined

/** Names of countries in English, small letters (Unicode's own list). */
function countries(): Set<string> {
  if (countryNames) return countryNames
  const display = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })
  countryNames = new Set()
  for (let a = 65; a <= 90; a++)
    for (let b = 65; b <= 90; b++) {
      const name = display.of(String.fromCharCode(a, b))
      if (name) countryNames.add(name.toLowerCase())
    }
  return countryNames
}
