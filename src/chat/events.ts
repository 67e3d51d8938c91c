/** The events of a reply, spelled as on the wire (section 6 of the API). */
import type { ErrorBody } from "../errors.ts"
import { ERROR, WARNING } from "../grounding/fields.ts"
import { CITATION, SOURCE, type Source } from "../grounding/passages.ts"
import type { Fields, Guarded } from "../guarded.ts"
import type { Citation, FinishReason } from "./types.ts"

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
}

export interface Timings {
  search_ms: number
  first_token_ms: number
  total_ms: number
}

/** What a turn does before and between the words of its answer. */
export const PHASES = [
  "retrieving",
  "reading",
  "summarizing",
  "loading_model",
  "thinking",
  "calling_tool",
  "generating",
] as const
export type Phase = (typeof PHASES)[number]

/** How many parts of a whole are done. */
export interface PartsDone {
  done: number
  total: number
}

export const WARNING_CODES = [
  "context_truncated",
  "keyword_only_search",
  "library_unavailable",
  "invalid_citation",
  "redaction_partial",
  "partial_reading",
  "foreign_link",
] as const
export type WarningCode = (typeof WARNING_CODES)[number]

export interface ChatEventData {
  conversation_created: {
    conversation_id: string
    model: string
    created_at: string
    additional_metadata: Record<string, unknown>
  }
  message_started: { message_id: string; conversation_id: string; model: string; user_message_id: string }
  status: { phase: Phase; detail?: string | PartsDone }
  warning: { code: WarningCode; message: string; addresses?: string[]; more?: number }
  redaction: { ner_count: number; kinds: Record<string, number> }
  sources: { sources: Source[] }
  tool_call: { tool_call_id: string; name: string; arguments: Record<string, unknown> }
  tool_result: { tool_call_id: string; result: string; is_error: boolean }
  thinking_delta: { text: Guarded<string> }
  message_delta: { text: Guarded<string> }
  message_completed: {
    message_id: string
    content: Guarded<string>
    citations: Citation[]
    finish_reason: FinishReason
    usage: Usage
    ner_count: number
    timings: Timings
  }
  error: { error: ErrorBody; message_id: string }
  done: Record<string, never>
}

export type ChatEventName = keyof ChatEventData

/** How each event passes the guard on its way to the caller. */
export const CHAT_EVENTS: { readonly [Name in ChatEventName]: Fields<ChatEventData[Name]> } = {
  conversation_created: { conversation_id: "own", model: "own", created_at: "own", additional_metadata: "json" },
  message_started: { message_id: "own", conversation_id: "own", model: "own", user_message_id: "own" },
  status: { phase: "own", detail: "text" },
  warning: WARNING,
  redaction: { ner_count: "own", kinds: "own" },
  sources: { sources: SOURCE },
  tool_call: { tool_call_id: "own", name: "text", arguments: "json" },
  tool_result: { tool_call_id: "own", result: "text", is_error: "own" },
  thinking_delta: { text: "own" },
  message_delta: { text: "own" },
  message_completed: {
    message_id: "own",
    content: "own",
    citations: CITATION,
    finish_reason: "own",
    usage: "own",
    ner_count: "own",
    timings: "own",
  },
  error: { error: ERROR, message_id: "own" },
  done: {},
}

/** One item of a reply's stream. */
export type ChatEvent = { [Name in ChatEventName]: { event: Name; data: ChatEventData[Name] } }[ChatEventName]

/** One that has passed the guard, as callers get it. */
export type GuardedEvent = {
  [Name in ChatEventName]: { event: Name; data: Guarded<ChatEventData[Name]> }
}[ChatEventName]

/** An event with its number, 1, 2, 3 … within the reply. */
export type NumberedEvent = GuardedEvent & { id: number }
