/**
 * Which writing the search for names and addresses understands: Latin, and the scripts of the second entity model. All
 * others are left alone by it: their names are not known, and a guess would erase ordinary words.
 */

/** The code and the words with which an answer says that names in some of its scripts stayed readable. */
export const PARTIAL_REDACTION = {
  code: "redaction_partial",
  message:
    "The text contains a script in which not all names and addresses of people are recognized (Latin, Cyrillic, Greek, Chinese and " +
    "Korean are known well, but for words in Cyrillic or Greek capitals; of Arabic, Hebrew, Devanagari, Thai and Japanese mostly frequent names; of others none); e-mail addresses, " +
    "numbers and credentials in it are redacted all the same.",
} as const

const COMMON = "\\p{Script=Common}\\p{Script=Inherited}"
/** Scripts that write names with a capital. */
const CASED = "\\p{Script=Greek}\\p{Script=Cyrillic}"
/** Scripts that put white space, but no capitals, between words. */
const UNCASED = "\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Devanagari}\\p{Script=Hangul}"
const UNSPACED = "\\p{Script=Thai}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}"

const FOREIGN = `[\\p{L}--[\\p{Script=Latin}${COMMON}]]`
const UNREAD = `[\\p{L}--[\\p{Script=Latin}${COMMON}${CASED}${UNCASED}${UNSPACED}]]`
/** Scripts that are read, but whose less frequent names are missed: recall on unseen names is below .85. */
const HALF_KNOWN =
  "\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Devanagari}\\p{Script=Thai}\\p{Script=Hiragana}\\p{Script=Katakana}"
/** Two letters in a row; or a word in capitals, of which the model knows only those in Latin script. Abbreviations are shorter. */
const PARTLY_READ_WRITING = new RegExp(
  `(?:${UNREAD}|[${HALF_KNOWN}])\\p{M}{0,3}(?:${UNREAD}|[${HALF_KNOWN}])|[\\p{Lu}&&[${CASED}]]{5}`,
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
