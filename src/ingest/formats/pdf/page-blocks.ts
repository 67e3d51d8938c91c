/** Turns the lines of one PDF page into blocks: headings by type size and number, list items, paragraphs. */
import type { BlockKind } from "../../../storage/document.ts"
import { linesOf } from "../text/lines.ts"
import type { PageText } from "./pdfium.ts"

export interface PageBlock {
  kind: BlockKind
  text: string
  level?: number
}

/** A heading is set at least this much larger than the running text. */
const HEADING_SIZE = 1.15
const MAX_HEADING_CHARS = 120
/** A paragraph's last line is mostly shorter than this share of the longest lines. */
const SHORT_LINE = 0.8
const BULLET = /^\s*(?:[•◦▪●‣∙·–—*-]|\(?[a-z\d]{1,2}[.)])\s+\S/i
const NUMBERED =
  /^(?:(?:article|section|chapter|part|annex|appendix|schedule|§)\s*[\dIVXA-Z][\w.]*[:.)]?|\d{1,2}(?:\.\d{1,2}){1,4}\.?)\s+\p{Lu}.*[\p{L}\p{N})]$/iu

interface PageLine {
  text: string
  size: number
}

export function pageBlocks(page: PageText): PageBlock[] {
  const lines: PageLine[] = []
  for (const { start, end } of linesOf(page.text)) {
    const text = page.text.slice(start, end).trim()
    if (text) lines.push({ text: readable(text), size: page.fontSizeAt(start) })
  }
  const body = bodySize(lines)
  const full = longLine(lines)
  const blocks: PageBlock[] = []
  let open: PageBlock | undefined
  let before: PageLine | undefined
  for (const line of lines) {
    const level = headingLevel(line, body, lines.length)
    const joins = open && before && continues(open, before, line, level, full)
    if (open && joins) open.text += `\n${line.text}`
    else {
      open = level
        ? { kind: "heading", text: line.text, level }
        : { kind: BULLET.test(line.text) ? "list_item" : "paragraph", text: line.text }
      blocks.push(open)
    }
    before = line
  }
  return blocks
}

/** Ligatures as letters, and U+FFFE, which PDFium writes for a hyphen at a line end, joins the word. */
function readable(text: string): string {
  const joined = text.replaceAll("\ufffe", "")
  return /[\ufb00-\ufb06]/.test(joined)
    ? joined.replace(/[\ufb00-\ufb06]/g, ligature => ligature.normalize("NFKC"))
    : joined
}

function headingLevel({ text, size }: PageLine, body: number, lineCount: number): number | undefined {
  if (text.length > MAX_HEADING_CHARS || !/\p{L}{2}/u.test(text)) return undefined
  // A page of few lines has no running text to compare with.
  if (lineCount > 3 && size >= body * HEADING_SIZE) return size >= body * 1.6 ? 1 : 2
  if (text.length <= 80 && NUMBERED.test(text)) return 3
  return undefined
}

function continues(
  open: PageBlock,
  before: PageLine,
  line: PageLine,
  level: number | undefined,
  full: number,
): boolean {
  if (level !== undefined || open.kind === "heading")
    return (
      level === open.level &&
      level !== 3 &&
      Math.abs(before.size - line.size) < 0.5 &&
      open.text.length < MAX_HEADING_CHARS
    )
  if (BULLET.test(line.text)) return false
  return !(/[.:!?]["”’)]?$/.test(before.text) && before.text.length < full * SHORT_LINE)
}

/** The type size that most characters have. */
function bodySize(lines: PageLine[]): number {
  const characters = new Map<number, number>()
  for (const { text, size } of lines) {
    const rounded = Math.round(size * 2) / 2
    characters.set(rounded, (characters.get(rounded) ?? 0) + text.length)
  }
  let body = 0
  for (const [size, count] of characters) if (count > (characters.get(body) ?? 0)) body = size
  return body
}

/** The length that nine in ten lines do not exceed. */
function longLine(lines: PageLine[]): number {
  const lengths = lines.map(line => line.text.length).sort((a, b) => a - b)
  return lengths[Math.floor(lengths.length * 0.9)] ?? 0
}
