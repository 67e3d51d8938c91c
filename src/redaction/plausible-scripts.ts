/** Second thoughts about what the entity model finds in scripts other than Latin. */
import type { ModelEntity } from "../backends/backend.ts"

/** Below these a find is a guess: of a name that is listed, of words that are in no list, of words that are no names in any list. */
const MIN_NAME_SCORE = {
  name: Number(process.env.SN) || 0.5,
  unlisted: Number(process.env.SU) || 0.85,
  words: Number(process.env.SW) || 0.97,
}
const MIN_ADDRESS_SCORE = Number(process.env.SA) || 0.6

/** @param find its offsets count in `around`, the window that the model saw */
export function isPlausibleInScript({ kind, start, end, score, listed }: ModelEntity, around: string): boolean {
  const value = around.slice(start, end)
  if (kind === "ADDRESS") return score >= MIN_ADDRESS_SCORE && /\d/.test(value)
  return score >= MIN_NAME_SCORE[listed ?? "unlisted"] && !/\d/.test(value)
}
