/**
 * Rows of conversations and messages: what is written to them, each with how it passes the guard, and the public records
 * that they are shown as.
 */
import type { Selectable } from "kysely"
import { ownerOf } from "../access/owner.ts"
import { type SharingColumns, sharingOf } from "../access/shares.ts"
import type { ErrorBody } from "../errors.ts"
import { ERROR, WARNING } from "../grounding/fields.ts"
import { CITATION, SOURCE, type Source } from "../grounding/passages.ts"
import type { Fields, Guarded } from "../guarded.ts"
import { newId } from "../id.ts"
import { asksForRedaction } from "../redaction/redact.ts"
import type { ConversationsTable, MessagesTable } from "../storage/conversations.ts"
import type { Warning } from "../storage/document.ts"
import type { OwnedColumns } from "../storage/owned.ts"
import { summaryOf } from "./history/summary.ts"
import type { MessageImage } from "./images/message-images.ts"
import { type ChatSettings, DEFAULT_SETTINGS, type History } from "./settings.ts"
import type { Citation, Conversation, ConversationSummary, Feedback, FinishReason, Message } from "./types.ts"
import { toFeedback, toVariants } from "./variant-rows.ts"

/** With the name of its owner, and whom it is shared with. */
export type ConversationRow = Selectable<ConversationsTable> & { owner_name: string | null } & SharingColumns
export type MessageRow = Selectable<MessagesTable>

/** Files exist, context and filter were looked at when it came, and of the redaction only its rules are kept. */
const SETTINGS = {
  system_prompt: "text",
  use_library: "own",
  context_id: "own",
  file_ids: "own",
  filter: "own",
  options: { temperature: "own", top_p: "own", max_tokens: "own", seed: "number", stop: "text" },
  thinking: "own",
  reading: "own",
  tools: "own",
  history: "own",
  response_format: "json",
  redaction: "own",
} as const satisfies Fields<ChatSettings>

/** Those that a former version stored lack what came later. */
export const settingsOf = ({ settings }: Pick<ConversationRow, "settings">): ChatSettings => ({
  ...DEFAULT_SETTINGS,
  ...(JSON.parse(settings) as Partial<ChatSettings>),
})

export interface NewConversation {
  id: string
  workspaceId: string
  owner: OwnedColumns
  title: string
  model: string
  settings: ChatSettings
  additionalMetadata: Record<string, unknown>
}

export const NEW_CONVERSATION: Fields<NewConversation> = {
  id: "own",
  workspaceId: "own",
  owner: "own",
  title: "text",
  model: "own",
  settings: SETTINGS,
  additionalMetadata: "json",
}

/** What a caller changes in its conversation. */
export interface ConversationPatch {
  title?: string
  additional_metadata?: Record<string, unknown>
  history?: History
  /** In place of the one that there is; null removes it. */
  summary?: { text: string } | null
  pinned?: boolean
  /** An empty one takes it out of its folder. */
  folder?: string
}

export const CONVERSATION_PATCH: Fields<ConversationPatch> = {
  title: "text",
  additional_metadata: "json",
  history: "own",
  summary: { text: "text" },
  pinned: "own",
  folder: "text",
}

/** What a turn changes in its conversation beside the messages. */
export interface ConversationChange {
  model: string
  settings: ChatSettings
  additionalMetadata?: Record<string, unknown>
  title?: string
  /** Every file given so far. */
  fileIds: string[]
}

export const CONVERSATION_CHANGE: Fields<ConversationChange> = {
  model: "own",
  settings: SETTINGS,
  additionalMetadata: "json",
  title: "text",
  fileIds: "own",
}

export const FEEDBACK: Fields<Feedback> = { rating: "own", note: "text" }

export interface NewUserMessage {
  content: string
  nerCount: number
  /** JSON of the redaction that the content went through. */
  redaction: string | null
}

export const USER_MESSAGE: Fields<NewUserMessage> = { content: "text", nerCount: "own", redaction: "own" }

/** A reply as it is stored when it ends, however it ends. */
export interface FinishedReply {
  content: Guarded<string>
  citations: Citation[]
  sources: Source[]
  finishReason: FinishReason
  error: ErrorBody | null
  warnings: Warning[]
  /** Calls of tools that were carried out. */
  toolCalls: number
  nerCount: number
  promptTokens: number
  completionTokens: number
  contextTokens: number | null
}

export const FINISHED_REPLY: Fields<FinishedReply> = {
  content: "own",
  citations: CITATION,
  sources: SOURCE,
  finishReason: "own",
  error: ERROR,
  warnings: WARNING,
  toolCalls: "own",
  nerCount: "own",
  promptTokens: "own",
  completionTokens: "own",
  contextTokens: "own",
}

/** Of a reply that was being written when the process died. */
export const INTERRUPTED: ErrorBody = {
  code: "interrupted",
  message: "the daemon stopped while the reply was being written",
}

/** Also of one that was, until somebody ends what a process or node left half way. */
export const isBeingWritten = ({ role, finish_reason }: Pick<MessageRow, "role" | "finish_reason">): boolean =>
  role === "assistant" && finish_reason === null

export const emptyMessage = (conversationId: string, role: "user" | "assistant") => ({
  id: newId("msg"),
  conversation_id: conversationId,
  role,
  content: "",
  citations: "[]",
  sources: "[]",
  finish_reason: null,
  error: null,
  warnings: "[]",
  tool_calls: 0,
  model: null,
  ner_count: 0,
  redaction: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  created_at: new Date().toISOString(),
  owner: null,
  feedback: null,
  variants: "[]",
})

/** @param images of the message */
export const toMessage = (row: MessageRow, images: readonly MessageImage[] = []): Message => ({
  id: row.id,
  role: row.role,
  content: row.content,
  citations: JSON.parse(row.citations),
  images: images.map(({ mime_type, size }) => ({ mime_type, size })),
  finish_reason: row.finish_reason as FinishReason | null,
  model: row.model,
  ner_count: row.ner_count,
  error: row.error === null ? null : JSON.parse(row.error),
  warnings: JSON.parse(row.warnings),
  tool_calls: row.tool_calls,
  feedback: toFeedback(row),
  variants: toVariants(row),
  created_at: row.created_at,
})

export const toSummary = (row: ConversationRow, messageCount: number): ConversationSummary => ({
  conversation_id: row.id,
  title: row.title,
  model: row.model,
  ner_count: row.ner_count,
  message_count: messageCount,
  additional_metadata: JSON.parse(row.additional_metadata),
  pinned: Number(row.pinned) === 1,
  folder: row.folder,
  owner: ownerOf(row),
  end_user: row.end_user,
  ...sharingOf(row),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export function toConversation(
  row: ConversationRow,
  messages: MessageRow[],
  images: ReadonlyMap<string, MessageImage[]>,
  { redactionEnforced, isEndUser }: { redactionEnforced: boolean; isEndUser: boolean },
): Conversation {
  const { system_prompt, options, redaction, response_format, ...settings } = settingsOf(row)
  const shown = toSummary(row, messages.length)
  const summary = summaryOf(row.summary)
  return {
    ...shown,
    summary: summary && { text: summary.text, up_to_message_id: summary.up_to_message_id },
    settings: {
      system_prompt: isEndUser || shown.shared ? null : system_prompt,
      options,
      ...settings,
      redaction: redactionEnforced || asksForRedaction(redaction),
    },
    messages: messages.map(message => toMessage(message, images.get(message.id))),
  }
}
