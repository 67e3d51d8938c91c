/** The public records of conversations, spelled as on the wire (section 6 of the API). */
import type { Filter } from "../access/filter/filter.ts"
import type { OwnerRecord } from "../access/owner.ts"
import type { ErrorBody } from "../errors.ts"
import type { Source } from "../grounding/passages.ts"
import type { Warning } from "../storage/document.ts"

/** What a mark in a reply stands for. */
export type Citation = Omit<Source, "score" | "text">

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
  /** Null for one of a version that did not know. */
  owner: OwnerRecord | null
  end_user: string | null
  created_at: string
  updated_at: string
}

/** What the next message is asked with where its request does not say. */
export interface ConversationSettings {
  use_library: boolean
  context_id: string | null
  file_ids: string[]
  filter: Filter | null
  thinking: boolean
  /** True also where the daemon or the workspace insists on it. */
  redaction: boolean
}

export interface Conversation extends ConversationSummary {
  settings: ConversationSettings
  messages: Message[]
}

/** The answer where nothing is streamed: to `/start-conversation` and its like, and with `Accept: application/json`. */
export interface TurnAnswer {
  conversation_id: string
  model: string
  /** What this call added or extended. */
  messages: Message[]
  ner_count: number
  timestamp: string
}
