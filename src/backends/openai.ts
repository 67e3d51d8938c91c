/**
 * Chat models behind the OpenAI interface (`/v1/models`, `/v1/chat/completions`): llama.cpp server, vLLM, LM Studio and
 * the like; named `openai/NAME`. The window is the server's own: it cannot be set per request.
 */
import { MAX_JSON_CHARACTERS, parseBounded } from "../bounded-json.ts"
import { AppError } from "../errors.ts"
import { newId } from "../id.ts"
import { type ChatPiece, type ChatRequest, ContextOverflowError } from "./backend.ts"
import type { ChatBackendOptions } from "./backend-options.ts"
import { authorization, openAiModels, refusalIn } from "./openai-models.ts"
import { bodyOf } from "./openai-request.ts"
import { Probe, redirectOf } from "./probe.ts"
import { ServerChat, type ServerChatOptions } from "./server-chat.ts"
import type { SilenceWatch } from "./silence-watch.ts"
import { Splices } from "./splices.ts"
import { piecesOf, ThinkTagSplitter } from "./think-tags.ts"
import {
  brokenOff,
  errorText,
  noSuchModel,
  notJson,
  objectsIn,
  readArguments,
  readEvents,
  type ServerCall,
  said,
  send,
  untilFree,
} from "./wire.ts"

export interface OpenAiOptions extends ServerChatOptions {
  /** Address with its version path, such as `http://127.0.0.1:8080/v1`. */
  baseUrl: string
  /** Empty for servers that ask for none. */
  apiKey: string
  /** Window that is assumed where the server does not tell its own. */
  contextTokens: number
}

export function openOpenAiChat(options: ChatBackendOptions, shared: ServerChatOptions): OpenAiChat | undefined {
  const { openAiBaseUrl: baseUrl, openAiApiKey: apiKey, openAiContextTokens: contextTokens } = options
  return baseUrl ? new OpenAiChat({ baseUrl, apiKey, contextTokens, ...shared }) : undefined
}

interface Delta {
  content?: string | null
  reasoning_content?: string | null
  reasoning?: string | null
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[]
}

interface Chunk {
  error?: unknown
  choices?: { delta?: Delta; finish_reason?: string | null }[]
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null
}

const SERVER = "the model server"

/** A stream, and how to learn why there is nothing in it. */
interface Stream {
  response: Response
  /** Asks the same without a stream, for one token. @throws AppError with what the server says then */
  askPlainly(): Promise<unknown>
}

export class OpenAiChat extends ServerChat<Stream> {
  readonly provider = "openai"
  protected readonly probe: Probe
  /** The server has refused the usual form of a schema: llama-cpp-python does, and takes the older one. */
  private schemaAsObject = false

  constructor(private readonly options: OpenAiOptions) {
    super(options)
    this.probe = new Probe(
      signal => openAiModels(options, signal),
      error => redirectOf(error) ?? refusalIn(error) ?? `the model server at ${options.baseUrl} does not answer`,
    )
  }

  protected async *open(request: ChatRequest, watch: SilenceWatch): AsyncGenerator<ChatPiece, Stream> {
    const post = async () => send(await this.callOf(request), watch)
    const askPlainly = async () => {
      const { init, ...call } = await this.callOf(request, { stream: false, stream_options: undefined, max_tokens: 1 })
      // The server may be closing the connection of the empty stream.
      return send({ ...call, init: { ...init, keepalive: false } }, watch)
    }
    try {
      return { response: yield* untilFree(post, watch, request.signal), askPlainly }
    } catch (error) {
      if (this.schemaAsObject || !isAboutFormat(request, error)) throw error
      this.schemaAsObject = true
      return { response: yield* untilFree(post, watch, request.signal), askPlainly }
    }
  }

  protected async *read({ response, askPlainly }: Stream, watch: SilenceWatch): AsyncGenerator<ChatPiece> {
    const splitter = new ThinkTagSplitter()
    const calls = new Map<number, { id: string; name: string; text: string }>()
    let finish: string | undefined
    let isEmpty = true
    // A server that counts nothing sends about one token at a time.
    let usage = { promptTokens: 0, completionTokens: 0 }
    let counted = false
    for await (const event of readEvents(response, watch)) {
      isEmpty = false
      const data = event.trim()
      if (data === "[DONE]") break
      if (!data) continue
      const chunk = parseChunk(data)
      if (chunk.error != null) throw serverError(errorText(data))
      if (chunk.usage) {
        usage = { promptTokens: chunk.usage.prompt_tokens ?? 0, completionTokens: chunk.usage.completion_tokens ?? 0 }
        counted = true
      }
      const choice = chunk.choices?.[0]
      if (choice?.delta) {
        if (!counted && hasText(choice.delta)) usage.completionTokens++
        yield* deltaPieces(choice.delta, splitter, calls)
      }
      finish = choice?.finish_reason ?? finish
    }
    // llama-cpp-python sends an empty stream for what it refuses, such as a prompt beyond its window.
    if (isEmpty) await askPlainly()
    if (finish === undefined) throw brokenOff(SERVER)
    yield* piecesOf(splitter.end())
    for (const { id, name, text } of calls.values())
      yield { type: "tool_call", call: { id: id || newId("call"), name, ...readArguments(text) } }
    yield { type: "end", reason: finish === "length" ? "length" : "stop", usage }
  }

  private async callOf(request: ChatRequest, more: object = {}): Promise<ServerCall> {
    const splices = new Splices()
    const body = { ...bodyOf(request, this.schemaAsObject, splices), ...more }
    return {
      url: `${this.options.baseUrl}/chat/completions`,
      init: {
        method: "POST",
        headers: { "content-type": "application/json", ...authorization(this.options.apiKey) },
        body: await splices.into(JSON.stringify(body)),
      },
      server: SERVER,
      refusal: (status: number, text: string) => refusalOf(status, text, request.model),
    }
  }
}

/** The server refused the form in which the request gives a schema. */
function isAboutFormat({ responseFormat }: ChatRequest, error: unknown): boolean {
  const isSchema = responseFormat !== undefined && responseFormat !== "json"
  return isSchema && error instanceof AppError && /response_format|json_schema/.test(error.hint ?? "")
}

const hasText = ({ content, reasoning_content, reasoning, tool_calls }: Delta): boolean =>
  Boolean(content || reasoning_content || reasoning || objectsIn(tool_calls).length > 0)

function* deltaPieces(
  delta: Delta,
  splitter: ThinkTagSplitter,
  calls: Map<number, { id: string; name: string; text: string }>,
): Generator<ChatPiece> {
  const thought = delta.reasoning_content ?? delta.reasoning
  if (thought) yield { type: "thinking", text: thought }
  if (delta.content) yield* piecesOf(splitter.push(delta.content))
  // A call comes in pieces: name first, then the text of its arguments bit by bit.
  for (const { index = calls.size, id, function: called } of objectsIn(delta.tool_calls)) {
    const call = calls.get(index) ?? { id: "", name: "", text: "" }
    calls.set(index, {
      id: call.id || (id ?? ""),
      name: call.name || (called?.name ?? ""),
      // One that grows past what is read at all is refused in the end, and need not grow further.
      text: call.text.length > MAX_JSON_CHARACTERS ? call.text : call.text + (called?.arguments ?? ""),
    })
  }
}

function parseChunk(data: string): Chunk {
  try {
    const value = parseBounded(data)
    if (typeof value === "object" && value !== null) return value
  } catch {
    // told below: the parser's own error would quote the data
  }
  throw notJson(SERVER, data)
}

function serverError(text: string): AppError {
  if (/context (length|size|window)|exceed.*context|maximum context|too many tokens/i.test(text))
    return new ContextOverflowError(said(SERVER, text))
  return new AppError("model_error", { hint: said(SERVER, text) })
}

function refusalOf(status: number, text: string, model: string): AppError {
  if (status === 404) return noSuchModel(model, said(SERVER, text))
  if (status === 401 || status === 403)
    return new AppError("model_error", {
      message: "the model server rejects the key",
      hint: `set openai_api_key; ${said(SERVER, text)}`,
    })
  if (status === 429)
    return new AppError("overloaded", { message: "the model server is busy", hint: said(SERVER, text), retryAfter: 10 })
  return serverError(text || `HTTP ${status}`)
}
