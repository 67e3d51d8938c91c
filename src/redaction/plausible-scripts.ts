/** Second thoughts about what the entity encoder finds in scripts other than Latin. */
import type { ModelEntity } from "../backends/backend.ts"
import { isCutInKorean, isIntroducedInScript, isThingInScript } from "./script-context.ts"
import { holdsListedName } from "./script-names.ts"

/**
 * Below these a find of a name is a guess; chosen on sentences that training did not see, so that text that names nobody
 * keeps its words. Without capitals an unknown word is more easily taken for a name.
 */
const MIN_NAME_SCORES: [script: RegExp, score: number][] = [
  [/[\p{Script=Cyrillic}\p{Script=Hebrew}]/u, 0.7],
  [/[\p{Script=Greek}\p{Script=Devanagari}]/u, 0.8],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 0.8],
  [/[\p{Script=Arabic}\p{Script=Thai}\p{Script=Hangul}\p{Script=Han}]/u, 0.85],
]
/** Of writing that the model was not taught. */
const OTHERWISE = 0.9
/** Of words in capitals: in a text of them any may be a name. At .7 ten times as much is hidden of those that name nobody. */
const IN_CAPITALS = 0.9
const MIN_ADDRESS_SCORE = 0.6

/**
 * Below it a find is a guess where no list holds it and nothing beside it says that it names a person. Half of what was hidden of text that
 * names nobody goes by it, and one in a hundred names that are in no list.
 */
const UNINTRODUCED = 0.93
/** Of a name behind a title, in front of one, or that somebody is called by. */
const INTRODUCED = 0.45
/** From here on the find beside another is a name, and both are one list. */
const SURE = 0.95
/** `ו`, `و`, a comma, `and`. */
const NEAR = 5

/**
 * @param find its offsets count in `around`, the window that the model saw
 * @param all what else it found there
 */
export function isPlausibleInScript(find: ModelEntity, all: ModelEntity[], around: string): boolean {
  const { kind, start, end, score } = find
  const value = around.slice(start, end)
  if (kind === "ADDRESS") return score >= MIN_ADDRESS_SCORE && /\d/.test(value)
  if (/\d/.test(value)) return false
  if (/\p{Lu}{4}/u.test(value) && !/\p{Ll}/u.test(value)) return score >= IN_CAPITALS
  const [before, after] = [around.slice(0, start), around.slice(end)]
  if (isIntroducedInScript(value, before, after)) return score >= INTRODUCED
  if (isThingInScript(before, after) || isCutInKorean(value, after)) return false
  // Kana beside them tell Japanese names from Chinese ones.
  const scripts = /\p{Script=Han}/u.test(value) ? around : value
  const least = MIN_NAME_SCORES.find(([script]) => script.test(scripts))?.[1]
  if (least === undefined) return score >= OTHERWISE
  const besideName = all.some(
    other =>
      other !== find &&
      other.kind === "NAME" &&
      other.score >= SURE &&
      start - other.end < NEAR &&
      other.start - end < NEAR,
  )
  return score >= (besideName || holdsListedName(value) ? least : UNINTRODUCED)
}
