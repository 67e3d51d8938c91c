/**
 * Word lists that decide what the entity model is asked about (candidates.ts) and what of its finds holds up
 * (plausible.ts); made by scripts/train/entities.
 */
import commonWordsText from "./lexicon/common-words.txt" with { type: "text" }
import foreignWordsText from "./lexicon/foreign-words.txt" with { type: "text" }
import givenNamesText from "./lexicon/given-names.txt" with { type: "text" }
import scriptNamesText from "./lexicon/script-names.txt" with { type: "text" }
import surnamesText from "./lexicon/surnames.txt" with { type: "text" }

let common: Set<string> | undefined
let given: Set<string> | undefined
let family: Set<string> | undefined
let foreign: Set<string> | undefined
let inScripts: Set<string> | undefined

/** English words that are written small: what stands here is no name, unless it is also one of `givenNames`. */
export function commonWords(): Set<string> {
  common ??= new Set((commonWordsText as unknown as string).split("\n"))
  return common
}

/** First names of many languages, small letters; some are also common words (mark, grace). */
export function givenNames(): Set<string> {
  given ??= new Set((givenNamesText as unknown as string).split("\n"))
  return given
}

/** Surnames that are not given names, in lower case: those of the entity model's words.tsv. */
export function surnames(): Set<string> {
  family ??= new Set((surnamesText as unknown as string).split("\n"))
  return family
}

/** Many given names are surnames as well. @param lower small letters */
export const isListedSurname = (lower: string): boolean => surnames().has(lower) || givenNames().has(lower)

/** Frequent small words of other languages in Latin letters that are neither English nor names. */
export function foreignWords(): Set<string> {
  foreign ??= new Set((foreignWordsText as unknown as string).split("\n"))
  return foreign
}

/** First names and surnames in scripts other than Latin, small letters; of Chinese and Korean surnames alone. */
export function scriptNames(): Set<string> {
  inScripts ??= new Set((scriptNamesText as unknown as string).split("\n"))
  return inScripts
}
