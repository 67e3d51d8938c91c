import { decodePieces } from "./decode.ts"
import type { RawBlock } from "./document-builder.ts"
import type { Extractor } from "./extractor.ts"
import { isNumberedHeading, linesOf } from "./lines.ts"

/** Paragraphs shorter than this are joined in one block: a text of a gigabyte must not become ten million blocks. */
const MIN_BLOCK_CHARS = 400

/** Plain text, as it is; paragraphs at empty lines, sections at numbered headings. */
export const extractText: Extractor = async (source, context) => {
  await addPieces(source.bytes, context, splitParagraphs)
}

/** Decodes and adds a text piece by piece; `split` sees one piece at a time. */
export async function addPieces(
  bytes: Uint8Array,
  context: Parameters<Extractor>[1],
  split: (text: string) => Iterable<RawBlock>,
): Promise<void> {
  let done = 0
  for (const piece of decodePieces(bytes)) {
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
  let beforeBlank = true
  const lines = linesOf(text)
  let next = lines.next()
  while (!next.done) {
    const { start, end } = next.value
    next = lines.next()
    const line = text.slice(start, end)
    if (!line.trim()) {
      if (open && open.end - open.start >= MIN_BLOCK_CHARS) {
        yield open
        open = undefined
      }
      beforeBlank = true
      continue
    }
    const after = next.done ? undefined : text.slice(next.value.start, next.value.end)
    if (beforeBlank && isNumberedHeading(line, after)) {
      if (open) yield open
      open = undefined
      yield { kind: "heading", start, end, level: 2, section: line.trim() }
    } else if (open) open.end = end
    else open = { kind: "paragraph", start, end }
    beforeBlank = false
  }
  if (open) yield open
}
