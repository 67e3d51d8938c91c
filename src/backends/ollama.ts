/** Chat models of an Ollama server, through its own package; named `ollama/NAME`. */
import type { Message, ChatRequest as OllamaRequest, ChatResponse as OllamaResponse } from "ollama/browser"
import { AppError } from "../errors.ts"
import { newId } from "../id.ts"
import {
  type ChatPiece,
  type ChatRequest,
  type ChatTurn,
  ContextOverflowError,
  type MadeCall,
  type ToolDefinition,
} from "./backend.ts"
import type { ChatBackendOptions } from "./backend-options.ts"
import { checkedLines, ollamaClient } from "./ollama-client.ts"
import { OllamaModels } from "./ollama-models.ts"
import { Probe, redirectOf } from "./probe.ts"
import { ServerChat, type ServerChatOptions } from "./server-chat.ts"
import type { SilenceWatch } from "./silence-watch.ts"
import { Splices } from "./splices.ts"
import { piecesOf, ThinkTagSplitter } from "./think-tags.ts"
import { noSuchModel, objectsIn, readArguments, said, send, spelled, untilFree } from "./wire.ts"

export interface OllamaOptions extends ServerChatOptions {
  /** Address of the server, such as `http://127.0.0.1:11434`. */
  host: string
  /** How long the server keeps a model loaded after use, in Ollama's form (`30m`, `-1`); empty leaves it to the server. */
  keepAlive: string
}

export const openOllamaChat = ({ ollamaHost, keepAlive }: ChatBackendOptions, shared: ServerChatOptions): OllamaChat =>
  new OllamaChat({ host: ollamaHost, keepAlive, ...shared })

/** What the server knows and the package does not name. */
type Body = OllamaRequest & { stream: true; messages: Message[]; truncate: boolean; shift: boolean }

type Lines = AsyncIterable<Partial<OllamaResponse>>

export class OllamaChat extends ServerChat<Lines> {
  readonly provider = "ollama"
  protected readonly probe: Probe
  private readonly models: OllamaModels

  constructor(private readonly options: OllamaOptions) {
    super(options)
    this.models = new OllamaModels(options.host, options.allowRemoteModels)
    this.probe = new Probe(
      signal => this.models.look(signal),
      error => redirectOf(error) ?? `the Ollama server at ${options.host} does not answer`,
    )
  }

  loadedContextTokens(model: string): number | null {
    return this.models.loadedAs(model)?.contextTokens ?? null
  }

  protected async *open(request: ChatRequest, watch: SilenceWatch): AsyncGenerator<ChatPiece, Lines> {
    if (!this.models.loadedAs(request.model)) yield { type: "waiting", phase: "loading_model" }
    const { host } = this.options
    const refusal = (status: number, text: string) => refusalOf(status, text, request.model)
    const splices = new Splices()
    const client = ollamaClient(
      host,
      async (url, init) =>
        checkedLines(await send({ url, init, server: "Ollama", refusal }, watch), watch, serverError),
      splices,
    )
    const body = this.body(request, splices)
    try {
      return yield* untilFree(() => client.chat(body), watch, request.signal)
    } catch (error) {
      // The list may be older than the model: one that cannot think is asked again without the question.
      const cannotThink = error instanceof AppError && /does not support thinking/i.test(error.hint ?? "")
      if (!cannotThink || body.think === undefined) throw error
      const { think: _, ...plain } = body
      return yield* untilFree(() => client.chat(plain), watch, request.signal)
    }
  }

  protected async *read(lines: Lines): AsyncGenerator<ChatPiece> {
    const splitter = new ThinkTagSplitter()
    for await (const line of lines) {
      const { content, thinking, tool_calls } = line.message ?? {}
      if (thinking) yield { type: "thinking", text: thinking }
      if (content) yield* piecesOf(splitter.push(content))
      for (const call of objectsIn(tool_calls)) yield { type: "tool_call", call: toolCall(call) }
      if (!line.done) continue
      yield* piecesOf(splitter.end())
      yield {
        type: "end",
        reason: line.done_reason === "length" ? "length" : "stop",
        usage: { promptTokens: line.prompt_eval_count ?? 0, completionTokens: line.eval_count ?? 0 },
      }
    }
  }

  private body(request: ChatRequest, splices: Splices): Body {
    const { options, contextTokens, responseFormat } = request
    const tools = offeredTools(request)
    const { keepAlive } = this.options
    const canThink = this.probe.last
      .find(model => model.value === `ollama/${request.model}`)
      ?.capabilities.includes("thinking")
    return {
      model: request.model,
      messages: request.turns.map(turn => message(turn, splices)) as Message[],
      stream: true,
      // Too long a prompt is an error that we see and mend, never a prompt that lost its beginning unseen.
      truncate: false,
      shift: false,
      options: {
        ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
        ...(options.top_p === undefined ? {} : { top_p: options.top_p }),
        ...(options.seed === undefined ? {} : { seed: options.seed }),
        ...(options.stop?.length ? { stop: options.stop } : {}),
        ...(options.max_tokens === undefined ? {} : { num_predict: options.max_tokens }),
        ...(contextTokens === undefined ? {} : { num_ctx: contextTokens }),
      },
      think: canThink && request.thinking !== undefined ? request.thinking : undefined,
      ...(tools.length > 0 ? { tools: tools.map(tool => ({ type: "function", function: tool })) } : {}),
      ...(responseFormat ? { format: responseFormat } : {}),
      ...(keepAlive ? { keep_alive: /^-?\d+$/.test(keepAlive) ? Number(keepAlive) : keepAlive } : {}),
    }
  }
}

/** The server knows no choice: a tool that must be called is the only one it hears of, and none where none may be. */
function offeredTools({ tools = [], toolChoice }: ChatRequest): ToolDefinition[] {
  if (toolChoice === "none") return []
  return typeof toolChoice === "object" ? tools.filter(tool => tool.name === toolChoice.name) : tools
}

const message = (turn: ChatTurn, splices: Splices) =>
  spelled(turn, {
    withImages: (_, images) => ({ images: images.map(({ data }) => splices.of(data)) }),
    call: ({ id, name, arguments: given }) => ({ id, function: { name, arguments: given } }),
    result: ({ name, toolCallId }) => ({ tool_name: name, tool_call_id: toolCallId }),
  })

/** Newer servers name a call; its arguments may hold anything, which `readArguments` looks at. */
function toolCall({
  id,
  function: called,
}: {
  id?: string
  function?: { name?: string; arguments?: unknown }
}): MadeCall {
  return { id: id || newId("call"), name: called?.name ?? "", ...readArguments(called?.arguments) }
}

function serverError(text: string): AppError {
  if (isOverflow(text)) return new ContextOverflowError(said("Ollama", text))
  return new AppError("model_error", { hint: said("Ollama", text) })
}

function refusalOf(status: number, text: string, model: string): AppError {
  if (status === 404) return noSuchModel(model, `${said("Ollama", text)}; run \`ollama pull ${model}\``)
  return serverError(text || `HTTP ${status}`)
}

const isOverflow = (text: string): boolean =>
  /exceeds? (the )?(maximum )?(available )?context|context (length|window|size).*(exceed|too)|input length exceeds/i.test(
    text,
  )
