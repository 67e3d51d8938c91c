/** The record of an answer as one caller may see it: what made it, spelled as on the wire. */
import type { Filter } from "../../access/filter/filter.ts"
import type { ErrorBody } from "../../errors.ts"
import type { Position, Source } from "../../grounding/passages.ts"
import type { Warning } from "../../storage/document.ts"
import type { MessageRow } from "../conversation-rows.ts"
import type { Timings, Usage } from "../events.ts"
import type { FinishReason } from "../types.ts"
import type { Difference } from "./difference.ts"
import type { Dropped, ToolUse } from "./facts.ts"
import type { AskedBy, GivenPassage, OptionsInForce, RecordFacts } from "./new-record.ts"
import type { Texts } from "./pieces.ts"
import type { StoredRecord } from "./record-store.ts"
import { type ShownTurn, shownTurns } from "./stored-prompt.ts"

/** Null where its file is deleted, or is none that the caller sees. */
export type ShownPassage = Omit<GivenPassage, "name" | "position"> & {
  name: string | null
  position: Position | null
  text: string | null
}

export type ShownToolCall = Omit<ToolUse, "result"> & { result: string | null }

export interface ShownPrompt {
  /** Of the turns as they were sent. */
  sha256: string
  /** Every text of it is there, so that the model can be asked with it again. */
  complete: boolean
  /** Only where they are asked for. */
  turns?: ShownTurn[]
}

export interface AnswerRecord {
  conversation_id: string
  message_id: string
  model: RecordFacts["model"]
  options: OptionsInForce
  prompt_version: string
  /** Null where nothing was searched. */
  index_generation: {
    library_changes: number
    embedding_model: string
    vectors: { done: number; total: number; tier: string }
    degraded: string | null
  } | null
  query: { text: string; rewritten: boolean } | null
  scope: RecordFacts["scope"]
  filter: Filter | null
  principals: string[] | null
  asked_by: AskedBy | null
  passages: ShownPassage[]
  dropped: Dropped[]
  tool_calls: ShownToolCall[]
  /** On parts of files that were too long; the passages are what they cite. Null as the texts of passages are. */
  notes: (string | null)[]
  redaction: RecordFacts["redaction"]
  prompt: ShownPrompt | null
  usage: Usage
  timings: Timings
  warnings: Warning[]
  /** Null of a reply that is being written: all that is known so far. */
  finish_reason: FinishReason | null
  error: ErrorBody | null
  created_at: string
  /** Only where it is asked for. */
  difference?: Difference
}

/** What stands in a prompt for a text that its reader is not to see, or that is gone. */
const WITHHELD = "[no longer shown]"

/** A record with the rows that it is about, as one caller sees them. */
export interface Seen {
  conversationId: string
  message: MessageRow
  record: StoredRecord
  /** Passages whose files the caller sees. */
  sources: readonly Source[]
  texts: Texts
  /** Files that the caller sees, with the digests of their bytes now. */
  files: ReadonlyMap<string, string>
}

/** @param turns whether those of the prompt are told */
export function shownRecord({ conversationId, message, record, texts, files }: Seen, turns: boolean): AnswerRecord {
  const { facts, prompt } = record
  const { searched, library_changes, ...told } = facts
  const { model, options, prompt_version, scope, filter, principals, asked_by, redaction, timings, created_at } = told
  return {
    conversation_id: conversationId,
    message_id: message.id,
    ...{ model, options, prompt_version },
    index_generation: searched && {
      library_changes,
      embedding_model: searched.embeddingModel,
      vectors: searched.vectors,
      degraded: searched.degraded,
    },
    query: searched && { text: searched.query, rewritten: searched.rewritten },
    ...{ scope, filter, principals, asked_by },
    passages: facts.passages.map(passage => shownPassage(passage, texts, files)),
    dropped: facts.dropped.map(each => (each.file_id && !files.has(each.file_id) ? withoutName(each) : each)),
    tool_calls: facts.tool_calls.map(({ turn: _, at: __, ...call }, position) => ({
      ...call,
      result: texts.others.get(position + 1) ?? null,
    })),
    notes: Array.from({ length: facts.notes }, (_, at) => texts.others.get(facts.tool_calls.length + at + 1) ?? null),
    redaction,
    prompt: prompt && {
      sha256: prompt.sha256,
      complete: !isMissing(facts, texts),
      ...(turns ? { turns: shownTurns(prompt, texts, WITHHELD) } : {}),
    },
    usage: { prompt_tokens: message.prompt_tokens, completion_tokens: message.completion_tokens },
    timings,
    warnings: JSON.parse(message.warnings),
    finish_reason: message.finish_reason as FinishReason | null,
    error: message.error === null ? null : JSON.parse(message.error),
    created_at,
  }
}

/** Whether a text of the prompt is not there. */
export const isMissing = ({ passages, tool_calls, notes, excerpts = 0 }: RecordFacts, texts: Texts): boolean =>
  passages.some(({ index }) => !texts.passages.has(index)) || tool_calls.length + notes + excerpts > texts.others.size

function shownPassage(passage: GivenPassage, { passages }: Texts, files: ReadonlyMap<string, string>): ShownPassage {
  const isSeen = files.has(passage.file_id)
  return {
    ...passage,
    name: isSeen ? passage.name : null,
    position: isSeen ? passage.position : null,
    text: passages.get(passage.index) ?? null,
  }
}

const withoutName = ({ name: _, ...dropped }: Dropped): Dropped => dropped
