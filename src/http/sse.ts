/** Server-sent events: one `data:` line of JSON each, numbered from 1 unless they carry their own id, with heartbeats. */
import { AppError, toErrorBody } from "../errors.ts"
import { log } from "../log.ts"
import type { RequestContext } from "./context.ts"

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
 * A streaming answer, each event as it is `shown`. `source` is called once, with a signal that aborts when the client goes away or its credential ends;
 * an event is taken from it only when the client is ready for it. A stream whose credential ends, and one whose source
 * throws, which is logged, close with the events `error` and `done`.
 */
export function eventStream<Shown extends ServerEvent, Event extends ServerEvent = Shown>(
  source: (signal: AbortSignal) => AsyncIterable<Event>,
  { keepOpen, requestId }: RequestContext,
  shown?: (event: Event) => Shown,
): Response {
  const { signal, close } = keepOpen()
  const encoder = new TextEncoder()
  const events = source(signal)[Symbol.asyncIterator]()
  let next = 1
  let ping: Timer | undefined
  let closed = false
  const end = () => {
    closed = true
    clearInterval(ping)
    signal.removeEventListener("abort", leave)
    close()
  }
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, { id, event, data }: ServerEvent) => {
    const number = id ?? next
    next = number + 1
    controller.enqueue(encoder.encode(`id: ${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
  }
  let control: ReadableStreamDefaultController<Uint8Array>
  const leave = () => {
    if (closed) return
    end()
    void events.return?.(undefined)
    if (signal.reason instanceof AppError) closeWith(signal.reason)
  }
  const closeWith = (error: unknown) => {
    send(control, { event: "error", data: { error: toErrorBody(error, requestId) } })
    send(control, { event: "done", data: {} })
    control.close()
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      control = controller
      ping = setInterval(() => controller.enqueue(encoder.encode(": ping\n\n")), PING_MS)
      if (signal.aborted) leave()
      else signal.addEventListener("abort", leave, { once: true })
    },
    async pull(controller) {
      const item = await events.next().catch(error => ({ error }))
      if (closed) return
      if ("error" in item) {
        const known = item.error instanceof AppError
        if (!known || item.error.status >= 500)
          log[known ? "warn" : "error"]("a stream failed", { request_id: requestId, error: item.error })
        end()
        return closeWith(item.error)
      }
      if (!item.done) return send(controller, shown ? shown(item.value) : item.value)
      end()
      controller.close()
    },
    cancel: leave,
  })
  return new Response(body, { headers: HEADERS })
}
