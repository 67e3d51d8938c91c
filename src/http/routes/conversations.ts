/** Conversations: ask and be answered by a stream (or as JSON), list, read, change, delete, follow, cancel, write anew. */
import { Elysia } from "elysia"
import type { Principal } from "../../access/principal.ts"
import type { NumberedEvent } from "../../chat/events.ts"
import type { Asker, Started } from "../../chat/turn.ts"
import { notBlank } from "../../errors.ts"
import type { IdempotentRequest } from "../../storage/idempotency.ts"
import { caller, type RequestContext } from "../context.ts"
import type { ConversationEvent } from "../conversation-record.ts"
import type { Sent } from "../events.ts"
import { imageResponse } from "../file-response.ts"
import { turnRepetition } from "../idempotency-key.ts"
import { lastEventIdOf } from "../last-event-id.ts"
import { Linked } from "../linked.ts"
import { noteResource } from "../noting.ts"
import { RECEIPT_ID } from "../receipt-id.ts"
import { pageOf, paginated, sharingAsked } from "../schemas.ts"
import type { Services } from "../services.ts"
import { eventStream } from "../sse.ts"
import { turnRequestOf } from "../turn-request.ts"
import * as docs from "./conversations.docs.ts"

/** Long, because it is a table: Elysia takes the types of a group of routes from one chain. */
export const conversationRoutes = ({ chat, links }: Services) => {
  /** The reply in the form that the client accepts. */
  const respond = async (
    started: Started,
    asker: Asker,
    { principal, request, context }: { principal: Principal; request: Request; context: RequestContext },
  ) => {
    const { reply } = started
    const linked = new Linked(links, principal)
    if (reply && wantsStream(request)) return eventsOf(signal => reply.follow(0, signal), context, linked)
    context.keepOpen()
    return linked.messages(await chat.finished(started, asker))
  }
  return new Elysia()
    .use(caller)
    .post(
      "/external/conversations",
      async ({ body, principal, context, request }) => {
        const asker = askerOf(principal, context, turnRepetition(request, principal, "create", body), request.signal)
        const started = await chat.create(asker, turnRequestOf(body))
        noteResource(context, started.conversationId)
        return respond(started, asker, { principal, request, context })
      },
      docs.createConversation(),
    )
    .post(
      "/external/conversations/:conversation_id",
      async ({ params, body, principal, context, request }) => {
        const asker = askerOf(
          principal,
          context,
          turnRepetition(request, principal, "send", { ...params, ...body }),
          request.signal,
        )
        return respond(await chat.send(asker, params.conversation_id, turnRequestOf(body)), asker, {
          principal,
          request,
          context,
        })
      },
      docs.sendMessage(),
    )
    .post(
      "/external/conversations/:conversation_id/messages/:message_id/regenerate",
      async ({ params, body, principal, context, request }) => {
        const asked = { ...params, ...body }
        const asker = askerOf(
          principal,
          context,
          turnRepetition(request, principal, "regenerate", asked),
          request.signal,
        )
        const { conversation_id, message_id } = params
        return respond(await chat.regenerate(asker, conversation_id, message_id, turnRequestOf(body ?? {})), asker, {
          principal,
          request,
          context,
        })
      },
      docs.regenerateMessage(),
    )
    .get(
      "/external/conversations",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const { data, total } = await chat.list(principal.view, {
          ...page,
          ...(query.q ? { query: query.q } : {}),
          ...(query.end_user === undefined ? {} : { endUser: query.end_user }),
          ...(query.pinned === undefined ? {} : { pinned: query.pinned === "true" }),
          ...(query.folder === undefined ? {} : { folder: query.folder }),
          ...sharingAsked(query),
        })
        return paginated(data, total, page)
      },
      docs.listConversations(),
    )
    .get(
      "/external/conversation-folders",
      async ({ query, principal }) => ({ data: await chat.lists.folders(principal.view, sharingAsked(query)) }),
      docs.listFolders(),
    )
    .put(
      "/external/conversations/:conversation_id/messages/:message_id/feedback",
      async ({ params, body, principal }) => {
        const { rating, note = "" } = body
        const at = { conversationId: params.conversation_id, messageId: params.message_id }
        return new Linked(links, principal).messages(
          await chat.rate(principal.view, at, rating && { rating, note: note.trim() }),
        )
      },
      docs.rateAnswer(),
    )
    .post(
      "/external/conversations/:conversation_id/messages/:message_id/variants/:variant_id",
      async ({ params, principal }) => {
        const choice = { messageId: params.message_id, variantId: params.variant_id }
        return new Linked(links, principal).messages(await chat.choose(principal.view, params.conversation_id, choice))
      },
      docs.chooseVariant(),
    )
    .get(
      "/external/conversations/:conversation_id",
      async ({ params, principal }) =>
        new Linked(links, principal).messages(await chat.get(principal.view, params.conversation_id)),
      docs.getConversation(),
    )
    .patch(
      "/external/conversations/:conversation_id",
      async ({ params, body, principal }) => {
        if (body.title) notBlank("title", body.title)
        if (body.summary) notBlank("summary.text", body.summary.text)
        return new Linked(links, principal).messages(await chat.change(principal.view, params.conversation_id, body))
      },
      docs.updateConversation(),
    )
    .delete(
      "/external/conversations/:conversation_id",
      async ({ params, principal, set }) => {
        set.headers[RECEIPT_ID] = await chat.delete(principal.view, params.conversation_id)
        set.status = 204
      },
      docs.deleteConversation(),
    )
    .get(
      "/external/conversations/:conversation_id/messages/:message_id/images/:place",
      async ({ params, principal, request }) => {
        const { conversation_id, message_id, place } = params
        const at = /^\d{1,3}$/.test(place) ? Number(place) : -1
        return imageResponse(await chat.image(principal.view, conversation_id, message_id, at), request)
      },
      docs.getMessageImage(),
    )
    .get(
      "/external/conversations/:conversation_id/events",
      async ({ params, query, principal, context, request }) => {
        const after = lastEventIdOf(request, query.after)
        const follow = await chat.events(principal.view, params.conversation_id, after)
        return eventsOf(follow, context, new Linked(links, principal))
      },
      docs.followConversation(),
    )
    .post(
      "/external/conversations/:conversation_id/cancel",
      async ({ params, principal, status }) =>
        status(202, new Linked(links, principal).messages(await chat.cancel(principal.view, params.conversation_id))),
      docs.cancelReply(),
    )
}

const eventsOf = (
  source: (signal: AbortSignal) => AsyncIterable<NumberedEvent>,
  context: RequestContext,
  { chatEvent }: Linked,
): Response => eventStream<Sent<typeof ConversationEvent>, NumberedEvent>(source, context, chatEvent)

export const askerOf = (
  { view }: Principal,
  { requestId }: RequestContext,
  repetition: IdempotentRequest | undefined,
  signal: AbortSignal,
): Asker => ({ view, requestId, repetition, signal })

/** A stream, unless the client accepts JSON and does not accept events. */
export function wantsStream(request: Request): boolean {
  const accept = (request.headers.get("accept") ?? "").toLowerCase()
  return !accept.includes("application/json") || accept.includes("text/event-stream")
}
