/** Conversations and their messages; `chat/conversation-store.ts` reads and writes them. */
import type { Generated } from "kysely"
import type { OwnedColumns } from "./owned.ts"

export interface ConversationsTables {
  conversations: ConversationsTable
  messages: MessagesTable
  message_images: MessageImagesTable
  reply_events: ReplyEventsTable
}

export interface ConversationsTable extends OwnedColumns {
  id: string
  workspace_id: string
  title: string
  /** `<provider>/<name>` of the newest turn. */
  model: string
  /** JSON: what follow-ups inherit. */
  settings: string
  /** JSON object of the caller. */
  additional_metadata: string
  /** JSON array: every file that was ever given to the conversation. */
  file_ids: string
  ner_count: number
  /** Window that its requests ask for: kept, so that the model server need not load the model anew. */
  context_tokens: number | null
  /** JSON: what the model is given for the oldest messages, and the id of the last one that it stands for; null for none. */
  summary: string | null
  /** Position of that message. */
  summary_position: number | null
  created_at: string
  updated_at: string
  /** 0 or 1: every console user of the workspace reads it. */
  shared_with_all: Generated<number>
  /** 0 or 1. */
  pinned: Generated<number>
  /** Name of the group that its owner keeps it in. */
  folder: string | null
}

export interface MessagesTable {
  id: string
  conversation_id: string
  /** 1, 2, 3 … within the conversation. */
  position: number
  role: "user" | "assistant"
  content: string
  /** JSON array. */
  citations: string
  /** JSON array: what the model was given; `citations` point into it. */
  sources: string
  /** Of a reply: null while it is being written, which after a crash means that it was cut. */
  finish_reason: string | null
  /** JSON error of a failed reply. */
  error: string | null
  /** JSON array of `{code, message}`. */
  warnings: string
  /** Carried out for the reply; its record tells them. */
  tool_calls: number
  model: string | null
  ner_count: number
  /** Digest of the redaction that `content` went through; null for none. */
  redaction: string | null
  prompt_tokens: number
  completion_tokens: number
  created_at: string
  /** Node that writes the reply, or wrote it. */
  owner: string | null
  /** JSON: what its reader thought of a reply; null for nothing. */
  feedback: string | null
  /** JSON array: the answers that it took the place of, oldest first. */
  variants: Generated<string>
}

/** Events of a reply as its followers get them, some at a time; written by nodes of a cluster, for a while. */
export interface ReplyEventsTable {
  message_id: string
  /** Numbers of the first and of the last that the row holds. */
  first_event: number
  last_event: number
  /** JSON array, each with its number. */
  events: string
  saved_at: string
}

/** Pictures that came with messages; `chat/images/message-images.ts` reads and writes them. */
export interface MessageImagesTable {
  id: string
  message_id: string
  /** 0, 1, 2 … within the message. */
  place: number
  mime_type: string
  /** Bytes. */
  size: number
  sha256: string
  /** Where they lie. Several rows name one where a message took the place of another. */
  blob: string
}
