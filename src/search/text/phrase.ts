/** Whether a text holds a phrase: the same words in the same order, without regard to case, accents and punctuation. */
import { isUnspaced } from "./analyze.ts"
import { foldText } from "./fold.ts"

const NOT_IN_WORDS = /[^\p{L}\p{N}\p{M}]+/gu

/** `phrase` as folded words. */
export function holdsPhrase(text: string, phrase: string[]): boolean {
  const folded = foldText(text)
  if (phrase.some(isUnspaced)) return folded.replace(NOT_IN_WORDS, "").includes(phrase.join(""))
  return ` ${folded.replace(NOT_IN_WORDS, " ").trim()} `.includes(` ${phrase.join(" ")} `)
}
