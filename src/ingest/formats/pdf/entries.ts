/** Where what was filled in stands in the text of a page. */

/** Coordinates of a page in points; y grows upwards. */
export interface Box {
  left: number
  bottom: number
  right: number
  top: number
}

export interface Entry {
  /** What the form calls it; empty where it has no name for people. */
  name: string
  value: string
  /** A box or button that is ticked: its label stands right of it. */
  ticked: boolean
  box: Box
}

/** Where an entry goes into the text of a page: after the character at `at` - 1. */
interface Insertion {
  at: number
  text: string
  left: number
}

/** Boxes of the characters of a page by their position in its text; undefined for those that are not drawn. */
export type CharacterBoxes = (Box & { at: number })[]

/** Points by which boxes may overlap or lie apart and still stand side by side. */
const SLACK = 3
/** A label stands at most this far above its field. */
const LABEL_ABOVE = 16
/** One on the same line is taken before one above unless it is further away than this. */
const LABEL_LEFT = 150
/** A label stands at most this far right of its box. */
const LABEL_RIGHT = 150

/** The text with the entries where they stand on the page, and those that stand beside no text as lines of their own. */
export function fillIn(
  text: string,
  entries: Entry[],
  boxes: CharacterBoxes,
): { text: string; unplaced: string[]; origin(at: number): number } {
  const insertions: Insertion[] = []
  const unplaced: string[] = []
  for (const entry of entries) {
    const place = findPlace(entry, boxes)
    if (place) insertions.push(place)
    else unplaced.push(entryLine(entry))
  }
  insertions.sort((a, b) => a.at - b.at || a.left - b.left)
  let filled = ""
  let from = 0
  /** Where the text grew, and by how much. */
  const growth: [at: number, by: number][] = []
  for (const { at, text: addition } of insertions) {
    filled += text.slice(from, at)
    growth.push([filled.length, addition.length])
    filled += addition
    from = at
  }
  filled += text.slice(from)
  const origin = (at: number) =>
    growth.reduce((left, [place, by]) => (place < at ? left - Math.min(by, at - place) : left), at)
  return { text: filled, unplaced, origin }
}

export function entryLine({ name, value }: { name: string; value: string }): string {
  return name ? `${name}: ${value}` : value
}

function findPlace(entry: Entry, boxes: CharacterBoxes): Insertion | undefined {
  const { box, ticked } = entry
  const value = oneLine(entry.value)
  // In a tall field what was typed begins at the top.
  const bottom = Math.max(box.bottom, box.top - 24)
  const row = boxes.filter(
    ({ bottom: low, top: high }) => (low + high) / 2 > bottom - SLACK && (low + high) / 2 < box.top + SLACK,
  )
  if (ticked) {
    const label = least(row, ({ left }) => (left >= box.right - SLACK ? left - box.right : LABEL_RIGHT))
    if (label && label.left - box.right < LABEL_RIGHT) return { at: label.at, text: "[x] ", left: box.left }
  }
  const before = least(row, ({ right }) => (right <= box.left + SLACK ? box.left - right : Number.POSITIVE_INFINITY))
  const beside = before && { at: before.at + 1, text: ` ${ticked ? "[x]" : value}`, left: box.left }
  if (beside && (ticked || box.left - before.right < LABEL_LEFT)) return beside
  const above = boxes.filter(
    ({ left, right, bottom: low }) =>
      low >= box.top - SLACK && low < box.top + LABEL_ABOVE && right > box.left - SLACK && left < box.right,
  )
  const last = least(above, ({ right }) => -right)
  return last && !ticked ? { at: last.at + 1, text: ` ${value}`, left: box.left } : beside
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim()

function least<T>(items: T[], cost: (item: T) => number): T | undefined {
  let best: T | undefined
  let lowest = Number.POSITIVE_INFINITY
  for (const item of items) {
    const value = cost(item)
    if (value < lowest) [best, lowest] = [item, value]
  }
  return best
}
