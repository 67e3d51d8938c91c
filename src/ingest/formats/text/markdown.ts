import { type RawBlock, sectionTitle } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { decodeText } from "./decode.ts"
import { linesOf } from "./lines.ts"
import { addPieces } from "./text.ts"

const MAX_WHOLE_BYTES = 32 * 1024 * 1024

/** Markdown as written; headings give the sections, fences and tables stay whole. */
export const extractMarkdown: Extractor = async (source, context) => {
  // A fence may span pieces, so ordinary files are split whole; a giant one is split piece by piece.
  if (source.bytes.length > MAX_WHOLE_BYTES) return addPieces(source.bytes, context, splitMarkdown)
  context.out.addRaw(decodeText(source.bytes), splitMarkdown)
  context.out.endRaw()
}

interface OpenBlock extends RawBlock {
  /** The characters that close a fence. */
  fence?: string
}

/** Blocks of CommonMark, as far as cutting needs them: headings, fences, lists, tables, paragraphs. */
export function* splitMarkdown(text: string): Generator<RawBlock> {
  let open: OpenBlock | undefined
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end)
    if (open?.fence) {
      open.end = end
      if (line.trim().startsWith(open.fence) && /^[`~]+\s*$/.test(line.trim())) {
        yield finished(open)
        open = undefined
      }
      continue
    }
    const kind = kindOf(line, open, text, start)
    if (open && (kind !== "continues" || !line.trim())) {
      yield finished(open)
      open = undefined
    }
    if (kind === "continues" && open) open.end = end
    else if (kind === "setext") continue
    else if (line.trim()) open = opened(line, kind, start, end)
    if (open?.kind === "heading") {
      yield finished(open)
      open = undefined
    }
  }
  if (open) yield finished(open)
}

type LineKind = "continues" | "setext" | "fence" | "heading" | "list_item" | "table_header" | "table_row" | "paragraph"

function kindOf(line: string, open: OpenBlock | undefined, text: string, start: number): LineKind {
  if (/^ {0,3}(`{3,}|~{3,})/.test(line)) return "fence"
  if (/^ {0,3}#{1,6}(\s|$)/.test(line)) return "heading"
  const after = text.slice(start + line.length + 1, start + line.length + 400).split("\n", 1)[0]!
  if (line.includes("|")) {
    if (open?.kind === "table_header" && /^[\s|:-]+$/.test(line)) return "continues"
    if (open?.kind === "table_header" || open?.kind === "table_row") return "table_row"
    if (/^\s*\|?\s*:?-+:?\s*(\||$)/.test(after) && after.includes("-") && after.includes("|")) return "table_header"
  }
  if (/^\s*([-*+]|\d{1,9}[.)])\s+\S/.test(line)) return "list_item"
  if (open?.kind === "paragraph" || open?.kind === "list_item") return "continues"
  // A line underlined by = or - is a heading; the underline itself is passed over.
  if (/^ {0,3}(=+|-+)\s*$/.test(after) && line.trim() && !/^ {0,3}(=+|-+)\s*$/.test(line)) return "heading"
  if (/^ {0,3}(=+|-{2,})\s*$/.test(line)) return "setext"
  return "paragraph"
}

function opened(line: string, kind: LineKind, start: number, end: number): OpenBlock {
  if (kind === "fence") return { kind: "code", start, end, fence: /[`~]{3}/.exec(line)![0] }
  if (kind === "heading") {
    const marks = /^ {0,3}(#{1,6})\s/.exec(line)?.[1]?.length ?? 1
    return { kind: "heading", start, end, level: marks, section: sectionTitle(plainHeading(line)) }
  }
  return { kind: kind === "continues" || kind === "setext" ? "paragraph" : kind, start, end }
}

/** Longer lines are no headings; what finds their marks takes the square of the length in steps. */
const MAX_HEADING_CHARS = 1_000

/** A heading without its marks, emphasis and link targets. */
function plainHeading(line: string): string {
  return line
    .slice(0, MAX_HEADING_CHARS)
    .replace(/^\s*#{1,6}\s*|\s*#+\s*$/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`]{1,3}(\S(?:.*?\S)?)[*_`]{1,3}/g, "$1")
}

function finished(open: OpenBlock): RawBlock {
  const { fence: _, ...block } = open
  return block
}
