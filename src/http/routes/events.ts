/** What happened, page by page or as it happens. */
import { Elysia } from "elysia"
import { invalid, toErrorBody } from "../../errors.ts"
import type { FeedRequest } from "../../events/feed.ts"
import { EVENT_TYPES, type EventRecord } from "../../events/types.ts"
import { caller } from "../context.ts"
import { eachOf, listItems } from "../schemas.ts"
import type { Services } from "../services.ts"
import { streamOf, type Wire } from "../sse.ts"
import * as docs from "./events.docs.ts"

export const eventRoutes = ({ feed }: Pick<Services, "feed">) =>
  new Elysia().use(caller).get(
    "/external/events",
    async ({ query, principal, request, context }) => {
      const { view } = principal
      const asked = requestOf(query)
      if (!(request.headers.get("accept") ?? "").toLowerCase().includes("text/event-stream"))
        return feed.page(view, asked)
      // A browser that connects again repeats the address that it began with.
      const after = request.headers.get("last-event-id")?.trim() || asked.after
      await feed.check(view, after) // an answer that says so, before the stream begins
      return streamOf(signal => feed.follow(view, { ...asked, after }, signal), context, WIRE)
    },
    docs.listEvents(),
  )

/** A stream that fails names no event: who connects again goes on behind the last one that came. */
const WIRE: Wire<EventRecord> = {
  begin: ": open\n\n",
  event: event => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  failure: (error, requestId) =>
    `event: error\ndata: ${JSON.stringify({ error: toErrorBody(error, requestId) })}\n\nevent: done\ndata: {}\n\n`,
}

/** @throws AppError invalid_request */
function requestOf({ after, types, limit = docs.DEFAULT_LIMIT }: typeof docs.EventQuery.static): FeedRequest {
  if (!Number.isInteger(limit) || limit < 1 || limit > docs.MAX_LIMIT)
    throw invalid("limit", `must be a whole number from 1 to ${docs.MAX_LIMIT}`)
  return { after: after || undefined, types: eachOf("types", listItems(types), EVENT_TYPES), limit }
}
