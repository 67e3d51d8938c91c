import { open } from "node:fs/promises"
import { StringDecoder } from "node:string_decoder"

/** Bytes in memory at a time: a gigabyte passes in about a second, and nobody waits long for one piece. */
const PIECE = 1024 * 1024

/**
 * A stretch of a text that lies in UTF-8 in a file, without loading the rest. Offsets count UTF-16 code units; the
 * stretch ends with the text at the latest.
 */
export async function readTextWindow(path: string, start: number, end: number): Promise<string> {
  const handle = await open(path, "r")
  try {
    const decoder = new StringDecoder("utf8")
    const bytes = Buffer.allocUnsafe(PIECE)
    let window = ""
    for (let at = 0; at < end; ) {
      const { bytesRead } = await handle.read(bytes, 0, PIECE)
      const piece = bytesRead > 0 ? decoder.write(bytes.subarray(0, bytesRead)) : decoder.end()
      if (at + piece.length > start) window += piece.slice(Math.max(0, start - at), end - at)
      at += piece.length
      if (bytesRead === 0) break
    }
    return window
  } finally {
    await handle.close()
  }
}
