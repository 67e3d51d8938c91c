/** Whether a find in a script other than Latin holds a first name or surname that is listed, as these stand in a text. */
import { scriptNames } from "./lexicon.ts"

const WORD = /[\p{L}\p{M}]+/gu
/** `ו`, `ל`, `و`, `ب`, with or without an article. */
const PARTICLES = /^(?:[והבלכמש]|[وفبلك]?ال|[وفبلك])/u
/** Endings of cases have so many letters; less than that of a name says nothing. */
const ENDING = 2
const SHORTEST_STEM = 3

let stems: Set<string> | undefined

export const holdsListedName = (value: string): boolean =>
  (value.toLowerCase().match(WORD) ?? []).some(word => isListed(word))

function isListed(word: string): boolean {
  const names = scriptNames()
  if (names.has(word) && [...word].length > 1) return true
  if (/[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word)) return hasListedStem(word)
  if (/[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(word)) return names.has(word.replace(PARTICLES, ""))
  if (/\p{Script=Hangul}/u.test(word)) return word.length >= 3 && names.has(word[0]!)
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word))
    return word.length <= 6 && [1, 2, 3].some(length => length < word.length && names.has(word.slice(0, length)))
  if (/\p{Script=Thai}/u.test(word)) return [3, 4, 5, 6, 7, 8].some(length => names.has(word.slice(0, length)))
  return false
}

/** `Ирины` and `Соломіє`: a listed name with another ending. */
function hasListedStem(word: string): boolean {
  stems ??= new Set(scriptNames().values().flatMap(stemsOf))
  return stemsOf(word).some(stem => stems!.has(stem))
}

const stemsOf = (word: string): string[] =>
  [0, ENDING - 1, ENDING].map(cut => word.slice(0, word.length - cut)).filter(stem => stem.length >= SHORTEST_STEM)
