/** What the steps of an answer tell for its record alone. */
import type { ChatRequest } from "../../backends/backend.ts"
import type { Source } from "../../grounding/passages.ts"
import type { Guarded } from "../../guarded.ts"

/** What the library was searched with, and what its index was then. */
export interface Searched {
  query: string
  /** The query is the model's, not the message's words. */
  rewritten: boolean
  embeddingModel: string
  /** How far the vectors of the best tier were made. */
  vectors: { done: number; total: number; tier: string }
  degraded: string | null
}

/** What was found or said and did not reach the model as it was. */
export interface Dropped {
  kind: "passage" | "messages" | "part" | "picture"
  /** No room in the window; told in a summary instead; could not be read; gone or out of sight since. */
  reason: "window" | "summarized" | "failed" | "gone"
  /** Of messages: how many of the oldest. */
  count?: number
  file_id?: string
  chunk_id?: string
  name?: string
  /** 0..1 */
  score?: number
}

/** Text of files that stands in a prompt beside its passages: it goes with them. */
export interface Excerpt {
  text: string
  /** Those that it is from. */
  file_ids: string[]
}

/** A call that the daemon carried out for the model. */
export interface ToolUse {
  id: string
  name: string
  arguments: Record<string, unknown>
  /** As the model was given it. */
  result: string
  is_error: boolean
  duration_ms: number
  /** Files that the result holds text or values of: it goes with them. */
  file_ids: string[]
}

/** With where it stands in its reply, so that the reply can be written on. */
export interface PlacedUse extends ToolUse {
  /** Turn of the model that made it, from 1. */
  turn: number
  /** Characters of the reply that were written before it. */
  at: number
}

/** The newest request to the model, filled when it is sent: a reply that is cut has it as well. */
export interface Sent {
  request: Guarded<ChatRequest> | null
  /** What there was for it. */
  found: readonly Source[]
  /** Passages that its turns hold: those that had room. */
  sources: readonly Source[]
  /** Notes on parts of the files that the passages are from, which its turns hold in the place of those. */
  notes: readonly string[]
  /** What its turns hold of files otherwise: where tables begin. */
  excerpts: readonly Excerpt[]
  /** Messages of the history, the oldest, that had no room. */
  droppedMessages: number
}
