/** The chunks of a document on their way from the reader to the daemon: a file with one JSON object a line. */
import { writeSync } from "node:fs"
import { open } from "node:fs/promises"
import type { ChunkSource, TextChunk } from "../../storage/document.ts"
import { type BlockedText, type ChunkOptions, chunksOf } from "../chunk.ts"

/** Bytes read or written at a time: parsing so many takes the daemon a millisecond. */
const PIECE = 262_144
const LINE_FEED = 10
/** A reader that was taken over could write lines of any length, to be held and parsed by the daemon. */
const MAX_LINE_BYTES = 2 ** 23

/**
 * Cuts a document and writes its chunks to an open file. `on` is called now and then with the position reached.
 * @returns their number
 */
export async function writeChunks(
  file: number,
  document: BlockedText,
  options: ChunkOptions | undefined,
  on: (position: number) => Promise<void>,
): Promise<number> {
  let count = 0
  let lines = ""
  const flush = () => {
    const bytes = Buffer.from(lines)
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    lines = ""
  }
  for (const chunk of chunksOf(document, options)) {
    const line: TextChunk = { ...chunk, text: document.text.slice(chunk.start, chunk.end) }
    lines += `${JSON.stringify(line)}\n`
    count++
    if (lines.length < PIECE) continue
    flush()
    await on(chunk.end)
  }
  flush()
  return count
}

/** Reads what `writeChunks` wrote, as it is asked for. */
export function chunkSource(path: string, count: number, opening: string): ChunkSource {
  return {
    count,
    opening,
    async *batches(size) {
      let batch: TextChunk[] = []
      for await (const lines of linesOfFile(path))
        for (const line of lines) {
          batch.push(JSON.parse(line))
          if (batch.length < size) continue
          yield batch
          batch = []
        }
      if (batch.length > 0) yield batch
    },
  }
}

/** The lines of a file, those of one piece together. */
async function* linesOfFile(path: string): AsyncGenerator<string[]> {
  const handle = await open(path, "r")
  try {
    let rest: Buffer = Buffer.alloc(0)
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE)
      const { bytesRead } = await handle.read(piece, 0, PIECE)
      if (bytesRead === 0) return
      const bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)])
      const end = bytes.lastIndexOf(LINE_FEED) + 1
      rest = bytes.subarray(end)
      // Not of our making: a chunk is a few thousand characters.
      if (rest.length > MAX_LINE_BYTES) throw new Error("a line of the chunk file is too long")
      if (end > 0) yield bytes.toString("utf8", 0, end - 1).split("\n")
    }
  } finally {
    await handle.close()
  }
}
