import type { RawBlock } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { decodeText } from "./decode.ts"
import { addPieces, splitParagraphs } from "./text.ts"

/** Elements are gathered until a block has this many characters: about a third of a chunk. */
const MIN_BLOCK_CHARS = 400
/** Elements deeper than this are not cut apart: records in lists in one wrapping object lie at depth 2. */
const MAX_CUT_DEPTH = 2
const MAX_WHOLE_BYTES = 64 * 1024 * 1024

/** JSON as written; blocks end between elements, so that a record stays together. */
export const extractJson: Extractor = async (source, context) => {
  if (source.bytes.length > MAX_WHOLE_BYTES) return addPieces(source.bytes, context, splitParagraphs)
  context.out.addRaw(decodeText(source.bytes), splitJson)
  context.out.endRaw()
}

/** Works on broken JSON and JSON lines as well: it only follows brackets and strings. */
function* splitJson(text: string): Generator<RawBlock> {
  let depth = 0
  let start = skipBlanks(text, 0)
  let section = ""
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      if (depth === 1 && text[skipBlanks(text, end)] === ":") section = text.slice(at + 1, Math.min(end - 1, at + 100))
      at = end - 1
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth = Math.max(0, depth - 1)
    const between = (code === COMMA && depth <= MAX_CUT_DEPTH) || (code === NEWLINE && depth === 0)
    if (!between || at - start < MIN_BLOCK_CHARS) continue
    yield { kind: "code", start, end: at + (code === COMMA ? 1 : 0), section: section.toWellFormed() }
    start = skipBlanks(text, at + 1)
    at = start - 1
  }
  const end = text.trimEnd().length
  if (start < end) yield { kind: "code", start, end, section: section.toWellFormed() }
}

const QUOTE = 34
const COMMA = 44
const NEWLINE = 10
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** Position after the closing quote; a string left open ends at its line. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 92) at++
    else if (code === QUOTE) return at + 1
    else if (code === NEWLINE) return at
  }
  return text.length
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 32) at++
  return at
}
