/** The roles of code that runs models. Each has at least two implementations and one conformance suite. */
import { AppError } from "../errors.ts"
import type { Fields, Guarded } from "../guarded.ts"

export interface Cosines {
  mean: number
  deviation: number
}

export interface Embedder {
  /** Name of the model, stored beside every vector; vectors of different models are never mixed. */
  readonly model: string
  readonly dimensions: number
  /** Share of the vector leg in the fused score for this model, 0..1. */
  readonly fusionWeight: number
  /** ISO 639-1 codes of the languages whose meaning the model knows; null or absent where nobody says. */
  readonly languages?: readonly string[] | null
  /** How the cosines of a query with passages that do not answer it lie; absent where nobody says. */
  readonly cosines?: Cosines | null
  /**
   * Of a model of the fast tier: how many deviations by the quality tier's model stand for one by this model, 0..1. See
   * `search/vector/calibration.ts`.
   */
  readonly slope?: number
  /**
   * Of a model of the quality tier: how much of a passage's score comes from its fast vector, 0..1; absent: nothing. See
   * `search/vector/scale.ts`.
   */
  readonly fastShare?: number
  /** False while it is still to be loaded, which takes seconds; absent where the first text takes no longer than others. */
  readonly isLoaded?: boolean
  /** It runs on a model server, which may be started later; absent where Carrel runs it itself. */
  readonly onServer?: boolean
  /**
   * Unit-length vectors, one per text, `dimensions` floats each, in order; zeros for a text of which the model knows
   * nothing, where it can tell.
   * Queries and passages are told apart because some models want a different prefix for each.
   */
  embed(texts: string[], role: "query" | "passage", signal?: AbortSignal): Promise<Float32Array[]>
  close(): Promise<void>
}

/** What knows other words for the same thing. */
export interface MeaningModels {
  fast?: Pick<Embedder, "embed"> | undefined
  /** The better of the two, which takes longer. */
  quality?: Pick<Embedder, "embed" | "cosines"> | undefined
}

/** Where embedding models are found. */
export interface EmbedderOptions {
  /** Where model folders may lie; the first that has the name wins. */
  directories: string[]
  /** `<data>/native`, where the executable unpacks native libraries. */
  nativeDirectory: string
  /** Threads inside one operation of a folder model. */
  threads?: number
  ollamaHost?: string
  /** Address with its version path, such as `http://127.0.0.1:8080/v1`; empty without such a server. */
  openAiBaseUrl?: string
  /** Empty for servers that ask for none. */
  openAiApiKey?: string
  /** Of a server's model that was used before; without it the server is asked, and must be up. */
  dimensions?: number
}

/** Opens a model by its name without the provider. */
export type OpenEmbedder = (name: string, options: EmbedderOptions) => Promise<Embedder>

/** A named entity that a model found; offsets count UTF-16 code units. */
export interface ModelEntity {
  kind: "NAME" | "ADDRESS"
  start: number
  end: number
  /** 0..1 */
  score: number
  /** How surely a larger model takes its words for parts of a name or an address, 0..1; undefined where none was asked. */
  support?: number | undefined
}

export interface EntityModel {
  readonly model: string
  find(text: string, signal?: AbortSignal): Promise<ModelEntity[]>
  close(): Promise<void>
}

export type ModelStatus = "loaded" | "ready" | "unavailable"
export type Capability = "chat" | "tools" | "vision" | "thinking"

/** One row of `GET /external/models` (section 2 of the API), in the domain's spelling. */
export interface ModelInfo {
  /** `<provider>/<name>`, the value that requests name. */
  value: string
  label: string
  provider: string
  status: ModelStatus
  /** Why it is unavailable; null otherwise. */
  statusReason: string | null
  local: boolean
  capabilities: Capability[]
  /** The server does not tell what its model can do: tools and pictures are sent to it all the same. */
  canMore?: boolean
  /** Tokens. */
  contextLength: number | null
  sizeBytes: number | null
  checkedAt: string
}

export interface ChatImage {
  mimeType: string
  /** Base 64 without a data-URL head. */
  data: string
}

export interface ToolCall {
  id: string
  name: string
  arguments: Record<string, unknown>
}

/** A call as a model made it. */
export interface MadeCall extends ToolCall {
  /** Why it cannot be carried out, in words for the model; the arguments are empty then. */
  problem?: string
}

export type ChatTurn =
  | { role: "system"; content: string }
  | { role: "user"; content: string; images?: ChatImage[] }
  | { role: "assistant"; content: string; toolCalls?: ToolCall[] }
  | { role: "tool"; content: string; toolCallId: string; name: string }

export interface ToolDefinition {
  name: string
  description: string
  /** JSON Schema of the arguments object. */
  parameters: Record<string, unknown>
}

/** Whether the model may, must or must not call tools, or which one it must call. */
export type ToolChoice = "auto" | "none" | "required" | { name: string }

export interface ChatOptions {
  temperature?: number
  top_p?: number
  max_tokens?: number
  seed?: number
  stop?: string[]
}

export interface ChatRequest {
  /** Name without the provider, such as `llama3.2:3b`. */
  model: string
  turns: ChatTurn[]
  options: ChatOptions
  /** Window in tokens that the server must use for this request; our own token budget made the turns fit it. */
  contextTokens?: number
  thinking?: boolean
  tools?: ToolDefinition[]
  /** `auto` where absent. */
  toolChoice?: ToolChoice
  /** False: at most one call a reply. Left to the server where absent. */
  parallelToolCalls?: boolean
  /** A JSON Schema that the answer must meet, or "json" for any JSON. */
  responseFormat?: Record<string, unknown> | "json"
  /**
   * Continue `turns`' last assistant turn instead of starting a new one.
   */
  continueLast?: boolean
  /**
   * The passages that the turns quote, and what they are asked, for a backend that answers from them without a
   * language model. Others ignore it.
   */
  grounding?: Grounding
  signal: AbortSignal
}

/**
 * What of a request comes from elsewhere. The tools' names are ours or the operator's, and so are those of arguments; a
 * caller's own tools are refused where theirs are private.
 */
export const CHAT_REQUEST: Fields<ChatRequest> = {
  model: "own",
  turns: {
    role: "own",
    content: "text",
    images: "withheld",
    toolCalls: { id: "text", name: "text", arguments: "json" },
    toolCallId: "text",
    name: "text",
  },
  options: { temperature: "own", top_p: "own", max_tokens: "own", seed: "number", stop: "text" },
  contextTokens: "own",
  thinking: "own",
  tools: { name: "own", description: "text", parameters: "values" },
  toolChoice: "own",
  parallelToolCalls: "own",
  responseFormat: "json",
  continueLast: "own",
  grounding: {
    question: "text",
    topic: "text",
    passages: { index: "own", text: "text", score: "own" },
    unavailable: "own",
    whole: "own",
  },
  signal: "own",
}

export interface Grounding {
  question: string
  /** What the conversation was about before, where the question only makes sense with it; empty otherwise. */
  topic: string
  passages: { index: number; text: string; score: number }[]
  /** The library could not be searched. */
  unavailable?: true
  /** The passages are a whole text, which the question is about. */
  whole?: true
}

/** The model server refused the prompt as longer than its window. Fitting it again, smaller, may help. */
export class ContextOverflowError extends AppError {
  constructor(hint: string) {
    super("model_error", { message: "the prompt is longer than the model's context window", hint })
  }
}

/** What a model streams. Exactly one `end`, last; errors are thrown as AppError (model_error, model_unavailable, overloaded …). */
export type ChatPiece =
  | { type: "waiting"; phase: "queued" | "loading_model"; detail?: string }
  | { type: "thinking"; text: string }
  | { type: "text"; text: string }
  | { type: "tool_call"; call: MadeCall }
  | { type: "end"; reason: "stop" | "length"; usage: { promptTokens: number; completionTokens: number } }

/** A provider of chat models: Ollama, an OpenAI-compatible server, the built-in extractive mode. */
export interface ChatBackend {
  readonly provider: string
  /**
   * Live list; takes at most one second, never throws: a dead server's last known models come back `unavailable`.
   * The last look serves for five seconds, unless the caller is `doubtful` about it.
   */
  list(doubtful?: boolean): Promise<ModelInfo[]>
  /** False when the last look got no answer: what the server has is not known. */
  readonly answers?: boolean
  /** The window with which the model is loaded now: asking for the same spares a reload. Null when unknown. */
  loadedContextTokens?(model: string): number | null
  chat(request: Guarded<ChatRequest>): AsyncIterable<ChatPiece>
}
