/** In which language a text is, as far as the search for names must know. */
import { commonWords, foreignWords, givenNames } from "./lexicon.ts"

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

/** English, or nothing that says otherwise. */
export function isEnglish(text: string): boolean {
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
export function isTaughtLanguage(text: string): boolean {
  for (const [word] of text.toLowerCase().matchAll(WORD))
    if (FOREIGN_WORDS.has(word) || foreignWords().has(word)) return true
  return !WORD_SMALL.test(text)
}
const WORD_SMALL = /(?<!\p{L})\p{Ll}{2}/u

/** A frequent small word of English or another language, or an English word: no name where it is written small. */
export const isSmallWord = (lower: string): boolean =>
  commonWords().has(lower) || FOREIGN_WORDS.has(lower) || foreignWords().has(lower)

/** It holds a small word that no other language has. */
export const isSurelyEnglish = (text: string): boolean => ONLY_ENGLISH.test(text)
const ONLY_ENGLISH =
  /(?<!\p{L})(?:the|of|and|that|with|from|his|her|she|this|my|you|they|have|not|please|your|our|which|were|their|its|by|are|who|has|been|said|asked|told|when|where|what)(?!\p{L})/iu
