/** Where a part of a page's stored text stands on the page. */
import { align } from "./align.ts"
import { lineBoxes, type Piece } from "./line-boxes.ts"
import type { PageBox, PagedDocument, PlacedText, Sides } from "./page.ts"

/** A part of the stored text of one page, in UTF-16 code units. */
export interface MarkedText {
  text: string
  start: number
  end: number
}

/** One box a line. @param index of the page, from 0 */
export function marksOn(document: PagedDocument, index: number, { text, start, end }: MarkedText): PageBox[] {
  const size = document.sizeOf(index)
  if (!size) return []
  const characters = document.charactersOf(index)
  const aligned = align(text, characters)
  const places: (Sides | undefined)[] = Array.from(aligned, at => characters[at]?.sides)
  placeEntries(places, text, document.entriesOf(index))
  const pieces: Piece[] = []
  let beginsLine = false
  for (let at = start; at < end; at++) {
    if (text[at] === "\n") beginsLine = true
    const sides = places[at]
    if (!sides) continue
    pieces.push({ sides, beginsLine })
    beginsLine = false
  }
  return lineBoxes(pieces, size)
}

/** What was filled in stands in the text where no character of the page does. */
function placeEntries(places: (Sides | undefined)[], text: string, entries: readonly PlacedText[]): void {
  for (const entry of entries) {
    const value = entry.text.replace(/\s+/g, " ").trim()
    if (!value) continue
    const isFree = (at: number) => !places.slice(at, at + value.length).some(Boolean)
    let at = text.indexOf(value)
    while (at >= 0 && !isFree(at)) at = text.indexOf(value, at + 1)
    if (at >= 0) places.fill(entry.sides, at, at + value.length)
  }
}
