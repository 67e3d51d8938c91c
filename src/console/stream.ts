/** Server-sent events over fetch: EventSource can neither POST nor send headers. */
import { fetchApi } from "./api.ts"

export interface StreamEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: each event kind has a shape of its own
  data: any
}

/** Yields the events of one reply until it ends. @throws ApiError before the first event. */
export async function* openStream(
  method: "GET" | "POST",
  path: string,
  body: unknown,
  signal: AbortSignal,
  lastEventId?: string,
): AsyncGenerator<StreamEvent> {
  const headers = { accept: "text/event-stream", ...(lastEventId ? { "last-event-id": lastEventId } : {}) }
  const response = await fetchApi(method, path, body, { signal, headers })
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + value).split(/\r?\n\r?\n/)
    rest = blocks.pop()!
    for (const block of blocks) {
      const event = parseEvent(block)
      if (event) yield event
    }
  }
}

function parseEvent(block: string): StreamEvent | null {
  const fields: Record<string, string> = {}
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([a-z]+):\s?(.*)$/.exec(line) ?? []
    if (name) fields[name] = fields[name] === undefined ? value! : `${fields[name]}\n${value}`
  }
  if (fields.data === undefined) return null // a comment that keeps the connection open
  return { id: fields.id ?? "", event: fields.event ?? "message", data: JSON.parse(fields.data) }
}
