/** A stream of typed events that goes on by itself after a cut, where it stopped, without telling any event twice. */
import { apiError, parsed } from "./answers.ts"
import { AnswerError, ApiError, ConnectionError } from "./api-error.ts"
import type { ErrorEvent } from "./generated.ts"
import { pauseAfter, wait } from "./retries.ts"
import { eventsOf } from "./sse.ts"

/** What the API's streams have in common: numbered events, `done` last. */
export interface NumberedEvent {
  id: number
  event: string
  data: object
}

interface Opening<Event> {
  /** Opens the stream behind that event; from its beginning without one. */
  open(after: number | undefined, signal: AbortSignal | undefined): Promise<Response>
  /** Sees each event before it is told. */
  seen?(event: Event): void
  signal: AbortSignal | undefined
  /** How long a cut stream is tried again without an event of its coming. */
  retryMs: number
}

/**
 * The events, until `done`.
 * @throws ConnectionError where it cannot go on; whatever `open` throws; the signal's reason
 */
export async function* resumed<Event extends NumberedEvent>(opening: Opening<Event>): AsyncGenerator<Event, void> {
  const { signal, retryMs } = opening
  let last: number | undefined
  let failedAt: number | undefined
  let isDone = false
  for (let tries = 0; ; tries++) {
    const before = last
    let failure: unknown = new ConnectionError("the stream was cut")
    try {
      const { body } = await opening.open(last, signal)
      for await (const { id, event, data } of eventsOf(body!)) {
        const number = Number(id)
        if (last !== undefined && number <= last) continue
        last = number
        ;[failedAt, tries] = [undefined, 0]
        const told = { id: number, event, data: parsed(data) } as unknown as Event
        opening.seen?.(told)
        yield told
        // The server ends the answer behind it: read to there, its connection serves the next request.
        isDone = event === "done"
      }
      if (isDone) return
    } catch (error) {
      if (isDone) return
      signal?.throwIfAborted()
      if (error instanceof ApiError && pauseAfter(error, 0, true) === undefined) throw error
      if (error instanceof AnswerError) throw error
      failure = error instanceof ApiError ? error : new ConnectionError("the stream was cut", { cause: error })
    }
    // A cut behind something new is gone on from at once.
    const pause = failedAt === undefined && last !== before ? 0 : pauseAfter(failure, tries, true)!
    failedAt ??= Date.now()
    if (Date.now() + pause > failedAt + retryMs) throw failure
    await wait(pause, signal)
  }
}

/** What an `error` event tells, as it is thrown. */
export function errorIn({ data }: ErrorEvent): ApiError {
  const { request_id: requestId, ...error } = data.error
  return apiError({ status: 0, ...error, requestId })
}
