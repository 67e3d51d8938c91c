/** Server-sent events over fetch: EventSource can neither POST nor send headers. */
import { EventSourceParserStream } from "eventsource-parser/stream"
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
): AsyncGenerator<StreamEvent> {
  const response = await fetchApi(method, path, body, { signal, headers: { accept: "text/event-stream" } })
  if (!response.body) return
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader() // not every browser can iterate over a stream
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const { id = "", event = "message", data } = value
    yield { id, event, data: JSON.parse(data) }
  }
}
