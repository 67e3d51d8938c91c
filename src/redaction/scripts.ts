/**
 * Which writing the search for names and addresses understands: Latin, and the scripts that the entity encoder reads. All
 * others are left alone by it: their names are not known, and a guess would erase ordinary words.
 */

/** The code and the words with which an answer says that names in some of its scripts stayed readable. */
export const PARTIAL_REDACTION = {
  code: "redaction_partial",
  message:
    "The text contains a script in which not all names and addresses of people are recognized (Latin, Cyrillic, Greek, Arabic, Hebrew, " +
    "Devanagari, Thai, Chinese, Japanese and Korean are known well, but for one in five of names in Cyrillic or Greek capitals; of Georgian, Armenian, Bengali, " +
    "Tamil, Telugu, Kannada, Malayalam, Gujarati, Gurmukhi and Sinhala most names and no addresses; of others none); e-mail addresses, numbers and " +
    "credentials in it are redacted all the same.",
} as const

const COMMON = "\\p{Script=Common}\\p{Script=Inherited}"
/** Scripts that write names with a capital. */
const CASED = "\\p{Script=Greek}\\p{Script=Cyrillic}"
/** Scripts that the encoder read no sentence of in its training: it knows their names from pretraining alone. */
const UNTAUGHT =
  "\\p{Script=Georgian}\\p{Script=Armenian}\\p{Script=Bengali}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}" +
  "\\p{Script=Malayalam}\\p{Script=Gujarati}\\p{Script=Gurmukhi}\\p{Script=Sinhala}"
/** Scripts that put white space, but no capitals, between words; of Armenian capitals tell nothing more. */
const UNCASED = `\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Devanagari}\\p{Script=Hangul}${UNTAUGHT}`
const UNSPACED = "\\p{Script=Thai}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}"

const FOREIGN = `[\\p{L}--[\\p{Script=Latin}${COMMON}]]`
const UNREAD = `[\\p{L}--[\\p{Script=Latin}${COMMON}${CASED}${UNCASED}${UNSPACED}]]`
/** Two letters in a row; or a word in capitals, where one name in five is missed but in Latin script. Abbreviations are shorter. */
const PARTLY_READ_WRITING = new RegExp(
  `(?:${UNREAD}|[${UNTAUGHT}])\\p{M}{0,3}(?:${UNREAD}|[${UNTAUGHT}])|[\\p{Lu}&&[${CASED}]]{5}`,
  "v",
)
const FOREIGN_LETTER = new RegExp(FOREIGN, "v")
const UNREAD_LETTER = new RegExp(UNREAD, "v")
const UNREAD_STRETCH = new RegExp(`${UNREAD}[\\p{L}\\p{M}]*`, "gv")
const WITHOUT_CAPITALS = new RegExp(`[${UNCASED}${UNSPACED}]`, "v")

/** The text holds words of which not all names are known. */
export const isPartlyRead = (text: string): boolean => PARTLY_READ_WRITING.test(text)

/** Any letter but a Latin one. */
export const hasForeignLetter = (text: string): boolean => FOREIGN_LETTER.test(text)

/** A letter of a script that is left alone. */
export const hasUnreadLetter = (text: string): boolean => UNREAD_LETTER.test(text)

/** A letter of a script that is read and has no capitals: there any word may be a name. */
export const hasUncasedLetter = (text: string): boolean => WITHOUT_CAPITALS.test(text)

/** The stretches of a script that is left alone. */
export function unreadStretches(text: string): { start: number; end: number }[] {
  return [...text.matchAll(UNREAD_STRETCH)].map(({ 0: stretch, index }) => ({
    start: index,
    end: index + stretch.length,
  }))
}

/** The text with its stretches of such scripts left out. */
export const withoutUnread = (text: string): string => text.replaceAll(UNREAD_STRETCH, " ").trim()
