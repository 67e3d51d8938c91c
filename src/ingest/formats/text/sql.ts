import type { RawBlock } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { decodeText } from "./decode.ts"
import { linesOf } from "./lines.ts"
import { addPieces } from "./text.ts"

const MAX_WHOLE_BYTES = 64 * 1024 * 1024
/** Statements shorter than this are joined, as long as they concern the same object. */
const MIN_BLOCK_CHARS = 200
const OBJECT =
  /^\s*(?:(?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:\w+\s+){0,2}?(?:table|view|function|procedure|trigger|index|type|sequence|schema|database)\s+(?:if\s+(?:not\s+)?exists\s+)?(?:on\s+)?|insert\s+(?:ignore\s+)?into\s+|copy\s+|update\s+|delete\s+from\s+|comment\s+on\s+\w+\s+)((?:["`[]?[\w$]+["`\]]?\.?)+)/i

/** SQL as written; blocks end with statements, and the object of a statement is its section. */
export const extractSql: Extractor = async (source, context) => {
  if (source.bytes.length > MAX_WHOLE_BYTES) return addPieces(source.bytes, context, splitSql)
  context.out.addRaw(decodeText(source.bytes), splitSql)
  context.out.endRaw()
}

/** A statement ends where a line ends with a semicolon outside of `$$ … $$`, or with a line `GO`. */
function* splitSql(text: string): Generator<RawBlock> {
  let open: RawBlock | undefined
  let dollars = 0
  let atStatement = true
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end)
    const trimmed = line.trim()
    if (!trimmed) continue
    const object = atStatement ? OBJECT.exec(line)?.[1]?.replace(/["`[\]]/g, "") : undefined
    if (open && object && object !== open.section) {
      yield open
      open = undefined
    }
    if (open) open.end = end
    else open = { kind: "code", start, end }
    if (object) open.section = object
    dollars += line.split("$$").length - 1
    atStatement =
      dollars % 2 === 0 && (/(;|^go)\s*(--.*)?$/i.test(trimmed) || (atStatement && trimmed.startsWith("--")))
    if (atStatement && !trimmed.startsWith("--") && open.end - open.start >= MIN_BLOCK_CHARS) {
      yield open
      open = undefined
    }
  }
  if (open) yield open
}
