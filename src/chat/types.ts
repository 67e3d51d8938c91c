/** The public records of conversations, spelled as on the wire (section 6 of the API). */

import type { Filter } from "../access/filter/filter.ts"
import type { OwnerRecord } from "../access/owner.ts"
import type { SharedWith } from "../access/shares.ts"
import type { ChatOptions } from "../backends/backend.ts"
import type { ErrorBody } from "../errors.ts"
import type { Source } from "../grounding/passages.ts"
import type { Warning } from "../storage/document.ts"
import type { ChatToolName, History, Reading } from "./settings.ts"

/** What its reader thought of an answer. */
export interface Feedback {
  rating: "up" | "down"
  /** Empty for none. */
  note: string
}

/** What a mark in a reply stands for. */
export type Citation = Omit<Source, "score" | "text" | "whole">

export type FinishReason = "stop" | "length" | "cancelled" | "error"

export interface Message {
  id: string
  role: "user" | "assistant"
  content: string
  citations: Citation[]
  /** Pictures that came with it. */
  images: { mime_type: string; size: number }[]
  /** Null for a user's message and while a reply is being written. */
  finish_reason: FinishReason | null
  model: string | null
  ner_count: number
  /** Why a reply failed; null otherwise. */
  error: ErrorBody | null
  /** What the stream of the reply warned of. */
  warnings: Warning[]
  /** How many calls of tools were carried out for it; its record tells them. */
  tool_calls: number
  feedback: Feedback | null
  /** Answers that it took the place of, oldest first. */
  variants: Variant[]
  created_at: string
}

/** An answer that another took the place of. */
export type Variant = Pick<
  Message,
  "id" | "content" | "citations" | "finish_reason" | "model" | "ner_count" | "warnings" | "feedback" | "created_at"
>

/** A conversation as lists show it. */
export interface ConversationSummary {
  conversation_id: string
  title: string
  model: string
  ner_count: number
  message_count: number
  additional_metadata: Record<string, unknown>
  pinned: boolean
  /** Name of the group that it is kept in. */
  folder: string | null
  /** Null for one of a version that did not know. */
  owner: OwnerRecord | null
  end_user: string | null
  /** It is somebody else's, and the caller reads it only. */
  shared: boolean
  /** Who reads it besides; null: nobody. */
  shared_with: SharedWith | null
  created_at: string
  updated_at: string
}

/** What the next message is asked with where its request does not say. */
export interface ConversationSettings {
  /** Null also for those who only read it, and for end users: it is the application's. */
  system_prompt: string | null
  options: ChatOptions
  use_library: boolean
  context_id: string | null
  file_ids: string[]
  filter: Filter | null
  thinking: boolean
  reading: Reading
  tools: ChatToolName[]
  history: History
  /** True also where the daemon or the workspace insists on it. */
  redaction: boolean
}

export interface Conversation extends ConversationSummary {
  /** What models are given for the messages up to this one, which were too many for a window; null for none. */
  summary: { text: string; up_to_message_id: string } | null
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
