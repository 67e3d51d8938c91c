/** What the API answers, as the console reads it. Types of the domain are used as they are: one definition. */
import type { InvitationRecord, WorkspaceRecord } from "../keys/workspaces.ts"

export type { ApiKeyRecord, NewApiKey, Scope } from "../keys/keys.ts"
export type { SessionRecord } from "../keys/sessions.ts"
export type { UserRecord, UserRole } from "../keys/users.ts"
export type { FileRecord } from "../library/record.ts"
export type { Hit, SearchFilters, SearchMode, SearchResult } from "../search/types.ts"
export type { InvitationRecord, WorkspaceRecord }

export interface Page<T> {
  data: T[]
  pagination: { page: number; page_size: number; total_items: number; total_pages: number; has_next: boolean }
}

export interface Me {
  user: { id: string; email: string; name: string; role: "administrator" | "member" }
  workspace: { id: string; name: string }
  workspaces: { id: string; name: string }[]
  expires_at: string
  version: string
}

export interface Model {
  label: string
  value: string
  available: boolean
  status: "loaded" | "ready" | "unavailable"
  status_reason: string | null
  provider: string
  local: boolean
  capabilities: string[]
  context_length: number | null
  size_bytes: number | null
  default: boolean
}

export interface Position {
  page: number | null
  sheet: string | null
  slide: number | null
  member: string | null
  section: string | null
  start: number
  end: number
}

export interface Source {
  index: number
  file_id: string
  name: string
  chunk_id: string
  score?: number
  text?: string
  position: Position
}

export interface Message {
  id: string
  role: "user" | "assistant"
  content: string
  citations: Source[]
  finish_reason: string | null
  model: string | null
  ner_count: number
  created_at: string
}

export interface Conversation {
  conversation_id: string
  title: string | null
  model: string
  messages: Message[]
  ner_count: number
  additional_metadata: Record<string, unknown>
  created_at: string
  updated_at: string
}

export interface RunStep {
  index: number
  type: string
  name?: string
  arguments?: Record<string, unknown>
  result?: string | null
  text?: string
  is_error?: boolean
  started_at: string
  duration_ms: number | null
}

export interface Run {
  run_id: string
  status: "running" | "completed" | "failed" | "timed_out" | "cancelled"
  task?: string
  output: string | null
  structured_output: unknown
  model: string
  citations: Source[]
  steps: RunStep[]
  finish_reason: string | null
  error: { code: string; message: string; hint?: string } | null
  usage: { prompt_tokens: number; completion_tokens: number }
  ner_count: number
  started_at: string
  finished_at: string | null
}

export interface Overview {
  uptime_seconds: number
  embedding_model: string
  disk: { used_bytes: number; free_bytes: number }
  /** Requests of each key of the workspace in the last hour, one count per minute, oldest first. */
  requests: { key_id: string; name: string; per_minute: number[] }[]
}
