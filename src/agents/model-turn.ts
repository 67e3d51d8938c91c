/** One request to the model, fitted to its window, and its reply collected whole. */
import {
  CHAT_REQUEST,
  type ChatRequest,
  type ChatTurn,
  type MadeCall,
  type ToolDefinition,
} from "../backends/backend.ts"
import type { ResolvedModel } from "../backends/index.ts"
import type { Guard } from "../grounding/guard.ts"
import type { TokenMeter } from "../grounding/tokens.ts"
import { fitTranscript, transcriptTokens } from "../grounding/transcript.ts"
import { askFitted } from "../grounding/window.ts"
import { orAbort } from "../threads/or-abort.ts"
import type { JsonSchema } from "../tools/json-schema.ts"

export interface RunModel extends ResolvedModel {
  /** True when the model calls tools by itself. */
  native: boolean
  /** Window in tokens that requests are fitted to. */
  contextTokens: number
}

export interface TurnRequest {
  model: RunModel
  meter: TokenMeter
  turns: ChatTurn[]
  /** Empty where the model is to call nothing. */
  tools: ToolDefinition[]
  responseFormat: JsonSchema | undefined
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
/** Characters read from a server that ignores that bound; the rest is not waited for. */
const MAX_REPLY_CHARACTERS = 400_000
/** Below this there is no room for any task. */
const MIN_PROMPT_TOKENS = 512

/** @throws AppError of the backend; the abort reason, also where the backend goes on regardless */
export const askModel = (request: TurnRequest): Promise<TurnReply> => orAbort(collect(request), request.signal)

async function collect({ model, meter, turns, tools, responseFormat, guard, signal }: TurnRequest): Promise<TurnReply> {
  const maxTokens = Math.min(MAX_REPLY_TOKENS, Math.floor(model.contextTokens / 3))
  const count = (text: string) => meter.count(model.info.value, text)
  const pieces = askFitted(model, meter, async () => {
    const toolTokens = tools.length > 0 ? count(JSON.stringify(tools)) : 0
    const budget = Math.max(MIN_PROMPT_TOKENS, model.contextTokens - maxTokens - toolTokens)
    const fitted = fitTranscript(turns, budget, count)
    const request: ChatRequest = {
      model: model.name,
      turns: [...fitted],
      options: { max_tokens: maxTokens },
      contextTokens: model.contextTokens,
      ...(tools.length > 0 ? { tools } : {}),
      ...(responseFormat ? { responseFormat } : {}),
      signal,
    }
    return {
      request: await guard.pass(request, CHAT_REQUEST),
      promptTokens: transcriptTokens(fitted, count) + toolTokens,
    }
  })
  const calls: MadeCall[] = []
  let cut = false
  let text = ""
  let callCharacters = 0
  for await (const piece of pieces) {
    if (piece.type === "text") text += piece.text
    else if (piece.type === "tool_call") {
      calls.push(piece.call)
      callCharacters += JSON.stringify(piece.call).length
    }
    cut = text.length + callCharacters > MAX_REPLY_CHARACTERS
    if (cut) break
    if (piece.type === "end") cut = piece.reason === "length"
  }
  return { text, calls, cut }
}
