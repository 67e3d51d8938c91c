/** The public records of conversations and the events of a reply, spelled as on the wire (section 6 of the API). */
import type { ErrorBody } from "../errors.ts"
import type { Guarded } from "../guarded.ts"
import type { Place, Warning } from "../storage/document.ts"

export type Position = Place & { start: number; end: number }

export interface Citation {
  /** The `[n]` in the text. */
  index: number
  file_id: string
  chunk_id: string
  name: string
  position: Position
}

/** A passage that the model was given under its number. */
export interface Source extends Citation {
  /** 0..1 */
  score: number
  text: string
}

export type FinishReason = "stop" | "length" | "cancelled" | "error"

export interface Message {
  id: string
  role: "user" | "assistant"
  content: string
  citations: Citation[]
  /** Null for a user's message and while a reply is being written. */
  finish_reason: FinishReason | null
  model: string | null
  ner_count: number
  /** Why a reply failed; null otherwise. */
  error: ErrorBody | null
  /** What the stream of the reply warned of. */
  warnings: Warning[]
  created_at: string
}

/** A conversation as lists show it. */
export interface ConversationSummary {
  conversation_id: string
  title: string
  model: string
  ner_count: number
  message_count: number
  additional_metadata: Record<string, unknown>
  created_at: string
  updated_at: string
}

/** What the next message is asked with where its request does not say. */
export interface ConversationSettings {
  use_library: boolean
  context_id: string | null
  file_ids: string[]
  thinking: boolean
  /** True also where the daemon or the workspace insists on it. */
  redaction: boolean
}

export interface Conversation extends ConversationSummary {
  settings: ConversationSettings
  messages: Message[]
}

/** The answer where nothing is streamed: set B, and set A with `Accept: application/json`. */
export interface TurnAnswer {
  conversation_id: string
  model: string
  /** What this call added or extended. */
  messages: Message[]
  ner_count: number
  timestamp: string
}

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
}

export interface Timings {
  search_ms: number
  first_token_ms: number
  total_ms: number
}

export type Phase = "retrieving" | "loading_model" | "thinking" | "generating" | "calling_tool"
export type WarningCode = "context_truncated" | "keyword_only_search" | "invalid_citation" | "redaction_partial"

export interface ChatEventData {
  conversation_created: {
    conversation_id: string
    model: string
    created_at: string
    additional_metadata: Record<string, unknown>
  }
  message_started: { message_id: string; conversation_id: string; model: string; user_message_id: string }
  status: { phase: Phase; detail?: string }
  warning: { code: WarningCode; message: string }
  redaction: { ner_count: number; kinds: Record<string, number> }
  sources: { sources: Source[] }
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

/** One item of a reply's stream. */
export type ChatEvent = { [Name in ChatEventName]: { event: Name; data: ChatEventData[Name] } }[ChatEventName]

/** One that has passed the guard, as callers get it. */
export type GuardedEvent = {
  [Name in ChatEventName]: { event: Name; data: Guarded<ChatEventData[Name]> }
}[ChatEventName]

/** An event with its number, 1, 2, 3 … within the reply. */
export type NumberedEvent = GuardedEvent & { id: number }
