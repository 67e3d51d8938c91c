/**
 * Full names in headings, titles and questions of a few words (`Contract of John Smith`): there the model sees too little
 * around a name to know it for one, and the lists decide.
 */
import type { ModelEntity } from "../backends/backend.ts"
import { RIGHT_WORDS } from "./clusters.ts"
import { FULL_NAME, isFirstName } from "./full-names.ts"
import { isPartOfThing } from "./impersonal.ts"
import { commonWords, isListedSurname } from "./lexicon.ts"
import { isPlace } from "./places-and-days.ts"
import { isVietnamese } from "./vietnamese.ts"

const NAME_IN_LINE = new RegExp(
  `(?<![\\p{L}\\p{M}'’-])(?<!\\p{Lu}[\\p{L}'’-]* )(${FULL_NAME})(?!['’-]?[\\p{L}\\p{M}]| \\p{Lu})`,
  "gu",
)
/** What the lists alone say of a find. */
const LISTED_SCORE = 0.6

/**
 * Full names in the short lines of a window: those whose begin and end are in sight.
 *
 * @param beginsText whether nothing stands before `around`
 */
export function namesOfShortLines(around: string, beginsText: boolean): ModelEntity[] {
  if (isVietnamese(around)) return []
  const found: ModelEntity[] = []
  for (const { index: start, 1: value = "" } of around.matchAll(NAME_IN_LINE)) {
    if (!isListedName(value)) continue
    const end = start + value.length
    const [before, after] = [around.slice(0, start), around.slice(end)]
    if (/,\s*$/u.test(before) || after.startsWith(",")) continue // of a list the model sees enough
    const beginsInSight = beginsText || before.includes("\n")
    // To the right of a name a window holds no more words than these.
    const endsInSight = after.includes("\n") || (after.match(/(?<=\s)\S+/gu)?.length ?? 0) < RIGHT_WORDS
    if (!beginsInSight || !endsInSight || isPartOfThing(value, before, after)) continue
    found.push({ kind: "NAME", start, end, score: LISTED_SCORE })
  }
  return found
}

/** Both words are names and nothing else: no places, no words of the language. */
function isListedName(value: string): boolean {
  const whole = value.toLowerCase()
  const words = whole.split(" ")
  const [first, last] = [words[0]!, words.at(-1)!]
  return (
    isFirstName(first) &&
    !TITLE.test(first) &&
    isListedSurname(last) &&
    !commonWords().has(last) &&
    ![whole, first, last].some(isPlace)
  )
}

/** Before a surname these say who somebody is; some are first names too. */
const TITLE =
  /^(?:judge|justice|king|queen|prince|princess|duke|earl|baron|count|sir|lady|lord|bishop|pope|abbot|dean|deacon|major|captain|general|marshal|sergeant|doctor|professor|master|mister|miss|chancellor|president|senator|governor|mayor)$/
