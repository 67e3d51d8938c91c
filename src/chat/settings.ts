/** What a turn is asked with: the request's own fields, those of `additional_metadata` behind them, then the conversation's. */
import { type Filter, filterOf } from "../access/filter/filter.ts"
import type { ChatOptions } from "../backends/backend.ts"
import { invalid } from "../errors.ts"
import { checkMetadata } from "../library/labels.ts"
import type { GivenImage } from "./images/check.ts"

/** How much of the files an answer is made from: what a search finds, the whole of them, or whichever the question needs. */
export const READINGS = ["auto", "passages", "whole"] as const
export type Reading = (typeof READINGS)[number]

/** What becomes of the oldest turns where a history is longer than the window: they are summed up, or left out. */
export const HISTORIES = ["summarize", "truncate"] as const
export type History = (typeof HISTORIES)[number]

/** Tools that a model may use by itself while it answers. */
export const CHAT_TOOLS = ["query_table", "calculate", "read_file"] as const
export type ChatToolName = (typeof CHAT_TOOLS)[number]

/** The optional fields of a chat request (section 6 of the API), checked in form by whoever received them. */
export interface TurnRequest {
  message?: string
  /** Of the message. */
  images?: GivenImage[]
  model?: string
  title?: string
  system_prompt?: string
  use_library?: boolean
  context_id?: string
  file_ids?: string[]
  filter?: unknown
  options?: ChatOptions
  thinking?: boolean
  reading?: Reading
  tools?: ChatToolName[]
  history?: History
  response_format?: unknown
  redaction?: unknown
  additional_metadata?: Record<string, unknown>
  /** Whom it is for: the customer's own user. */
  end_user?: string
}

/** What a conversation keeps for its follow-ups. */
export interface ChatSettings {
  system_prompt: string | null
  use_library: boolean
  context_id: string | null
  file_ids: string[]
  filter: Filter | null
  options: ChatOptions
  thinking: boolean
  reading: Reading
  /** Those that the model may use by itself; none where empty. */
  tools: ChatToolName[]
  history: History
  response_format: Record<string, unknown> | "json" | null
  /** As it was asked for; `parseRedaction` reads it. */
  redaction: unknown
}

export const DEFAULT_SETTINGS: ChatSettings = {
  system_prompt: null,
  use_library: true,
  context_id: null,
  file_ids: [],
  filter: null,
  options: {},
  thinking: false,
  reading: "auto",
  tools: [...CHAT_TOOLS],
  history: "summarize",
  response_format: null,
  redaction: null,
}

export const METADATA = "additional_metadata"
const MAX_FILE_IDS = 1_000

const isString = (value: unknown): value is string => typeof value === "string"
const isStringList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString)

/** Keys of `additional_metadata` that stand in for missing fields, and what they must hold. `redaction` checks itself. */
const FALLBACKS = {
  model: [isString, "must be a string"],
  title: [isString, "must be a string"],
  system_prompt: [isString, "must be a string"],
  context_id: [isString, "must be a string"],
  file_ids: [isStringList, "must be a list of strings"],
  redaction: [(_: unknown): _ is unknown => true, ""],
} as const

/**
 * The request with the gaps filled from its `additional_metadata`.
 * @throws AppError invalid_request naming the field
 */
export function withFallbacks(request: TurnRequest): TurnRequest {
  const metadata = request.additional_metadata
  const filled: TurnRequest = { ...request }
  if (metadata) {
    checkMetadata(metadata, METADATA)
    for (const [key, [accepts, rule]] of Object.entries(FALLBACKS)) {
      const value = metadata[key]
      if (value === undefined || value === null || request[key as keyof TurnRequest] !== undefined) continue
      if (!accepts(value)) throw invalid(`additional_metadata.${key}`, rule)
      Object.assign(filled, { [key]: value })
    }
  }
  if ((filled.file_ids?.length ?? 0) > MAX_FILE_IDS) throw invalid("file_ids", `must hold at most ${MAX_FILE_IDS} ids`)
  return filled
}

/** @param request with its fallbacks filled */
export function mergeSettings(request: TurnRequest, inherited = DEFAULT_SETTINGS): ChatSettings {
  return {
    system_prompt: request.system_prompt ?? inherited.system_prompt,
    use_library: request.use_library ?? inherited.use_library,
    context_id: (request.context_id ?? inherited.context_id) || null, // an empty one takes the scope off again
    file_ids: request.file_ids ?? inherited.file_ids,
    filter: isNamed(request.filter) ? filterOf(request.filter) : takesOff(request.filter) ? null : inherited.filter,
    options: request.options ?? inherited.options,
    thinking: request.thinking ?? inherited.thinking,
    reading: request.reading ?? inherited.reading,
    tools: request.tools ?? inherited.tools,
    history: request.history ?? inherited.history,
    response_format:
      request.response_format === undefined ? inherited.response_format : parseFormat(request.response_format),
    redaction: request.redaction ?? inherited.redaction,
  }
}

/** An empty object takes the filter of a conversation off again. */
const takesOff = (filter: unknown): boolean =>
  typeof filter === "object" && filter !== null && !Array.isArray(filter) && Object.keys(filter).length === 0

/** Whether a request brings a filter of its own. */
export const isNamed = (filter: unknown): boolean => filter !== undefined && filter !== null && !takesOff(filter)

/** `"json"`, a JSON Schema, or either in OpenAI's wrapping. @throws AppError invalid_request */
export function parseFormat(given: unknown): ChatSettings["response_format"] {
  if (given === null || given === "text") return null
  if (given === "json") return "json"
  if (typeof given !== "object" || Array.isArray(given))
    throw invalid("response_format", 'must be null, "json" or a JSON Schema')
  const format = given as { type?: unknown; schema?: unknown; json_schema?: { schema?: unknown } }
  if (format.type === "text") return null
  if (format.type === "json_object") return "json"
  if (format.type !== "json_schema") return given as Record<string, unknown>
  const schema = format.json_schema?.schema ?? format.schema
  if (typeof schema !== "object" || schema === null)
    throw invalid("response_format.json_schema.schema", "must be a JSON Schema")
  return schema as Record<string, unknown>
}

const TITLE_LENGTH = 80

/** A title made of a message: its first words. */
export function titleOf(message: string): string {
  const line = message.trim().replace(/\s+/g, " ")
  if (line.length <= TITLE_LENGTH) return line
  const cut = line.slice(0, TITLE_LENGTH).replace(/[\ud800-\udbff]$/, "")
  const word = cut.lastIndexOf(" ")
  return `${cut.slice(0, word > TITLE_LENGTH / 2 ? word : cut.length)}…`
}
