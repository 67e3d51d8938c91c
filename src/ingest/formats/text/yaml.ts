import type { RawBlock } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { decodeText } from "./decode.ts"
import { linesOf } from "./lines.ts"
import { addPieces } from "./text.ts"

const MAX_WHOLE_BYTES = 64 * 1024 * 1024
const MIN_BLOCK_CHARS = 400
const KEY = /^(?:"([^"]+)"|'([^']+)'|([^\s#'"[{&*!|>%@`-][^:#]*|-?[^\s#'"-][^:#]*)):(?:\s|$)/

/** YAML as written; blocks end before an outer key or list item, and the outermost key is the section. */
export const extractYaml: Extractor = async (source, context) => {
  if (source.bytes.length > MAX_WHOLE_BYTES) return addPieces(source.bytes, context, splitYaml)
  context.out.addRaw(decodeText(source.bytes), splitYaml)
  context.out.endRaw()
}

function* splitYaml(text: string): Generator<RawBlock> {
  let open: RawBlock | undefined
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end)
    if (!line.trim()) continue
    const match = KEY.exec(line)
    const key = match?.[1] ?? match?.[2] ?? match?.[3]
    const outer = key !== undefined || /^(---|- )/.test(line)
    // Items of a list one level in are good places to cut too, once enough was gathered.
    const inner = /^ {1,4}(- |\S+:)/.test(line)
    const length = open ? open.end - open.start : 0
    if (open && ((outer && length >= MIN_BLOCK_CHARS / 4) || (inner && length >= MIN_BLOCK_CHARS))) {
      yield open
      open = undefined
    }
    if (open) open.end = end
    else open = { kind: "code", start, end }
    if (key && open.start === start) open.section = key.trim()
  }
  if (open) yield open
}
