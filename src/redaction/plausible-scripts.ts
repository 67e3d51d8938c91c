/** Second thoughts about what the entity model finds in scripts other than Latin. */
import type { ModelEntity } from "../backends/backend.ts"

interface MinScores {
  /** Of a find that holds a listed name. */
  name: number
  /** Of words that are in no list. */
  unlisted: number
  /** Of words that are listed, but as no names. */
  words: number
}

/**
 * Below these a find of a name is a guess; chosen on sentences that training did not see, so that text that names nobody
 * keeps its words. Where neither capitals nor syllables tell a name from a word, the model is too sure of unknown words.
 */
const MIN_NAME_SCORES: [script: RegExp, scores: MinScores][] = [
  [/\p{Script=Cyrillic}/u, { name: 0.5, unlisted: 0.88, words: 0.99 }],
  [/\p{Script=Greek}/u, { name: 0.5, unlisted: 0.8, words: 0.99 }],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, { name: 0.4, unlisted: 0.5, words: 0.8 }],
  [/\p{Script=Hangul}/u, { name: 0.6, unlisted: 0.8, words: 0.99 }],
  [/\p{Script=Han}/u, { name: 0.7, unlisted: 0.9, words: 0.99 }],
]
const OTHERWISE: MinScores = { name: 0.8, unlisted: 0.97, words: 0.99 }
/** Of several words one of which is a listed name, that much less is enough. */
const FULL_NAME_BONUS = 0.15
const MIN_ADDRESS_SCORE = 0.6

/** @param find its offsets count in `around`, the window that the model saw */
export function isPlausibleInScript({ kind, start, end, score, listed }: ModelEntity, around: string): boolean {
  const value = around.slice(start, end)
  if (kind === "ADDRESS") return score >= MIN_ADDRESS_SCORE && /\d/.test(value)
  if (/\d/.test(value)) return false
  // Kana beside them tell Japanese names from Chinese ones.
  const scripts = /\p{Script=Han}/u.test(value) ? around : value
  const scores = MIN_NAME_SCORES.find(([script]) => script.test(scripts))?.[1] ?? OTHERWISE
  const bonus = listed === "name" && /\S\s\S/u.test(value) ? FULL_NAME_BONUS : 0
  return score >= scores[listed ?? "unlisted"] - bonus
}
