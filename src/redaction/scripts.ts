/**
 * Which writing the search for names and addresses understands. It knows Latin; of Greek and Cyrillic only the names in
 * its list. All other scripts are left alone by it: their names are not known, and a guess would erase ordinary words.
 */

/** The code and the words with which an answer says that names in some of its scripts stayed readable. */
export const PARTIAL_REDACTION = {
  code: "redaction_partial",
  message:
    "The text contains a script in which names and addresses of people are not recognized (only those in Latin letters are, and " +
    "some in Greek and Cyrillic); e-mail addresses, numbers and credentials in it are redacted all the same.",
} as const

const FOREIGN = "[\\p{L}--[\\p{Script=Latin}\\p{Script=Common}\\p{Script=Inherited}]]"
const UNREAD =
  "[\\p{L}--[\\p{Script=Latin}\\p{Script=Common}\\p{Script=Inherited}\\p{Script=Greek}\\p{Script=Cyrillic}]]"
/** Two letters in a row; three in Greek, whose letters are signs in formulas. */
const FOREIGN_WRITING = new RegExp(`${UNREAD}\\p{M}{0,3}${UNREAD}|\\p{Script=Cyrillic}{2}|\\p{Script=Greek}{3}`, "v")
const FOREIGN_LETTER = new RegExp(FOREIGN, "v")
const UNREAD_LETTER = new RegExp(UNREAD, "v")
const UNREAD_STRETCH = new RegExp(`${UNREAD}[\\p{L}\\p{M}]*`, "gv")

/** The text holds words of which not all names are known. */
export const isPartlyRead = (text: string): boolean => FOREIGN_WRITING.test(text)

/** Any letter but a Latin one. */
export const hasForeignLetter = (text: string): boolean => FOREIGN_LETTER.test(text)

/** A letter of a script that is left alone. */
export const hasUnreadLetter = (text: string): boolean => UNREAD_LETTER.test(text)

/** The stretches of a script that is left alone. */
export function unreadStretches(text: string): { start: number; end: number }[] {
  return [...text.matchAll(UNREAD_STRETCH)].map(({ 0: stretch, index }) => ({
    start: index,
    end: index + stretch.length,
  }))
}

/** The text with its stretches of such scripts left out. */
export const withoutUnread = (text: string): string => text.replaceAll(UNREAD_STRETCH, " ").trim()
