import type { RawBlock } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { decodePieces } from "./decode.ts"
import { isNumberedHeading, linesOf } from "./lines.ts"

/** Paragraphs shorter than this are joined in one block: a text of a gigabyte must not become ten million blocks. */
const MIN_BLOCK_CHARS = 400

const MAX_HEADING_CHARS = 200

/** Plain text, as it is; paragraphs at empty lines, sections at numbered headings. */
export const extractText: Extractor = async (source, context) => {
  await addPieces(source.bytes, context, splitParagraphs, source.reading?.charset)
}

/** Decodes and adds a text piece by piece; `split` sees one piece at a time. */
export async function addPieces(
  bytes: Uint8Array,
  context: Parameters<Extractor>[1],
  split: (text: string) => Iterable<RawBlock>,
  declared?: string,
): Promise<void> {
  let done = 0
  for (const piece of decodePieces(bytes, declared)) {
    context.out.addRaw(piece, split)
    done += piece.length
    context.progress(Math.min(1, done / bytes.length))
    await context.pause()
  }
  context.out.endRaw()
}

/** Paragraphs of plain text; a heading is a block of its own. */
export function* splitParagraphs(text: string): Generator<RawBlock> {
  let open: RawBlock | undefined
  let afterBlank = true
  for (const { start, end } of linesOf(text)) {
    if (isBlankLine(text, start, end)) {
      if (open && open.end - open.start >= MIN_BLOCK_CHARS) {
        yield open
        open = undefined
      }
      afterBlank = true
      continue
    }
    if (afterBlank && isHeading(text, start, end)) {
      if (open) yield open
      open = undefined
      yield { kind: "heading", start, end, level: 2, section: text.slice(start, end).trim() }
    } else if (open) open.end = end
    else open = { kind: "paragraph", start, end }
    afterBlank = false
  }
  if (open) yield open
}

function isBlankLine(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++)
    if (text.charCodeAt(at) > 32) return text.charCodeAt(at) > 127 && text.slice(at, end).trim() === ""
  return true
}

/** A numbered line with an empty one below. */
function isHeading(text: string, start: number, end: number): boolean {
  if (end - start > MAX_HEADING_CHARS) return false
  const next = text.indexOf("\n", end + 1)
  return isNumberedHeading(text.slice(start, end), text.slice(end + 1, next < 0 ? text.length : next))
}
