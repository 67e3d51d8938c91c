/** Joins the places of the pieces of a passage, letters or words, to one box a line. */
import type { PageBox, PageSize, Sides } from "./page.ts"

export interface Piece {
  sides: Sides
  /** In the text a line ends before it. */
  beginsLine: boolean
}

/** Pieces of a line share this part of the lesser height. */
const SHARED = 0.4
/** A gap wider than so many heights is one between columns. */
const WIDEST_GAP = 4
/** A passage has fewer lines on any page. */
const MAX_BOXES = 2_000

/** In the order of the pieces; what lies outside of the page is left out. */
export function lineBoxes(pieces: readonly Piece[], page: PageSize): PageBox[] {
  const lines: Sides[] = []
  let before: Sides | undefined
  for (const { sides, beginsLine } of pieces) {
    const line = lines.at(-1)
    if (
      line &&
      before &&
      !beginsLine &&
      (goesOn(line, before, sides) || goesOn(...([line, before, sides].map(turned) as Three)))
    )
      enlarge(line, sides)
    else lines.push({ ...sides })
    before = sides
  }
  return lines.slice(0, MAX_BOXES).flatMap(line => onPage(line, page) ?? [])
}
type Three = [Sides, Sides, Sides]

/** As of a line that runs from top to bottom. */
const turned = ({ left, top, right, bottom }: Sides): Sides => ({ left: top, top: left, right: bottom, bottom: right })

function goesOn(line: Sides, before: Sides, { left, top, right, bottom }: Sides): boolean {
  const height = Math.min(line.bottom - line.top, bottom - top)
  if (Math.min(line.bottom, bottom) - Math.max(line.top, top) < height * SHARED) return false
  const gap = Math.max(left - before.right, before.left - right)
  return gap <= WIDEST_GAP * Math.max(before.bottom - before.top, bottom - top)
}

function enlarge(line: Sides, { left, top, right, bottom }: Sides): void {
  line.left = Math.min(line.left, left)
  line.top = Math.min(line.top, top)
  line.right = Math.max(line.right, right)
  line.bottom = Math.max(line.bottom, bottom)
}

function onPage(sides: Sides, { width, height }: PageSize): PageBox | undefined {
  const [left, right] = [share(sides.left / width), share(sides.right / width)]
  const [top, bottom] = [share(sides.top / height), share(sides.bottom / height)]
  if (right <= left || bottom <= top) return undefined
  return { x: left, y: top, width: rounded(right - left), height: rounded(bottom - top) }
}

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6
const share = (value: number): number => rounded(Math.min(1, Math.max(0, value)))
