/** One request to the model: fitted to its window, collected whole, asked again smaller where the server counts more tokens than we do. */
import {
  CHAT_REQUEST,
  type ChatBackend,
  type ChatRequest,
  type ChatTurn,
  ContextOverflowError,
  type MadeCall,
  type ToolDefinition,
} from "../backends/backend.ts"
import { guessTokens } from "../chat/tokens.ts"
import type { Guard } from "../grounding/guard.ts"
import { orAbort } from "../threads/or-abort.ts"
import type { JsonSchema } from "./json-schema.ts"
import { fitTranscript } from "./transcript.ts"

export interface RunModel {
  backend: ChatBackend
  /** Name without the provider. */
  name: string
  /** True when the model calls tools by itself. */
  native: boolean
  /** Window in tokens that requests are fitted to. */
  contextTokens: number
}

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
}

export interface TurnRequest {
  model: RunModel
  turns: ChatTurn[]
  /** Empty where the model is to call nothing. */
  tools: ToolDefinition[]
  responseFormat: JsonSchema | undefined
  /** Counted up. */
  usage: Usage
  guard: Guard
  signal: AbortSignal
}

export interface TurnReply {
  text: string
  calls: MadeCall[]
  /** The reply is the beginning of a longer one. */
  cut: boolean
}

/** Longest single reply in tokens: a model that babbles must not fill the window. */
const MAX_REPLY_TOKENS = 8_192
/** What is taken in of a server that does not keep to that: the rest is not waited for. */
const MAX_REPLY_CHARACTERS = 400_000
/** Share of the budget that is tried when the server finds the prompt too long for its window, try by try. */
const BUDGET_SHARES = [1, 0.7, 0.45]
/** Below this no task could be told at all. */
const MIN_PROMPT_TOKENS = 512

/** @throws AppError of the backend; the abort reason */
export async function askModel(request: TurnRequest): Promise<TurnReply> {
  let overflow: unknown
  for (const share of BUDGET_SHARES) {
    try {
      return await orAbort(collect(request, share), request.signal)
    } catch (error) {
      if (!(error instanceof ContextOverflowError)) throw error
      overflow = error
    }
  }
  throw overflow
}

async function collect(
  { model, turns, tools, responseFormat, usage, guard, signal }: TurnRequest,
  share: number,
): Promise<TurnReply> {
  const maxTokens = Math.min(MAX_REPLY_TOKENS, Math.floor(model.contextTokens / 3))
  const overhead = maxTokens + (tools.length > 0 ? guessTokens(JSON.stringify(tools)) : 0)
  const request: ChatRequest = {
    model: model.name,
    turns: fitTranscript(turns, Math.max(MIN_PROMPT_TOKENS, (model.contextTokens - overhead) * share)),
    options: { max_tokens: maxTokens },
    contextTokens: model.contextTokens,
    ...(tools.length > 0 ? { tools } : {}),
    ...(responseFormat ? { responseFormat } : {}),
    signal,
  }
  const pieces = model.backend.chat(await guard.pass(request, CHAT_REQUEST))
  const calls: MadeCall[] = []
  let cut = false
  let text = ""
  let size = 0
  for await (const piece of pieces) {
    if (piece.type === "text") text += piece.text
    else if (piece.type === "tool_call") calls.push(piece.call)
    size +=
      piece.type === "text" ? piece.text.length : piece.type === "tool_call" ? JSON.stringify(piece.call).length : 0
    cut = size > MAX_REPLY_CHARACTERS
    if (cut) break
    if (piece.type === "end") {
      cut = piece.reason === "length"
      usage.prompt_tokens += piece.usage.promptTokens
      usage.completion_tokens += piece.usage.completionTokens
    }
  }
  return { text, calls, cut }
}
