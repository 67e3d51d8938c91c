/** The record of how an answer was made, as it is stored: what it is made of, and how it passes the guard. */
import type { Filter } from "../../access/filter/filter.ts"
import { CHAT_REQUEST, type ChatOptions } from "../../backends/backend.ts"
import { CITATION, type Source } from "../../grounding/passages.ts"
import type { Fields } from "../../guarded.ts"
import type { OwnerType } from "../../storage/owned.ts"
import type { PassageRules } from "../asked.ts"
import type { Timings } from "../events.ts"
import type { ChatToolName, History, Reading } from "../settings.ts"
import type { Dropped, Excerpt, PlacedUse, Searched, ToolUse } from "./facts.ts"
import type { KeptRequest } from "./stored-prompt.ts"

/** A passage that the model was given; its text stands with the message. */
export interface GivenPassage extends Omit<Source, "text"> {
  /** Of the text. */
  sha256: string
  /** Of the file's bytes then; null where it was gone already. */
  file_sha256: string | null
}

/** All in force; those that were left to the model are absent. */
export interface OptionsInForce extends ChatOptions {
  use_library: boolean
  thinking: boolean
  reading: Reading
  tools: ChatToolName[]
  history: History
  response_format: Record<string, unknown> | "json" | null
  /** Window that the model was asked for, in tokens; null for a backend without one. */
  context_tokens: number | null
}

/** What the caller was to access. */
export interface AskedBy {
  type: OwnerType
  /** Of the key or user. */
  id: string
  end_user: string | null
  /** What narrows its credentials; null: nothing, or it is not told. */
  contexts: string[] | null
  filters: Filter[] | null
}

/** Spelled as on the wire. */
export interface RecordFacts {
  model: {
    value: string
    provider: string
    local: boolean
    context_length: number | null
    size_bytes: number | null
  }
  options: OptionsInForce
  prompt_version: string
  /** Null where nothing was searched. */
  searched: (Searched & PassageRules) | null
  /** How often the library had changed. */
  library_changes: number
  scope: { file_ids: string[] | null; context_id: string | null }
  filter: Filter | null
  /** Names in the acl of files by which the caller saw them; null: whatever the acl. */
  principals: string[] | null
  asked_by: AskedBy | null
  passages: GivenPassage[]
  dropped: Dropped[]
  /** Results stand apart. */
  tool_calls: (Omit<ToolUse, "result"> & Partial<Pick<PlacedUse, "turn" | "at">>)[]
  /** How many the model was given. */
  notes: number
  /** How many of the texts are excerpts. */
  excerpts?: number
  redaction: {
    on: boolean
    /** Digest of the rules; null for none. */
    rules: string | null
    searched_kinds: string[]
    custom_patterns: number
    excluded: number
    kinds: Record<string, number>
    count: number
    partial: boolean
  }
  timings: Timings
  created_at: string
}

export interface NewRecord {
  facts: RecordFacts
  /** Null where no model was asked. */
  request: KeptRequest | null
  /** Results of the tools, in the order of their calls, then notes, then excerpts: what is from files, and stands with no passage. */
  texts: Excerpt[]
}

const { model: _, signal: __, ...REQUEST } = CHAT_REQUEST

const { text: ___, ...GIVEN } = { ...CITATION, score: "own", whole: "own", text: "own" } as const

const TOOL_USE = {
  id: "own",
  name: "text",
  arguments: "json",
  is_error: "own",
  duration_ms: "own",
  file_ids: "own",
  turn: "own",
  at: "own",
} as const

export const NEW_RECORD: Fields<NewRecord> = {
  facts: {
    model: "own",
    options: {
      ...{ temperature: "own", top_p: "own", max_tokens: "own", seed: "number", stop: "text" },
      use_library: "own",
      thinking: "own",
      reading: "own",
      tools: "own",
      history: "own",
      response_format: "json",
      context_tokens: "own",
    },
    prompt_version: "own",
    searched: {
      query: "text",
      rewritten: "own",
      embeddingModel: "own",
      vectors: "own",
      degraded: "own",
      limit: "own",
      minRelevance: "own",
    },
    library_changes: "own",
    scope: "own",
    filter: "own",
    principals: "text",
    asked_by: "own",
    passages: { ...GIVEN, sha256: "own", file_sha256: "own" },
    dropped: {
      kind: "own",
      reason: "own",
      count: "own",
      file_id: "own",
      chunk_id: "own",
      name: "text",
      score: "own",
    },
    tool_calls: TOOL_USE,
    notes: "own",
    excerpts: "own",
    redaction: "own",
    timings: "own",
    created_at: "own",
  },
  request: REQUEST,
  texts: { text: "text", file_ids: "own" },
}
