/** The header Last-Event-ID: the last event of a stream that a reader has, so that it gets those after it. */
import { invalid } from "../errors.ts"

/**
 * 0 without it.
 * @param after in its place, from the query: who opens a stream anew in a browser cannot set the header
 * @throws AppError invalid_request for anything but the number of an event
 */
export function lastEventIdOf(request: Request, after = ""): number {
  const given = request.headers.get("last-event-id")?.trim() || after
  if (!given) return 0
  if (!/^\d{1,9}$/.test(given)) throw invalid(given === after ? "after" : "Last-Event-ID", "must be the id of an event")
  return Number(given)
}
