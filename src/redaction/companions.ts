/**
 * What belongs to a find or stands beside it as its like: the first name before a surname that is a word, and those with
 * whom a person is named in one breath. The model sees each word for itself and may take one and leave the other.
 */
import type { ModelEntity } from "../backends/backend.ts"
import { endsInSurname, FULL_NAME, isFirstName } from "./full-names.ts"
import { isPartOfThing } from "./impersonal.ts"

const LAST_WORD = /(?<![\p{L}\p{M}'’-])(\p{Lu}[\p{Ll}\p{M}]+) $/u
const BEFORE_AND = new RegExp(`(?<![\\p{L}\\p{M}'’-] ?)(${FULL_NAME})(?:,| and| und| et| y| e) $`, "u")
const AND_AFTER = new RegExp(`^(?:,| and| und| et| y| e) (${FULL_NAME})(?![\\p{L}\\p{M}])(?! \\p{Lu})`, "u")

/** The finds, each with its first name, and the full names joined to them by `and` or a comma; offsets count in `around`. */
export function withCompanions(finds: ModelEntity[], around: string): ModelEntity[] {
  const whole = finds.map(find => withFirstName(find, around))
  return [...whole, ...whole.flatMap(find => companions(find, around))]
}

function withFirstName(find: ModelEntity, around: string): ModelEntity {
  const value = around.slice(find.start, find.end)
  if (find.kind !== "NAME" || !/^\p{Lu}/u.test(value)) return find
  const first = LAST_WORD.exec(around.slice(0, find.start))?.[1]
  if (first === undefined || !isFirstName(first)) return find
  return { ...find, start: find.start - first.length - 1 }
}

function companions(find: ModelEntity, around: string): ModelEntity[] {
  if (find.kind !== "NAME" || !/^\p{Lu}\S* .*\p{Lu}/u.test(around.slice(find.start, find.end))) return []
  const found: ModelEntity[] = []
  const before = BEFORE_AND.exec(around.slice(0, find.start))
  if (before) found.push({ ...find, start: before.index, end: before.index + before[1]!.length })
  const after = AND_AFTER.exec(around.slice(find.end))
  if (after) {
    const start = find.end + after[0].length - after[1]!.length
    found.push({ ...find, start, end: start + after[1]!.length })
  }
  return found.filter(({ start, end }) =>
    isFullName(around.slice(start, end), around.slice(0, start), around.slice(end)),
  )
}

function isFullName(value: string, before: string, after: string): boolean {
  const [first = ""] = value.split(" ")
  return isFirstName(first) && endsInSurname(value) && !isPartOfThing(value, before, after)
}
