/** Lines of a file that may be as long as 100 MB, one at a time, with the place where each stands. */
import { Turns } from "../threads/turns.ts"

export interface Line {
  /** From 1; blank lines count. */
  number: number
  /** First byte, and the one behind the last; without the end of the line. */
  start: number
  end: number
  /** Undefined for a line that is longer than allowed. */
  bytes: Uint8Array | undefined
}

const NEW_LINE = 10
const BLANK = /^\s*$/
/** Longest that reading keeps the event loop to itself. */
const TURN_MS = 5

/** All lines that are not blank. @throws the reason of the signal; what the stream throws */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const turns = new Turns(TURN_MS, signal)
  let parts: Uint8Array[] = []
  let size = 0
  let start = 0
  let number = 1
  const take = (): Line | undefined => {
    const bytes = size > maxBytes ? undefined : Buffer.concat(parts)
    const line = { number, start, end: start + size, bytes }
    parts = []
    start += size + 1
    size = 0
    number++
    return bytes && bytes.length < 1_000 && BLANK.test(bytes.toString("latin1")) ? undefined : line
  }
  const add = (part: Uint8Array) => {
    size += part.byteLength
    if (size <= maxBytes) parts.push(part)
    else parts = []
  }
  for await (const chunk of stream) {
    let from = 0
    for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, from)) {
      add(chunk.subarray(from, at))
      from = at + 1
      const line = take()
      if (line) yield line
      await turns.next()
    }
    add(chunk.subarray(from))
  }
  const last = size > 0 ? take() : undefined
  if (last) yield last
}
