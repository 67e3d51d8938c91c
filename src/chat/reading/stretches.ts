/** The text of a file as numbered stretches: each lies in one place, so that a citation of it opens the page. Pure. */
import type { Position, Source } from "../../grounding/passages.ts"
import type { TextFile, TextSlice } from "../../library/whole-texts.ts"

/** UTF-16 units that a stretch aims at: longer ones blur what is cited. */
const STRETCH_CHARACTERS = 4_000

/** As it stands in the file, not yet redacted. */
export interface Stretch {
  chunkId: string
  text: string
  position: Position
}

/** Joins the slices of a file, in reading order, to stretches of one place each. */
export async function stretchesOf(
  slices: AsyncIterable<TextSlice>,
  limit: { characters: number },
): Promise<{ stretches: Stretch[]; isCut: boolean }> {
  const stretches: Stretch[] = []
  let characters = 0
  for await (const { chunkId, text, start, end, place } of slices) {
    if (characters + text.length > limit.characters) return { stretches, isCut: true }
    characters += text.length
    const last = stretches.at(-1)
    if (last && samePlace(last.position, place) && end - last.position.start <= STRETCH_CHARACTERS) {
      last.text += "\n".repeat(start - last.position.end) + text
      last.position.end = end
    } else stretches.push({ chunkId, text, position: { ...place, start, end } })
  }
  return { stretches, isCut: false }
}

const PLACES = ["page", "sheet", "slide", "member"] as const

const samePlace = (left: Pick<Position, (typeof PLACES)[number]>, right: Pick<Position, (typeof PLACES)[number]>) =>
  PLACES.every(name => left[name] === right[name])

/** A stretch as it is given to a model and told to readers. */
export const sourceOf = (
  { id, name }: Pick<TextFile, "id" | "name">,
  { chunkId, position }: Stretch,
  text: string,
  index: number,
): Source => ({ index, file_id: id, name, chunk_id: chunkId, score: 1, text, position, whole: true })
