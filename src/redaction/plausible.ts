/**
 * Second thoughts about what the entity model says. It was trained on English sentences: in others it takes nouns for
 * names and numbers for addresses. There a name must hold a known name, and an address the form of one.
 */
import { commonWords, givenNames } from "./lexicon.ts"
import { hasForeignLetter } from "./scripts.ts"

/** Fewer small words say nothing about a language, unless one is frequent in another. */
const MIN_WORDS = 3
/** Share of English words among the small words of a text: English has .8 and more, German or French under .3. */
const MIN_ENGLISH = 0.4

const WORD = /\p{L}[\p{L}\p{M}'’]*/gu

/** Frequent small words of other languages that are neither English nor parts of names. */
const FOREIGN_WORDS = new Set(
  (
    "der das und des dem im ist zu mit für auf ein eine einer eines einem einen wurde wurden nicht sich als auch sind hat nach bei aus wird oder zum zur durch " +
    "le les et est une un pour dans qui sur par au aux avec son sont été ne pas " +
    "el los las y por con para una fue como más pero " +
    "il che per della dei nel alla con sono è gli " +
    "het een voor met zijn niet wordt aan ook " +
    "och att som på av är för med det til og ikke på som er " +
    "nie się na jest oraz przez em não com uma os são ao foi como " +
    "ve bir bu için ile și în cu pe este hogy az és nem egy je se ve si"
  ).split(" "),
)
const ENGLISH_WORDS = new Set(
  "the of and to is was for with that are at by from it he she his her this my i you we they be has have not please an your our in on as or which were their its can will".split(
    " ",
  ),
)

const STREET_FORM =
  /(?:straße|strasse|str\.|gasse|platz|weg|allee|ring|ufer|damm|straat|laan|plein|gracht|dreef|gatan|gata|vägen|veien|vegen|gade|vej|katu|tie|utca|út)(?![\p{L}])|(?<![\p{L}])(?:rue|avenue|av\.|boulevard|bd|chemin|place|quai|calle|avenida|avda\.|plaza|paseo|carrer|via|viale|piazza|corso|rua|travessa|largo|ul\.|ulica|os\.|al\.|pl\.|postfach|box|apartado|street|road|lane|drive|ул\.|улица|οδός)(?![\p{L}])/iu

/** `around` is the window that the model saw. */
export function isPlausible(kind: "NAME" | "ADDRESS", value: string, around: string): boolean {
  if (kind === "NAME" && isNoName(value)) return false
  // A short number alone is a count, not a place; postal codes have four digits and more.
  if (kind === "ADDRESS" && /^\W*\d{1,3}\W*$/.test(value)) return false
  if (!(kind === "NAME" && hasForeignLetter(value)) && isEnglish(around)) return true
  return kind === "NAME" ? holdsKnownName(value) : /\d/.test(value) && STREET_FORM.test(value)
}

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
    if (FOREIGN_WORDS.has(word)) foreign++
    if (ENGLISH_WORDS.has(word)) foreign--
    if (!/^\p{Ll}/u.test(written)) continue
    words++
    if (commonWords().has(word) && !FOREIGN_WORDS.has(word)) english++
  }
  if (foreign > 0) return false
  return words < MIN_WORDS || english >= MIN_ENGLISH * words
}

/** A capital word of the list of names that is no small word too, or two such words side by side. */
function holdsKnownName(value: string): boolean {
  const words = value.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? []
  const known = words.filter(word => /^\p{Lu}/u.test(word) && givenNames().has(word.toLowerCase().split("-")[0]!))
  return known.length > 0 && words.length <= 5
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
