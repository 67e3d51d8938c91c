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

/** How the events of a stream are spelled; each text is one or more whole events. */
export interface Wire<Event> {
  /** Sent at once, where events may be long in coming: headers go out with the first bytes only. */
  begin?: string
  event(event: Event): string
  /** The end of a stream that failed, or whose credential ended. */
  failure(error: unknown, requestId: string): string
  /** The end of one that came to it; nothing where absent. */
  end?: string
}

/** Our own streams; see the first line of this file. Made anew for each: it counts. */
function numbered(): Wire<ServerEvent> {
  let next = 1
  const spelled = ({ id, event, data }: ServerEvent) => {
    const number = id ?? next
    next = number + 1
    return `id: ${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  }
  return {
    event: spelled,
    failure: (error, requestId) =>
      spelled({ event: "error", data: { error: toErrorBody(error, requestId) } }) +
      spelled({ event: "done", data: {} }),
  }
}

/** A streaming answer, each event as it is `shown`; one that fails ends with the events `error` and `done`. See `streamOf`. */
export function eventStream<Shown extends ServerEvent, Event extends ServerEvent = Shown>(
  source: (signal: AbortSignal) => AsyncIterable<Event>,
  context: RequestContext,
  shown?: (event: Event) => Shown,
): Response {
  const wire = numbered()
  return streamOf(source, context, shown ? { ...wire, event: (event: Event) => wire.event(shown(event)) } : wire)
}

/**
 * A streaming answer. `source` is called once, with a signal that aborts when the client goes away or its credential ends;
 * an event is taken from it only when the client is ready for it. What a source throws is logged, and ends the stream as
 * the wire says.
 */
export function streamOf<Event>(
  source: (signal: AbortSignal) => AsyncIterable<Event>,
  { keepOpen, requestId }: RequestContext,
  wire: Wire<Event>,
): Response {
  const { signal, close } = keepOpen()
  const encoder = new TextEncoder()
  const events = source(signal)[Symbol.asyncIterator]()
  let ping: Timer | undefined
  let closed = false
  const end = () => {
    closed = true
    clearInterval(ping)
    signal.removeEventListener("abort", leave)
    close()
  }
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, text: string) =>
    controller.enqueue(encoder.encode(text))
  let control: ReadableStreamDefaultController<Uint8Array>
  const leave = () => {
    if (closed) return
    end()
    void events.return?.(undefined)
    if (signal.reason instanceof AppError) closeWith(signal.reason)
  }
  const closeWith = (error: unknown) => {
    send(control, wire.failure(error, requestId))
    control.close()
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      control = controller
      if (wire.begin) send(controller, wire.begin)
      ping = setInterval(() => send(controller, ": ping\n\n"), PING_MS)
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
      if (!item.done) return send(controller, wire.event(item.value))
      end()
      if (wire.end) send(controller, wire.end)
      controller.close()
    },
    cancel: leave,
  })
  return new Response(body, { headers: HEADERS })
}
