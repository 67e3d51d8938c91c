import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import type { ToolCall } from "../../reply.ts"
import type { AnswerRecord, Message } from "../../wire.ts"
import { callsOf } from "./tool-calls.tsx"

interface Asked {
  conversationId: string
  message: Message
}

/**
 * Tools that a stored reply used, read from its record; none until then.
 * @param asked null where the page knows them from the stream
 */
export function useStoredCalls(asked: Asked | null): ToolCall[] {
  const path = asked?.message.tool_calls
    ? `/conversations/${asked.conversationId}/messages/${asked.message.id}/record`
    : ""
  const record = useLoaded(path, async signal => (path ? api.get<AnswerRecord>(path, signal).catch(() => null) : null))
  return record.data ? callsOf(record.data) : []
}
