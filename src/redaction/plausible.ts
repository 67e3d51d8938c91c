/**
 * Second thoughts about what the entity model says. It was trained on English sentences: in others it takes nouns for
 * names and numbers for addresses. There a name must hold a known name, and an address the form of one.
 */
import type { ModelEntity } from "../backends/backend.ts"
import { isForeignThing } from "./foreign-things.ts"
import { isFirstName } from "./full-names.ts"
import { isPartOfThing } from "./impersonal.ts"
import { isEnglish, isSmallWord, isSurelyEnglish, isTaughtLanguage } from "./language.ts"
import { commonWords, givenNames, surnames } from "./lexicon.ts"
import { isDayOrPlanet, isPlace } from "./places-and-days.ts"
import { isMixedAddress, isPlausibleAddress, isWholeAddress } from "./plausible-address.ts"
import { isPlausibleInScript } from "./plausible-scripts.ts"
import { hasForeignLetter, withoutUnread } from "./scripts.ts"
import { isVietnamese, isVietnameseLetter, isVietnamesePerson } from "./vietnamese.ts"

/** Of the models' finds those that hold up; offsets count in `around`, the window that they saw. */
export function plausibleFinds(all: ModelEntity[], around: string): ModelEntity[] {
  const valueIn = ({ start, end }: ModelEntity) => around.slice(start, end)
  const isForeign = (find: ModelEntity) =>
    hasForeignLetter(withoutUnread(valueIn(find))) && !isMixedAddress(valueIn(find))
  const finds = all.filter(find => !isForeign(find))
  const whole = finds.filter(
    find => find.kind === "ADDRESS" && isWholeAddress(valueIn(find)) && isPlausibleAddress(find, around),
  )
  return all.filter(find => {
    if (isForeign(find)) return isPlausibleInScript(find, all, around)
    if (isDoubted(find, around)) return false
    if (find.kind === "NAME") return isPlausibleName(find, around)
    const besideWhole = whole.some(
      other => other !== find && find.start - other.end < NEAR && other.start - find.end < NEAR,
    )
    return isPlausibleAddress(find, around, besideWhole)
  })
}

/** The lines of one address are seldom further apart. */
const NEAR = 16
/**
 * Below these a find is a guess: of listed names, of other words in English and in other languages, and of words of a
 * language that the model was not taught.
 */
const MIN_SCORE = { known: 0.4, english: 0.65, foreign: 0.8, untaught: 0.9 }

/**
 * What the larger model says of a find of the smaller one. Below `doubted` it is none: that halves what is hidden of text that names
 * nobody; above .5 it costs one name in 100. From `sure` on the language and the score say nothing against it. Both together leave the
 * recall of English names as it was (.933, .934).
 */
const SUPPORT = { doubted: 0.2, doubtedBehindFirstName: 0.05, sure: 0.95 }

function isDoubted({ support, start, end }: ModelEntity, around: string): boolean {
  if (support === undefined || support >= SUPPORT.doubted) return false
  const before = around.slice(0, start)
  if (INTRODUCED.test(before)) return false
  // A surname that is a word is known by the first name before it (`Pearl Wood`).
  const [first, ...rest] = `${/\p{Lu}\p{Ll}+ $/u.exec(before)?.[0] ?? ""}${around.slice(start, end)}`.split(" ")
  return support < SUPPORT.doubtedBehindFirstName || rest.length === 0 || !isFirstName(first!)
}

function isPlausibleName({ start, end, score, support }: ModelEntity, around: string): boolean {
  // Of a find that runs into writing that is not read, only the rest is taken (see Scan) and judged.
  const value = withoutUnread(around.slice(start, end))
  const before = around.slice(0, start)
  const after = around.slice(end)
  // Parts of names (`van der`) say nothing of the language that they stand in.
  const others = `${before} ${after}`
  if (isNoName(value)) return false
  if (!/\p{Lu}/u.test(value)) return isPlausibleSmall(value, score, before, others)
  const introduced = INTRODUCED.test(before)
  if (!introduced && (isPartOfThing(value, before, after) || beginsSmall(value))) return false
  if (support !== undefined && support >= SUPPORT.sure) return true
  if (!introduced && !isSurelyEnglish(others) && isForeignThing(value, before, after)) return false
  if (!introduced && isVietnamese(around)) return isPlausibleVietnamese(value, before)
  if (introduced || isEnglish(others)) return score >= (holdsKnownName(value) ? MIN_SCORE.known : MIN_SCORE.english)
  return isPlausibleForeign(value, score, others)
}

/**
 * In other languages the model takes places, compounds and titles for names. There a word that stands alone must be
 * listed, and in a language that the model was not taught the first of several must be a first name.
 */
function isPlausibleForeign(value: string, score: number, others: string): boolean {
  if (isDayOrPlanet(value.toLowerCase())) return false
  const words = wordsOf(value)
  const startsKnown = isKnownName(words[0] ?? "")
  if (!isTaughtLanguage(others)) {
    const isWhole = words.length > 1 && words.every(isListed)
    return startsKnown && (isWhole || score >= (words.length > 1 ? MIN_SCORE.untaught : MIN_SCORE.foreign))
  }
  if (holdsKnownName(value)) return score >= MIN_SCORE.known
  return score >= MIN_SCORE.foreign && (words.length > 1 || words.some(word => surnames().has(word.toLowerCase())))
}

/** In a Vietnamese text; the name of somebody from elsewhere has none of its letters. */
const isPlausibleVietnamese = (value: string, before: string): boolean =>
  isVietnamesePerson(value, before) ||
  (wordsOf(value).length > 1 && !isVietnameseLetter(value) && holdsKnownName(value))

/** `tana Kano`: the model took in the word before; `von Trapp` begins so too. */
const beginsSmall = (value: string): boolean => /^\p{Ll}{2,} \p{Lu}/u.test(value) && !PARTICLE.test(value)
const PARTICLE =
  /^(?:mr|mrs|ms|miss|dr|prof|von|van|vom|zu|zum|zur|de|del|della|dello|dei|di|da|das|do|dos|du|des|den|der|det|la|le|les|lo|los|las|ter|ten|te|af|av|al|el|bin|bint|ibn|ben|bar|abu|abd|mac|mc|st|san|santa|y|e|i|und|and|ap|ab) /u

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

/** What a model may take for a name, though it is one plain word (`Producer`), a country, one letter, or no letters. */
function isNoName(value: string): boolean {
  const lower = value.trim().toLowerCase()
  if (isPlace(lower) && !givenNames().has(lower)) return true
  if (/\s/.test(lower)) return !/\p{L}{2}/u.test(value)
  if (!/\p{L}/u.test(value) || (/^.$/u.test(value) && !/\p{Script=Han}/u.test(value))) return true
  return commonWords().has(lower) && !givenNames().has(lower)
}

/** One of its few words is in the list of names; a lower-case one must not be a common word too. */
function holdsKnownName(value: string): boolean {
  const words = wordsOf(value)
  return words.length <= 5 && words.some(isKnownName)
}

const wordsOf = (value: string): string[] => value.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? []

function isKnownName(word: string): boolean {
  const lower = word.toLowerCase().split("-")[0]!
  return givenNames().has(lower) && (/^\p{Lu}/u.test(word) || !isSmallWord(lower))
}

/** First name or surname. */
const isListed = (word: string): boolean => isKnownName(word) || surnames().has(word.toLowerCase())
