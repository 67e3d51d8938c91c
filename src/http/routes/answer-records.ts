/** How a stored answer was made, and its prompt asked again. */
import { Elysia } from "elysia"
import type { ChatEvent } from "../../chat/events.ts"
import type { Replay } from "../../chat/record/records.ts"
import type { AnswerEvent } from "../../chat/unstored.ts"
import { caller } from "../context.ts"
import type { ConversationEvent } from "../conversation-record.ts"
import type { Sent } from "../events.ts"
import { Linked } from "../linked.ts"
import type { Services } from "../services.ts"
import { eventStream } from "../sse.ts"
import * as docs from "./answer-records.docs.ts"
import { wantsStream } from "./conversations.ts"

export const answerRecordRoutes = ({ chat, links }: Services) =>
  new Elysia()
    .use(caller)
    .get(
      "/external/conversations/:conversation_id/messages/:message_id/record",
      async ({ params, query, principal, request }) => {
        const detail = { prompt: query.prompt === "true", difference: query.compare === "now" }
        const record = await chat.records.show(principal.view, namedBy(params), detail, request.signal)
        return new Linked(links, principal).answerRecord(record)
      },
      docs.getAnswerRecord(),
    )
    .post(
      "/external/conversations/:conversation_id/messages/:message_id/replay",
      async ({ params, body, principal, context, request }) => {
        const { view } = principal
        const asker = { view, requestId: context.requestId }
        const { signal } = context.keepOpen()
        const replay = await chat.records.replay(asker, namedBy(params), body?.model ?? undefined, signal)
        const linked = new Linked(links, principal)
        if (wantsStream(request))
          return eventStream<Sent<typeof ConversationEvent>, ReplayEvent>(
            () => eventsOf(replay, params.message_id),
            context,
            linked.chatEvent,
          )
        const answer = await lastOf(replay)
        const difference = await replay.difference()
        const { content, citations, finishReason, calls, usage, nerCount, timings, warnings } = answer
        return linked.cited({
          ...params,
          model: replay.answer.model,
          ...{ content, citations },
          finish_reason: finishReason === "length" ? ("length" as const) : ("stop" as const),
          tool_calls: calls,
          ...{ usage, ner_count: nerCount, timings, warnings },
          same_prompt: replay.samePrompt,
          same_content: content === replay.former,
          difference: difference && linked.difference(difference),
        })
      },
      docs.replayAnswer(),
    )

const namedBy = (params: { conversation_id: string; message_id: string }) => ({
  conversationId: params.conversation_id,
  messageId: params.message_id,
})

type Answered = Extract<AnswerEvent, { event: "answered" }>["data"]

async function lastOf({ answer }: Replay): Promise<Answered> {
  let last: Answered | undefined
  for await (const told of answer.events) if (told.event === "answered") last = told.data
  return last!
}

type ReplayEvent = ChatEvent & { id: number }

/** As the stream of a reply tells it. */
async function* eventsOf({ answer }: Replay, messageId: string): AsyncGenerator<ReplayEvent> {
  let id = 0
  for await (const told of answer.events) {
    if (told.event === "caller_call") continue
    yield { ...(told.event === "answered" ? completed(told.data, messageId) : told), id: ++id }
  }
  yield { event: "done", data: {}, id: ++id }
}

function completed(data: Answered, messageId: string): ChatEvent {
  const { content, citations, finishReason, usage, nerCount, timings } = data
  return {
    event: "message_completed",
    data: {
      message_id: messageId,
      ...{ content, citations, usage, timings },
      finish_reason: finishReason === "length" ? "length" : "stop",
      ner_count: nerCount,
    },
  }
}
