/**
 * What belongs to a find or stands beside it as its like: the first name before a surname that is a word, and those with
 * whom a person is named in one breath. The model sees each word for itself and may take one and leave the other.
 */
import type { ModelEntity } from "../backends/backend.ts"
import { isPartOfThing } from "./impersonal.ts"
import { commonWords, givenNames, surnames } from "./lexicon.ts"
import { isPlace } from "./places-and-days.ts"
import { isVietnamese } from "./vietnamese.ts"

const LAST_WORD = /(?<![\p{L}\p{M}'’-])(\p{Lu}[\p{Ll}\p{M}]+) $/u
const FULL_NAME = "\\p{Lu}[\\p{Ll}\\p{M}]+ (?:\\p{Lu}\\. )?\\p{Lu}[\\p{L}\\p{M}'’-]*\\p{Ll}"
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

const NAME_IN_LINE = new RegExp(
  `(?<![\\p{L}\\p{M}'’-])(?<!\\p{Lu}[\\p{L}'’-]* )(${FULL_NAME})(?!['’-]?[\\p{L}\\p{M}]| \\p{Lu})`,
  "gu",
)
/** As many as stand behind a cluster: to the right of a name no more is seen. */
const WORDS_BEHIND = 3

/**
 * Full names, both words listed, in headings, titles and questions of a few words (`Contract of John Smith`): there the model
 * sees too little around a name to know it for one. Lines are short when their begin and their end are in sight.
 *
 * @param beginsText whether nothing stands before `around`
 */
export function namesOfShortLines(around: string, beginsText: boolean): ModelEntity[] {
  if (isVietnamese(around)) return []
  const found: ModelEntity[] = []
  for (const { index: start, 1: value = "" } of around.matchAll(NAME_IN_LINE)) {
    const [before, after] = [around.slice(0, start), around.slice(start + value.length)]
    if (/,\s*$/u.test(before) || /^,/u.test(after)) continue // of a list the model sees enough
    const beginsInSight = beginsText || before.includes("\n")
    const endsInSight = after.includes("\n") || (after.match(/(?<=\s)\S+/gu)?.length ?? 0) < WORDS_BEHIND
    if (!beginsInSight || !endsInSight || !isListedName(value) || isPartOfThing(value, before, after)) continue
    found.push({ kind: "NAME", start, end: start + value.length, score: LISTED_SCORE })
  }
  return found
}

/** Both words are names and nothing else: no places, no words of the language. */
function isListedName(value: string): boolean {
  const words = value.toLowerCase().split(" ")
  const [first, last] = [words[0]!, words.at(-1)!]
  const isSurname = surnames().has(last) || givenNames().has(last)
  return (
    isFirstName(first) &&
    !TITLE.test(first) &&
    isSurname &&
    !commonWords().has(last) &&
    !isPlace(value.toLowerCase()) &&
    !isPlace(first) &&
    !isPlace(last)
  )
}

/** Before a surname these say who somebody is; some are first names too. */
const TITLE =
  /^(?:judge|justice|king|queen|prince|princess|duke|earl|baron|count|sir|lady|lord|bishop|pope|abbot|dean|deacon|major|captain|general|marshal|sergeant|doctor|professor|master|mister|miss|chancellor|president|senator|governor|mayor)$/

/** What the table of names alone says of a find. */
const LISTED_SCORE = 0.6

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
  const words = value.split(" ")
  const last = words.at(-1)!.toLowerCase()
  const isSurname = surnames().has(last) || givenNames().has(last) || !commonWords().has(last)
  return isFirstName(words[0]!) && isSurname && !isPartOfThing(value, before, after)
}

/** Months and days are first names too, but more often themselves. */
const CALENDAR =
  /^(?:january|april|may|june|july|august|october|sunday|monday|friday|easter|in|an|will|my|so|see|or|one)$/
const isFirstName = (word: string): boolean => {
  const lower = word.toLowerCase()
  return givenNames().has(lower) && !CALENDAR.test(lower)
}
