/** Reads what is stored of the pages of a file beside its text: see `ingest/pages/layout.ts`. */
import { type PlacedWord, parseLayout, unpackWords } from "../ingest/pages/layout.ts"
import type { PageOutline } from "../ingest/pages/page.ts"
import type { ByteRange, StoredBytes } from "../storage/blobs/blobs.ts"

/** `words`: where those of a page that was recognized lie in the layout. */
export type KnownPage = PageOutline & { words?: ByteRange }

const LINE_FEED = 10
/** Some 60 bytes a page. */
const MAX_LINE_BYTES = 32 * 2 ** 20

export async function readLayout(stored: StoredBytes, signal: AbortSignal): Promise<KnownPage[]> {
  const line = await firstLine(stored, signal)
  const from = line.length + 1
  return parseLayout(line.toString()).map(({ wordsAt, wordsLength, ...page }) => ({
    ...page,
    ...(wordsLength > 0 ? { words: { start: from + wordsAt, end: from + wordsAt + wordsLength } } : {}),
  }))
}

export async function readWords(stored: StoredBytes, range: ByteRange, signal: AbortSignal): Promise<PlacedWord[]> {
  return unpackWords(await new Response(await stored.stream(range, signal)).bytes())
}

async function firstLine(stored: StoredBytes, signal: AbortSignal): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of await stored.stream(undefined, signal)) {
    const end = piece.indexOf(LINE_FEED)
    pieces.push(end < 0 ? piece : piece.subarray(0, end))
    if (end >= 0) return Buffer.concat(pieces)
    length += piece.length
    if (length > MAX_LINE_BYTES) break
  }
  throw new Error("a layout of pages is damaged")
}
