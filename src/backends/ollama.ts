/** Chat models of an Ollama server (`POST /api/chat`); named `ollama/NAME`. */
import { AppError } from "../errors.ts"
import type { Guarded } from "../guarded.ts"
import { newId } from "../id.ts"
import {
  type ChatBackend,
  type ChatPiece,
  type ChatRequest,
  type ChatTurn,
  ContextOverflowError,
  type MadeCall,
  type ModelInfo,
} from "./backend.ts"
import { askInLine, type ModelQueue } from "./model-queue.ts"
import { OllamaModels } from "./ollama-models.ts"
import { Probe, redirectOf } from "./probe.ts"
import { ThinkTagSplitter } from "./think-tags.ts"
import {
  brokenOff,
  notJson,
  openStream,
  readArguments,
  readLines,
  type ServerCall,
  SilenceWatch,
  said,
} from "./wire.ts"

export interface OllamaOptions {
  /** Address of the server, such as `http://127.0.0.1:11434`. */
  host: string
  /** How long the server keeps a model loaded after use, in Ollama's form (`30m`, `-1`); empty leaves it to the server. */
  keepAlive: string
  silenceMs: number
  queue: ModelQueue
  /** Permits models that the server itself runs elsewhere. */
  allowRemoteModels: boolean
}

/** One line of the stream. */
interface Line {
  error?: string
  message?: { content?: string; thinking?: string; tool_calls?: WireToolCall[] }
  done?: boolean
  done_reason?: string
  prompt_eval_count?: number
  eval_count?: number
}

interface WireToolCall {
  id?: string
  function?: { name?: string; arguments?: unknown }
}

export class OllamaChat implements ChatBackend {
  readonly provider = "ollama"
  private readonly models: OllamaModels
  private readonly probe: Probe

  constructor(private readonly options: OllamaOptions) {
    this.models = new OllamaModels(options.host, options.allowRemoteModels)
    this.probe = new Probe(
      signal => this.models.look(signal),
      error => redirectOf(error) ?? `the Ollama server at ${options.host} does not answer`,
    )
  }

  list(doubtful = false): Promise<ModelInfo[]> {
    return this.probe.list(doubtful)
  }

  get answers(): boolean {
    return this.probe.answered
  }

  loadedContextTokens(model: string): number | null {
    return this.models.loadedAs(model)?.contextTokens ?? null
  }

  chat(request: Guarded<ChatRequest>): AsyncGenerator<ChatPiece> {
    const line = `ollama/${request.model}`
    return askInLine(
      this.options.queue,
      line,
      request.signal,
      () => this.ask(request),
      () => this.probe.forget(),
    )
  }

  private async *ask(request: ChatRequest): AsyncGenerator<ChatPiece> {
    const watch = new SilenceWatch(request.signal, this.options.silenceMs)
    try {
      if (!this.models.loadedAs(request.model)) yield { type: "waiting", phase: "loading_model" }
      const response = yield* this.open(request, watch)
      yield* this.read(response, watch)
    } finally {
      watch.close()
    }
  }

  private async *open(request: ChatRequest, watch: SilenceWatch): AsyncGenerator<ChatPiece, Response> {
    const { host } = this.options
    const body = this.body(request)
    const call: ServerCall = { url: `${host}/api/chat`, body, signal: request.signal, server: "Ollama" }
    const refusal = (status: number, text: string) => refusalOf(status, text, request.model)
    try {
      return yield* openStream(call, watch, refusal)
    } catch (error) {
      // The list may be older than the model: one that cannot think is asked again without the question.
      const cannotThink = error instanceof AppError && /does not support thinking/i.test(error.hint ?? "")
      if (!cannotThink || body.think === undefined) throw error
      return yield* openStream({ ...call, body: { ...body, think: undefined } }, watch, refusal)
    }
  }

  private async *read(response: Response, watch: SilenceWatch): AsyncGenerator<ChatPiece> {
    const splitter = new ThinkTagSplitter()
    for await (const text of readLines(response, watch)) {
      const line = parseLine(text)
      if (line.error !== undefined) throw serverError(line.error)
      const { content, thinking, tool_calls } = line.message ?? {}
      if (thinking) yield { type: "thinking", text: thinking }
      if (content) yield* pieces(splitter.push(content))
      for (const call of tool_calls ?? []) yield { type: "tool_call", call: toolCall(call) }
      if (!line.done) continue
      yield* pieces(splitter.end())
      yield {
        type: "end",
        reason: line.done_reason === "length" ? "length" : "stop",
        usage: { promptTokens: line.prompt_eval_count ?? 0, completionTokens: line.eval_count ?? 0 },
      }
      return
    }
    throw brokenOff("Ollama")
  }

  private body(request: ChatRequest) {
    const { options, contextTokens, tools, responseFormat } = request
    const { keepAlive } = this.options
    const canThink = this.probe.last
      .find(model => model.value === `ollama/${request.model}`)
      ?.capabilities.includes("thinking")
    return {
      model: request.model,
      messages: request.turns.map(message),
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
      ...(tools?.length ? { tools: tools.map(tool => ({ type: "function", function: tool })) } : {}),
      ...(responseFormat ? { format: responseFormat } : {}),
      ...(keepAlive ? { keep_alive: /^-?\d+$/.test(keepAlive) ? Number(keepAlive) : keepAlive } : {}),
    }
  }
}

function* pieces({ thinking, text }: { thinking: string; text: string }): Generator<ChatPiece> {
  if (thinking) yield { type: "thinking", text: thinking }
  if (text) yield { type: "text", text }
}

function message(turn: ChatTurn): Record<string, unknown> {
  if (turn.role === "user" && turn.images?.length)
    return { role: "user", content: turn.content, images: turn.images.map(image => image.data) }
  if (turn.role === "assistant" && turn.toolCalls?.length)
    return {
      role: "assistant",
      content: turn.content,
      tool_calls: turn.toolCalls.map(({ id, name, arguments: given }) => ({
        id,
        function: { name, arguments: given },
      })),
    }
  if (turn.role === "tool")
    return { role: "tool", content: turn.content, tool_name: turn.name, tool_call_id: turn.toolCallId }
  return { role: turn.role, content: turn.content }
}

function toolCall({ id, function: called }: WireToolCall): MadeCall {
  return { id: id || newId("call"), name: called?.name ?? "", ...readArguments(called?.arguments) }
}

/** Its calls may hold anything, which `readArguments` looks at; a line's length is bounded already. */
function parseLine(text: string): Line {
  try {
    return JSON.parse(text) as Line
  } catch {
    throw notJson("Ollama", text)
  }
}

function serverError(text: string): AppError {
  if (isOverflow(text)) return new ContextOverflowError(said("Ollama", text))
  return new AppError("model_error", { hint: said("Ollama", text) })
}

function refusalOf(status: number, text: string, model: string): AppError {
  if (status === 404)
    return new AppError("model_not_found", {
      message: `the model server has no model ${model}`,
      hint: `${said("Ollama", text)}; run \`ollama pull ${model}\``,
    })
  return serverError(text || `HTTP ${status}`)
}

const isOverflow = (text: string): boolean =>
  /exceeds? (the )?(maximum )?(available )?context|context (length|window|size).*(exceed|too)|input length exceeds/i.test(
    text,
  )
