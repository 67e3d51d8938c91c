import { StringDecoder } from "node:string_decoder"
import type { StoredBytes } from "./blobs/blobs.ts"

/**
 * A stretch of a text stored as UTF-8, without loading the rest. Offsets count UTF-16 code units; the
 * stretch ends with the text at the latest.
 */
export async function readTextWindow(text: StoredBytes, start: number, end: number): Promise<string> {
  const decoder = new StringDecoder("utf8")
  let at = 0
  let window = ""
  const take = (piece: string) => {
    if (at < end && at + piece.length > start) window += piece.slice(Math.max(0, start - at), end - at)
    at += piece.length
  }
  for await (const bytes of await text.stream()) {
    take(decoder.write(bytes))
    if (at >= end) return window
  }
  take(decoder.end())
  return window
}
