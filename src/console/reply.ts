/** One reply while it is written: the events of the stream gathered into what the page shows. */
import { openStream, type StreamEvent } from "./stream.ts"
import type { Source } from "./wire.ts"

export interface Draft {
  /** What the stored reply is called; null until the daemon has said it. */
  messageId: string | null
  /** The user's message that is being answered; null when an earlier one is followed. */
  question: string | null
  text: string
  thinking: string
  /** What is going on, in words; empty once text flows. */
  phase: string
  sources: Source[]
  warnings: string[]
  redaction: { ner_count: number; kinds: Record<string, number> } | null
  error: { message: string; hint?: string } | null
}

export const emptyDraft = (question: string | null): Draft => ({
  messageId: null,
  question,
  text: "",
  thinking: "",
  phase: "Waiting …",
  sources: [],
  warnings: [],
  redaction: null,
  error: null,
})

const PHASES: Record<string, string> = {
  retrieving: "Searching the library …",
  loading_model: "Loading the model …",
  thinking: "Thinking …",
  generating: "Writing …",
  queued: "Waiting for a free model …",
}

function take(draft: Draft, { event, data }: StreamEvent): Draft {
  switch (event) {
    case "message_started":
      return { ...draft, messageId: data.message_id }
    case "status":
      return { ...draft, phase: PHASES[data.phase] ?? "Working …" }
    case "warning":
      return { ...draft, warnings: [...draft.warnings, data.message] }
    case "redaction":
      return { ...draft, redaction: data }
    case "sources":
      return { ...draft, sources: data.sources }
    case "thinking_delta":
      return { ...draft, thinking: draft.thinking + data.text }
    case "message_delta":
      return { ...draft, text: draft.text + data.text, phase: "" }
    case "message_completed":
      return { ...draft, text: data.content, phase: "" }
    case "error":
      return { ...draft, phase: "", error: data.error }
    default:
      return draft
  }
}

interface FollowOptions {
  method: "GET" | "POST"
  path: string
  body?: unknown
  question: string | null
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
