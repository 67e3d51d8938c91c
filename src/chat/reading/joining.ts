/** Joins notes that are too long together, until they fit. What they were joined to is kept like the notes themselves. */
import { guessTokens } from "../../backends/guess-tokens.ts"
import type { Asked } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { ChatEvent } from "../events.ts"
import { atOnce } from "./at-once.ts"
import { filesOf, keepNote, keyOfNote, status, trusted } from "./by-parts.ts"
import type { NoteTaker } from "./note-taker.ts"
import type { Part } from "./parts.ts"

/** How often notes of notes are made; notes that are too long even then are left out from the last one on. */
const MAX_LEVELS = 4

type Join = (notes: readonly string[], stop: AbortSignal) => Promise<string>

/** @param parts that the notes are of: what is joined of them is kept until one of their files goes */
export function joining(parts: readonly Part[], taker: NoteTaker, asked: Asked, dependencies: ChatDependencies): Join {
  const files = filesOf(parts)
  const ids = files.map(({ id }) => id)
  return async (notes, stop) => {
    const key = keyOfNote(["joined", ids, notes], taker, asked)
    const before = (await dependencies.notes.find([key])).get(key)
    if (before !== undefined) return trusted(before, asked)
    const note = await taker.join(notes, stop)
    await keepNote(key, note, files, asked, dependencies)
    return note.text
  }
}

/**
 * Notes that fit into so much room together: joined, and joined again, where they do not.
 * @returns how many are left out because they do not fit even then
 */
export async function* fitNotes(
  given: readonly string[],
  room: number,
  { count, join, partTokens, most }: { count(text: string): number; join: Join; partTokens: number; most: number },
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, { notes: string[]; leftOut: number }> {
  let notes = [...given]
  const size = () => notes.reduce((sum, note) => sum + count(note) + 2, 0)
  for (let level = 0; size() > room && notes.length > 1 && level < MAX_LEVELS; level++) {
    const groups = inGroups(notes, partTokens)
    const joined = new Map<readonly string[], string>()
    yield status({ done: 0, total: groups.length })
    const joinGroup = async (group: string[], stop: AbortSignal) => ({
      group,
      text: group.length === 1 ? group[0]! : await join(group, stop),
    })
    for await (const { group, text } of atOnce(groups, most, joinGroup, signal)) {
      joined.set(group, text)
      yield status({ done: joined.size, total: groups.length })
    }
    notes = groups.map(group => joined.get(group)!)
  }
  const before = notes.length
  while (size() > room && notes.length > 1) notes.pop()
  return { notes, leftOut: before - notes.length }
}

/**
 * Neighbors together, as many as a part has room for, two at least. Guessed as for parts: what is learned of a model's
 * tokens meanwhile leaves the groups as they were, or what was joined of them would not be found again.
 */
function inGroups(notes: readonly string[], budget: number): string[][] {
  const groups: string[][] = []
  let size = 0
  for (const note of notes) {
    const tokens = guessTokens(note)
    const last = groups.at(-1)
    if (last && (last.length < 2 || size + tokens <= budget)) {
      last.push(note)
      size += tokens
    } else {
      groups.push([note])
      size = tokens
    }
  }
  return groups
}
