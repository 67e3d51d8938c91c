/** The header Last-Event-ID: the last event of a stream that a reader has, so that it gets those after it. */
import { invalid } from "../errors.ts"

/** 0 without the header. @throws AppError invalid_request for anything but the number of an event */
export function lastEventIdOf(request: Request): number {
  const given = request.headers.get("last-event-id")?.trim()
  if (!given) return 0
  if (!/^\d{1,9}$/.test(given)) throw invalid("Last-Event-ID", "must be the id of an event")
  return Number(given)
}
