/** First name and surname side by side: how they are written, and what the lists say of each. */
import { commonWords, givenNames, isListedSurname } from "./lexicon.ts"

/** A pattern's source: two words with capitals, an initial between them or none. */
export const FULL_NAME = "\\p{Lu}[\\p{Ll}\\p{M}]+ (?:\\p{Lu}\\. )?\\p{Lu}[\\p{L}\\p{M}'’-]*\\p{Ll}"

/** Months and days are first names too, but more often themselves. */
const CALENDAR =
  /^(?:january|april|may|june|july|august|october|sunday|monday|friday|easter|in|an|will|my|so|see|or|one)$/

export function isFirstName(word: string): boolean {
  const lower = word.toLowerCase()
  return givenNames().has(lower) && !CALENDAR.test(lower)
}

/** The last word is a listed name, or at least no word of the language. */
export function endsInSurname(name: string): boolean {
  const last = name.split(" ").at(-1)!.toLowerCase()
  return isListedSurname(last) || !commonWords().has(last)
}
