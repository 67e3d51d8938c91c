/** Conversations, set A: ask and be answered by a stream (or as JSON), list, read, change, delete, follow, cancel, write anew. */
import { Elysia, t } from "elysia"
import type { Asker, Started } from "../../chat/turn.ts"
import type { Principal } from "../../keys/principal.ts"
import type { IdempotentRequest } from "../../storage/idempotency.ts"
import {
  ConversationSchema,
  ConversationSummarySchema,
  MessageText,
  STREAM,
  turnFields,
  turnRequestOf,
} from "../chat-schemas.ts"
import { caller, type RequestContext } from "../context.ts"
import { turnRepetition } from "../idempotency-key.ts"
import { lastEventIdOf } from "../last-event-id.ts"
import { IDEMPOTENCY_KEY, LAST_EVENT_ID, listOf, operation, pageOf, pageQuery, paginated } from "../schemas.ts"
import type { Services } from "../services.ts"
import { eventStream } from "../sse.ts"

const turnBody = t.Object({ message: MessageText, ...turnFields })
const regenerateBody = t.Optional(t.Object({ message: t.Optional(MessageText), ...turnFields }))
const byId = t.Object({ conversation_id: t.String() })
const ofMessage = t.Object({ conversation_id: t.String(), message_id: t.String() })
const listQuery = t.Object({
  ...pageQuery,
  q: t.Optional(t.String({ maxLength: 500, description: "Part of a title or of a message" })),
})
const changeBody = t.Object({
  title: t.Optional(t.String({ minLength: 1, maxLength: 500 })),
  additional_metadata: t.Optional(t.Record(t.String(), t.Any())),
})

/** What can be wrong with a turn, in either set. */
export const TURN_ERRORS = [
  "invalid_json",
  "invalid_request",
  "not_found",
  "model_not_found",
  "conversation_busy",
  "conflict",
  "request_too_large",
  "unsupported_media_type",
  "invalid_pattern",
  "model_error",
  "model_unavailable",
  "overloaded",
  "insufficient_storage",
] as const

const EXAMPLE = { message: "What is the notice period of the lease?", model: "ollama/llama3.2:3b" }

const streamed = (summary: string, description: string) =>
  operation({
    summary,
    description: `${description}\n\n${STREAM}\n\nWith \`Accept: application/json\` the answer is one JSON body, sent when the reply is complete. A call that repeats an \`Idempotency-Key\` of the last 24 h follows the reply that the first one began.`,
    tag: "Conversations",
    headers: [IDEMPOTENCY_KEY],
    success: { description: "The reply as events", schema: t.String(), type: "text/event-stream" },
    errors: [...TURN_ERRORS],
    example: EXAMPLE,
  })

export const conversationRoutes = ({ chat }: Services) => {
  /** The reply in the form that the client accepts. */
  const respond = async (started: Started, asker: Asker, request: Request, context: RequestContext) => {
    const { live, stored } = started
    const follow = live ? (signal: AbortSignal) => live.follow(0, signal) : stored
    if (follow && wantsStream(request)) return eventStream(follow, context)
    context.keepOpen()
    return Response.json(await chat.finished(started, asker))
  }
  return new Elysia()
    .use(caller)
    .post(
      "/external/conversations",
      async ({ body, principal, context, request }) => {
        const asker = askerOf(principal, context, turnRepetition(request, principal, "create", body))
        return respond(await chat.create(asker, turnRequestOf(body)), asker, request, context)
      },
      {
        scope: "chat",
        body: turnBody,
        detail: streamed("Start a conversation", "Makes a conversation and streams the reply to its first message."),
      },
    )
    .post(
      "/external/conversations/:conversation_id",
      async ({ params, body, principal, context, request }) => {
        const asker = askerOf(principal, context, turnRepetition(request, principal, "send", { ...params, ...body }))
        return respond(await chat.send(asker, params.conversation_id, turnRequestOf(body)), asker, request, context)
      },
      {
        scope: "chat",
        params: byId,
        body: turnBody,
        detail: streamed("Send a follow-up", "What is not given is as in the message before."),
      },
    )
    .post(
      "/external/conversations/:conversation_id/messages/:message_id/regenerate",
      async ({ params, body, principal, context, request }) => {
        const asked = { ...params, ...body }
        const asker = askerOf(principal, context, turnRepetition(request, principal, "regenerate", asked))
        const { conversation_id, message_id } = params
        return respond(
          await chat.regenerate(asker, conversation_id, message_id, turnRequestOf(body ?? {})),
          asker,
          request,
          context,
        )
      },
      {
        scope: "chat",
        params: ofMessage,
        body: regenerateBody,
        detail: streamed(
          "Write a reply anew",
          "`message_id` names the reply, or the user's message that it answers; with `message` that one is changed first. What came after is removed.",
        ),
      },
    )
    .get(
      "/external/conversations",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const { data, total } = await chat.list(principal.workspaceId, {
          ...page,
          ...(query.q ? { query: query.q } : {}),
        })
        return paginated(data, total, page)
      },
      {
        scope: "chat",
        query: listQuery,
        detail: operation({
          summary: "List conversations",
          tag: "Conversations",
          success: {
            description: "One page, newest activity first, without messages",
            schema: listOf(ConversationSummarySchema),
          },
          errors: ["invalid_request"],
        }),
      },
    )
    .get(
      "/external/conversations/:conversation_id",
      ({ params, principal }) => chat.get(principal.workspaceId, params.conversation_id),
      {
        scope: "chat",
        params: byId,
        detail: operation({
          summary: "Get a conversation with its messages",
          tag: "Conversations",
          success: { description: "The conversation", schema: ConversationSchema },
          errors: ["not_found"],
        }),
      },
    )
    .patch(
      "/external/conversations/:conversation_id",
      ({ params, body, principal }) => chat.change(principal.workspaceId, params.conversation_id, body),
      {
        scope: "chat",
        params: byId,
        body: changeBody,
        detail: operation({
          summary: "Change title or metadata",
          tag: "Conversations",
          success: { description: "The changed conversation", schema: ConversationSchema },
          errors: ["invalid_json", "invalid_request", "not_found", "unsupported_media_type", "insufficient_storage"],
          example: { title: "Lease of the boathouse" },
        }),
      },
    )
    .delete(
      "/external/conversations/:conversation_id",
      async ({ params, principal }) => {
        await chat.delete(principal.workspaceId, params.conversation_id)
        return new Response(null, { status: 204 })
      },
      {
        scope: "chat",
        params: byId,
        detail: operation({
          summary: "Delete a conversation",
          description: "A reply that is being written is stopped.",
          tag: "Conversations",
          success: { status: 204, description: "Deleted" },
          errors: ["not_found"],
        }),
      },
    )
    .get(
      "/external/conversations/:conversation_id/events",
      async ({ params, principal, context, request }) => {
        const follow = await chat.events(principal.workspaceId, params.conversation_id, lastEventIdOf(request))
        return eventStream(follow, context)
      },
      {
        scope: "chat",
        params: byId,
        detail: operation({
          summary: "Follow the newest reply",
          headers: [LAST_EVENT_ID],
          description: `Replays the events after \`Last-Event-ID\` (all without it) and goes on until the reply ends.\n\n${STREAM}`,
          tag: "Conversations",
          success: { description: "The reply as events", schema: t.String(), type: "text/event-stream" },
          errors: ["invalid_request", "not_found"],
        }),
      },
    )
    .post(
      "/external/conversations/:conversation_id/cancel",
      async ({ params, principal }) =>
        Response.json(await chat.cancel(principal.workspaceId, params.conversation_id), { status: 202 }),
      {
        scope: "chat",
        params: byId,
        detail: operation({
          summary: "Stop the reply that is being written",
          description:
            "What is written of it so far is stored with `finish_reason` `cancelled`. Of no effect where none is.",
          tag: "Conversations",
          success: { status: 202, description: "The conversation", schema: ConversationSchema },
          errors: ["not_found"],
        }),
      },
    )
}

export const askerOf = (
  { workspaceId }: Principal,
  { requestId }: RequestContext,
  repetition: IdempotentRequest | undefined,
): Asker => ({ workspaceId, requestId, repetition })

/** A stream, unless the client accepts JSON and does not accept events. */
function wantsStream(request: Request): boolean {
  const accept = (request.headers.get("accept") ?? "").toLowerCase()
  return !accept.includes("application/json") || accept.includes("text/event-stream")
}
