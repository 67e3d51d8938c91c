/** Streams of the endpoints in OpenAI's shape: chunks of JSON without names, then `[DONE]`. */
import { AppError, toErrorBody } from "../../errors.ts"
import type { Wire } from "../sse.ts"
import { DRESSES } from "./errors.ts"

const spelled = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`
const DONE = "data: [DONE]\n\n"

export const CHUNKS: Wire<object> = {
  event: spelled,
  failure: (error, requestId) => {
    const status = error instanceof AppError ? error.status : 500
    return spelled(DRESSES.openai.dress(toErrorBody(error, requestId), status)) + DONE
  },
  end: DONE,
}

/** A client that waits longer than this for the head of an answer may give it up. */
const PATIENCE_MS = 5_000

/**
 * The same events, once the first of them that `counts` is there, or after a while: what fails before it is an error of the
 * request, with its status, and not of a stream that has begun. @throws what the events fail with
 */
export async function begun<Event>(
  events: AsyncIterator<Event>,
  counts: (event: Event) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<AsyncGenerator<Event>> {
  const seen: Event[] = []
  const late = Bun.sleep(patienceMs).then(() => "late" as const)
  for (;;) {
    const next = later(events.next())
    const first = await Promise.race([next, late])
    if (first === "late") return follow(seen, next)
    if (first.done) return follow(seen, undefined)
    seen.push(first.value)
    if (counts(first.value)) return follow(seen, later(events.next()))
  }

  async function* follow(
    before: readonly Event[],
    pending: Promise<IteratorResult<Event>> | undefined,
  ): AsyncGenerator<Event> {
    try {
      yield* before
      for (let next = await pending; next && !next.done; next = await events.next()) yield next.value
    } finally {
      void events.return?.()
    }
  }
}

/** What it fails with is thrown where it is awaited, which may be long after: nobody else is to be told of it. */
function later<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
