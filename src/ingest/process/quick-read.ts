/** The reader process at small files: text and passages stay in memory and go back in the answer. */
import { ExtractionError } from "../../storage/document.ts"
import { type ChunkOptions, chunksOf } from "../chunk.ts"
import { extractInto } from "../formats/extract.ts"
import type { QuickRequest, QuickResult } from "./reader-protocol.ts"

/** Code units of the text. With its passages in UTF-8 it fits well into one message. */
const MAX_CHARS = 65_536

/** @throws ExtractionError, and what no reader expects */
export async function readQuickly(
  { name, type, content }: QuickRequest["documents"][number],
  options: ChunkOptions | undefined,
): Promise<QuickResult> {
  const parts: string[] = []
  let length = 0
  let quick = true
  const notQuick = () => {
    quick = false
    return new ExtractionError("internal_error", "the file is not quick to read", true)
  }
  const sink = (text: string) => {
    length += text.length
    if (length > MAX_CHARS) throw notQuick()
    parts.push(text)
  }
  try {
    const document = await extractInto(sink, { name, bytes: Buffer.from(content, "base64") }, type, {
      onProgress() {},
      onOcrExpected() {},
      pause: async () => {},
      ocrLimits: undefined,
      async recognize() {
        throw notQuick()
      },
    })
    if (!quick) return { kind: "not_quick" } // a reader left out the part that was too much
    const text = parts.join("")
    const chunks = [...chunksOf({ text, blocks: document.blocks }, options)].map(chunk => ({
      ...chunk,
      text: text.slice(chunk.start, chunk.end),
    }))
    const { pageCount, ocrPageCount } = document
    const warnings = document.allWarnings()
    const outline = { pageCount, ocrPageCount, warnings, characterCount: length, chunkCount: chunks.length }
    return { kind: "read", outline, text, chunks }
  } catch (error) {
    if (!quick) return { kind: "not_quick" }
    throw error
  }
}
