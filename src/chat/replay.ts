/** The events of a reply whose own are no longer in memory, made from what is stored. */
import type { ErrorBody } from "../errors.ts"
import { fromStore } from "../guarded.ts"
import { INTERRUPTED, type MessageRow, toMessage } from "./conversation-rows.ts"
import type { ChatEvent, ChatEventData, NumberedEvent } from "./events.ts"

/**
 * From the beginning where `lastEventId` is 0. Otherwise the reader has a part of a stream whose deltas are forgotten:
 * it gets the end, which holds the whole content, numbered on from what it has. `before` comes first of all.
 */
export async function* replayStored(
  conversationId: string,
  messages: readonly MessageRow[],
  lastEventId: number,
  before: readonly ChatEvent[] = [],
): AsyncGenerator<NumberedEvent> {
  const at = messages.findLastIndex(message => message.role === "assistant")
  const reply = messages[at]
  if (!reply) return
  const asked = messages.slice(0, at).findLast(message => message.role === "user")
  const beginning: ChatEvent[] = [
    ...before,
    {
      event: "message_started",
      data: {
        message_id: reply.id,
        conversation_id: conversationId,
        model: reply.model ?? "",
        user_message_id: asked?.id ?? "",
      },
    },
    ...(JSON.parse(reply.warnings) as ChatEventData["warning"][]).map(data => ({ event: "warning" as const, data })),
    { event: "sources", data: { sources: JSON.parse(reply.sources) } },
    ...(reply.content ? [{ event: "message_delta" as const, data: { text: fromStore(reply.content) } }] : []),
  ]
  yield* numbered([...(lastEventId > 0 ? [] : beginning), ...endOf(reply)], lastEventId)
}

/** An event that was stored, or that the node which writes the reply has sent. */
export const readEvent = (value: unknown): NumberedEvent => fromStore(value) as NumberedEvent

/** Events that are made of what is stored, after number `last`. */
export const numbered = (events: readonly ChatEvent[], last: number): NumberedEvent[] =>
  events.map((event, i) => ({ ...event, data: fromStore(event.data), id: last + i + 1 }) as NumberedEvent)

const DONE: ChatEvent = { event: "done", data: {} }

/** The end of a reply, for those who followed it until whoever wrote it died or its message was removed. */
export const failedEnd = (messageId: string, error: ErrorBody): ChatEvent[] => [
  { event: "error", data: { error, message_id: messageId } },
  DONE,
]

/** The end of a reply as its message tells it. */
export function endOf(row: MessageRow): ChatEvent[] {
  const { id, content, citations, finish_reason, ner_count, error } = toMessage(row)
  // A reply that the process did not outlive did not fail by itself: what stands of it is the reply.
  if (error && error.code !== INTERRUPTED.code) return failedEnd(id, error)
  const completed: ChatEvent = {
    event: "message_completed",
    data: {
      message_id: id,
      content: fromStore(content),
      citations,
      finish_reason: finish_reason ?? "error",
      usage: { prompt_tokens: row.prompt_tokens, completion_tokens: row.completion_tokens },
      ner_count,
      timings: { search_ms: 0, first_token_ms: 0, total_ms: 0 },
    },
  }
  return [completed, DONE]
}
