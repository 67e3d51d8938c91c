/** The events of a reply whose own are no longer in memory, made from what is stored. */
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
  const events = [...(lastEventId > 0 ? [] : beginning), lastEvent(reply), { event: "done" as const, data: {} }]
  for (const [i, event] of events.entries())
    yield { ...event, data: fromStore(event.data), id: lastEventId + i + 1 } as NumberedEvent
}

function lastEvent(row: MessageRow): ChatEvent {
  const { id, content, citations, finish_reason, ner_count, error } = toMessage(row)
  // A reply that the process did not outlive did not fail by itself: what stands of it is the reply.
  if (error && error.code !== INTERRUPTED.code) return { event: "error", data: { error, message_id: id } }
  return {
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
}
