/** Server-sent events: one `data:` line of JSON each, numbered from 1 unless they carry their own id, with heartbeats. */

export interface ServerEvent {
  id?: number
  event: string
  data: unknown
}

/** Below the 15 s of silence that the contract promises and most proxies allow. */
const PING_MS = 10_000

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no", // nginx would hold events back
  connection: "keep-alive",
}

/**
 * A streaming answer. `open` is called once, with a signal that aborts when the client goes away; an event is taken from
 * it only when the client is ready for it. An error of the source ends the stream: sources report theirs as events.
 */
export function eventStream(
  open: (signal: AbortSignal) => AsyncIterable<ServerEvent>,
  clientGone: AbortSignal,
): Response {
  const abort = new AbortController()
  const encoder = new TextEncoder()
  const source = open(abort.signal)[Symbol.asyncIterator]()
  let next = 1
  let ping: Timer | undefined
  const leave = () => {
    clearInterval(ping)
    abort.abort()
    void source.return?.(undefined)
  }
  clientGone.addEventListener("abort", leave, { once: true })
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      ping = setInterval(() => controller.enqueue(encoder.encode(": ping\n\n")), PING_MS)
    },
    async pull(controller) {
      const item = await source.next().catch(() => ({ done: true as const, value: undefined }))
      if (item.done) {
        clearInterval(ping)
        clientGone.removeEventListener("abort", leave)
        if (!abort.signal.aborted) controller.close()
        return
      }
      const { id, event, data } = item.value
      const number = id ?? next
      next = number + 1
      controller.enqueue(encoder.encode(`id: ${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
    },
    cancel: leave,
  })
  return new Response(body, { headers: HEADERS })
}
