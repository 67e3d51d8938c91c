/** Picks from a whole text the sentences that tell most of it: what an answer without a language model can say of a whole. Pure. */
import type { Quote } from "./best-sentences.ts"
import { termsOf } from "./question-words.ts"
import { sentencesOf } from "./sentences.ts"

/** Sentences of one answer: one of each part of the text, in reading order. */
const MAX_QUOTES = 12
/** Terms of a sentence that says something, and of one that says too much to be quoted. */
const FEWEST_TERMS = 4
const MOST_TERMS = 40
/** UTF-16 units of a passage that are looked at, and of a sentence that is quoted. */
const MAX_PASSAGE = 8_000
const MAX_LENGTH = 600

/** @param passages of the text, in reading order */
export function tellingSentences(passages: readonly { index: number; text: string }[]): Quote[] {
  const sentences = passages.map(({ index, text }) =>
    sentencesOf(text.slice(0, MAX_PASSAGE)).map(sentence => ({
      index,
      text: sentence,
      terms: new Set(termsOf(sentence)),
    })),
  )
  const weights = new Map<string, number>()
  for (const { terms } of sentences.flat()) for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + 1)
  const score = (terms: ReadonlySet<string>): number => {
    if (terms.size < FEWEST_TERMS || terms.size > MOST_TERMS) return 0
    let sum = 0
    for (const term of terms) sum += Math.log(1 + weights.get(term)!)
    return sum / Math.sqrt(terms.size)
  }
  const groups = Math.min(MAX_QUOTES, passages.length)
  const said = new Set<string>()
  return Array.from({ length: groups }, (_, at) => {
    const [from, to] = [at, at + 1].map(edge => Math.floor((edge * passages.length) / groups))
    const ranked = sentences
      .slice(from, to)
      .flat()
      .filter(({ text }) => text.length <= MAX_LENGTH && !said.has(text))
      .map(sentence => ({ ...sentence, score: score(sentence.terms) }))
    const best = ranked.reduce((left, right) => (right.score > left.score ? right : left), ranked[0]!)
    if (!best || best.score === 0) return []
    said.add(best.text)
    return [{ index: best.index, text: best.text }]
  }).flat()
}
