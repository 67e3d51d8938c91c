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

/** One that slants, as those of a page that was fed askew, is parted before its box is so many times as high as its highest piece. */
const SLANTED = 2

/** In the order of the pieces; what lies outside of the page is left out. */
export function lineBoxes(pieces: readonly Piece[], page: PageSize): PageBox[] {
  const lines: Line[] = []
  for (const { sides, beginsLine } of pieces) {
    const line = lines.at(-1)
    if (line && !beginsLine && (goesOn(line, sides) || goesOn(turnedLine(line), turned(sides)))) enlarge(line, sides)
    else lines.push({ box: { ...sides }, high: heightOf(sides), wide: widthOf(sides) })
  }
  return lines.slice(0, MAX_BOXES).flatMap(({ box }) => onPage(box, page) ?? [])
}

interface Line {
  box: Sides
  /** Of its highest and its widest piece. */
  high: number
  wide: number
}

const heightOf = ({ top, bottom }: Sides): number => bottom - top
const widthOf = ({ left, right }: Sides): number => right - left

/** As of a line that runs from top to bottom. */
const turned = ({ left, top, right, bottom }: Sides): Sides => ({ left: top, top: left, right: bottom, bottom: right })
const turnedLine = ({ box, high, wide }: Line): Line => ({
  box: turned(box),
  high: wide,
  wide: high,
})

function goesOn({ box, high }: Line, next: Sides): boolean {
  const both = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top)
  if (both < Math.min(heightOf(box), heightOf(next)) * SHARED) return false
  const joined = Math.max(box.bottom, next.bottom) - Math.min(box.top, next.top)
  if (joined > SLANTED * Math.max(high, heightOf(next))) return false
  const gap = Math.max(next.left - box.right, box.left - next.right)
  return gap <= WIDEST_GAP * Math.max(high, heightOf(next))
}

function enlarge(line: Line, next: Sides): void {
  const { box } = line
  box.left = Math.min(box.left, next.left)
  box.top = Math.min(box.top, next.top)
  box.right = Math.max(box.right, next.right)
  box.bottom = Math.max(box.bottom, next.bottom)
  line.high = Math.max(line.high, heightOf(next))
  line.wide = Math.max(line.wide, widthOf(next))
}

function onPage(sides: Sides, { width, height }: PageSize): PageBox | undefined {
  const [left, right] = [share(sides.left / width), share(sides.right / width)]
  const [top, bottom] = [share(sides.top / height), share(sides.bottom / height)]
  if (right <= left || bottom <= top) return undefined
  return { x: left, y: top, width: rounded(right - left), height: rounded(bottom - top) }
}

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6
const share = (value: number): number => rounded(Math.min(1, Math.max(0, value)))
