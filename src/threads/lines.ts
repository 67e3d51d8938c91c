/** Text lines of a stream of bytes. @throws RangeError for a line above `maxBytes`, which is never held whole */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)])
      if (line.length > maxBytes) throw new RangeError("a line is too long")
      parts = []
      length = 0
      from = end + 1
      yield line.toString("utf8")
    }
    if (from === chunk.length) continue
    parts.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > maxBytes) throw new RangeError("a line is too long")
  }
}

const LINE_FEED = 10
