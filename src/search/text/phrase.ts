/** Whether a text holds a phrase: the same words in the same order, without regard to case, accents and punctuation. */
import { isUnspaced, WORDS } from "./analyze.ts"
import { foldText } from "./fold.ts"

/** `phrase` as folded words. */
export function holdsPhrase(text: string, phrase: string[]): boolean {
  const words = foldText(text).match(WORDS) ?? []
  if (phrase.some(isUnspaced)) return words.join("").includes(phrase.join(""))
  return ` ${words.join(" ")} `.includes(` ${phrase.join(" ")} `)
}
