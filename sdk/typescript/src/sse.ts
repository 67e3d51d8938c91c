/** Server-sent events and lines of JSON, as they come. */

export interface ServerSentEvent {
  /** Empty where it has none. */
  id: string
  event: string
  data: string
}

/** The whole events of a stream; what a cut leaves unfinished is dropped. Takes time in proportion to what comes. */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let [id, event]: string[] = ["", ""]
  let data: string[] = []
  for await (const line of linesOf(stream)) {
    if (line === "") {
      if (data.length > 0) yield { id: id!, event: event || "message", data: data.join("\n") }
      ;[event, data] = ["", []]
      continue
    }
    const colon = line.indexOf(":")
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (name === "id") id = value
    else if (name === "event") event = value
    else if (name === "data") data.push(value)
  }
}

/** The values of a stream of JSON lines; the last one need not have ended. */
export async function* jsonLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void> {
  for await (const line of linesOf(stream, { unended: true })) if (line) yield JSON.parse(line)
}

/** Lines that have ended, and the last one `unended`; they end with LF, CR or CRLF, which may come in two pieces. */
async function* linesOf(stream: ReadableStream<Uint8Array>, { unended = false } = {}): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let endedWithReturn = false
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        if (unended && parts.length > 0) yield parts.join("")
        return
      }
      let text = decoder.decode(value, { stream: true })
      if (text === "") continue
      if (endedWithReturn && text[0] === "\n") text = text.slice(1)
      endedWithReturn = text.endsWith("\r")
      const lines = text.split(/\r\n|\n|\r/)
      const last = lines.pop()!
      for (const line of lines) {
        yield parts.join("") + line
        parts = []
      }
      if (last) parts.push(last)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
