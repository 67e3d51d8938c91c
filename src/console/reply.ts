/** One reply while it is written: the events of the stream gathered into what the page shows. */

import { type Doing, doing, doingOf } from "./phases.ts"
import { openStream, type StreamEvent } from "./stream.ts"
import { t } from "./text.ts"
import type { MessageImage, Source, Warning } from "./wire.ts"

/** One use of a tool; without a result while it works. */
export interface ToolCall {
  id: string
  name: string
  arguments: Record<string, unknown>
  result?: string
  isError?: boolean
}

/** A message of the user, as the page shows it before the daemon has stored it. */
export interface Question {
  text: string
  pictures: readonly (File | MessageImage)[]
}

export interface Draft {
  /** What the stored reply is called; null until the daemon has said it. */
  messageId: string | null
  /** The user's message that is being answered; null when an earlier one is followed. */
  question: Question | null
  text: string
  thinking: string
  doing: Doing
  calls: ToolCall[]
  sources: Source[]
  warnings: Warning[]
  redaction: { ner_count: number; kinds: Record<string, number> } | null
  error: { message: string; hint?: string } | null
}

export const emptyDraft = (question: Question | null): Draft => ({
  messageId: null,
  question,
  text: "",
  thinking: "",
  doing: doing(t("Waiting …")),
  calls: [],
  sources: [],
  warnings: [],
  redaction: null,
  error: null,
})

const SILENT = doing("")

/** The draft with one more event of the stream; what it does not know it leaves out. */
export function take(draft: Draft, { event, data }: StreamEvent): Draft {
  switch (event) {
    case "message_started":
      return { ...draft, messageId: data.message_id }
    case "status":
      return { ...draft, doing: doingOf(data) }
    case "warning":
      return { ...draft, warnings: [...draft.warnings, data] }
    case "redaction":
      return { ...draft, redaction: data }
    case "sources":
      return { ...draft, sources: data.sources }
    case "tool_call":
      return {
        ...draft,
        calls: [...draft.calls, { id: data.tool_call_id, name: data.name, arguments: data.arguments }],
      }
    case "tool_result":
      return { ...draft, calls: draft.calls.map(call => (call.id === data.tool_call_id ? answered(call, data) : call)) }
    case "thinking_delta":
      return { ...draft, thinking: draft.thinking + data.text }
    case "message_delta":
      return { ...draft, text: draft.text + data.text, doing: SILENT }
    case "message_completed":
      return { ...draft, text: data.content, doing: SILENT }
    case "error":
      return { ...draft, doing: SILENT, error: data.error }
    default:
      return draft
  }
}

const answered = (call: ToolCall, { result, is_error }: { result: unknown; is_error?: boolean }): ToolCall => ({
  ...call,
  result: typeof result === "string" ? result : JSON.stringify(result, null, 2),
  isError: is_error === true,
})

interface FollowOptions {
  method: "GET" | "POST"
  path: string
  body?: unknown
  question: Question | null
  signal: AbortSignal
  onDraft: (draft: Draft) => void
  onConversation?: (id: string) => void
}

/** Ends with the stream, with all that it said. Draws at most once per frame, however fast the deltas come. @throws ApiError */
export async function followReply({
  method,
  path,
  body,
  question,
  signal,
  onDraft,
  onConversation,
}: FollowOptions): Promise<Draft> {
  let draft = emptyDraft(question)
  let frame = 0
  const draw = () => {
    frame = 0
    if (!signal.aborted) onDraft(draft)
  }
  draw()
  try {
    for await (const event of openStream(method, path, body, signal)) {
      if (event.event === "conversation_created") onConversation?.(event.data.conversation_id)
      draft = take(draft, event)
      frame ||= requestAnimationFrame(draw)
    }
    return draft
  } finally {
    if (frame) cancelAnimationFrame(frame)
    draw()
  }
}
