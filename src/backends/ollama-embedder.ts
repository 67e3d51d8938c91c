/** Embedding models of an Ollama server, through its own package; named `ollama/NAME`. */
import type { EmbedResponse, ShowResponse } from "ollama/browser"
import { AppError } from "../errors.ts"
import type { Embedder } from "./backend.ts"
import { DEFAULT_FUSION_WEIGHT } from "./embedding-folder.ts"
import { asLanguages } from "./model-languages.ts"
import { askingClient } from "./ollama-client.ts"
import { toUnitLength } from "./pooling.ts"

export interface OllamaEmbedderOptions {
  /** Name on the server, without the provider. */
  name: string
  /** Address of the server, such as `http://127.0.0.1:11434`. */
  host: string
  dimensions: number
  fusionWeight?: number
  /** See `Embedder.languages`. */
  languages?: string[] | null
}

/** Ollama runs the texts of one request together; more than this only makes a query wait longer. */
const BATCH_TEXTS = 32
/** A server that loads a large model from a slow disk first needs minutes. */
const TIMEOUT_MS = 300_000
const SHOW_TIMEOUT_MS = 2_000

export class OllamaEmbedder implements Embedder {
  readonly onServer = true
  readonly model: string
  readonly dimensions: number
  readonly fusionWeight: number
  readonly languages: string[] | null
  private readonly closing = new AbortController()

  constructor(private readonly options: OllamaEmbedderOptions) {
    this.model = `ollama/${options.name}`
    this.dimensions = options.dimensions
    this.fusionWeight = options.fusionWeight ?? DEFAULT_FUSION_WEIGHT
    this.languages = options.languages ?? null
  }

  async embed(texts: string[], _role: "query" | "passage", signal?: AbortSignal): Promise<Float32Array[]> {
    const { host, name } = this.options
    const stop = signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal
    const vectors: Float32Array[] = []
    for (let start = 0; start < texts.length; start += BATCH_TEXTS) {
      stop.throwIfAborted()
      vectors.push(...(await requestEmbeddings(host, name, texts.slice(start, start + BATCH_TEXTS), stop)))
    }
    for (const vector of vectors)
      if (vector.length !== this.dimensions)
        throw new AppError("model_error", {
          message: `the embedding model ${this.model} gave ${vector.length} dimensions instead of ${this.dimensions}`,
          hint: "the model behind this name has changed: run `carrel reindex`",
        })
    return vectors
  }

  async close(): Promise<void> {
    this.closing.abort(new AppError("model_unavailable", { message: "the embedding model is closed" }))
  }
}

/** What the model's own file says (`general.languages`); undefined where it or the server does not, which is no error. */
export async function statedLanguages(host: string, name: string): Promise<string[] | null | undefined> {
  const client = askingClient(
    host,
    AbortSignal.timeout(SHOW_TIMEOUT_MS),
    status => new Error(`show answered ${status}`),
  )
  const shown = (await client.show({ model: name }).catch(() => undefined)) as Partial<ShowResponse> | undefined
  return asLanguages((shown?.model_info as unknown as Record<string, unknown> | undefined)?.["general.languages"])
}

/** One request: unit vectors in the order of the texts. Throws `model_not_found`, `model_unavailable`, `model_error`. */
export async function requestEmbeddings(
  host: string,
  name: string,
  texts: string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  // The server answers an empty string with an empty vector; a space has one.
  const input = texts.map(text => text || " ")
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  const client = askingClient(host, signal ? AbortSignal.any([signal, limit]) : limit, (status, text) =>
    refusal(status, name, text),
  )
  const { embeddings }: Partial<EmbedResponse> = await client
    .embed({ model: name, input, truncate: true })
    .catch(cause => {
      if (signal?.aborted) throw signal.reason
      if (cause instanceof AppError) throw cause
      if (cause instanceof SyntaxError) return {}
      throw new AppError("model_unavailable", { cause, hint: `nothing answers at ${host}; is Ollama running there?` })
    })
  if (embeddings?.length !== texts.length)
    throw new AppError("model_error", { message: `the model server returned no embeddings for ${name}` })
  return embeddings.map(values => toUnitLength(Float32Array.from(values), values.length))
}

function refusal(status: number, name: string, text: string): AppError {
  const said = text ? { hint: `Ollama said: ${text}` } : {}
  if (status === 404)
    return new AppError("model_not_found", {
      message: `the embedding model ollama/${name} is not installed`,
      hint: `run \`ollama pull ${name}\``,
    })
  if (status === 503) return new AppError("overloaded", { message: "the model server is busy", ...said })
  return new AppError("model_error", { message: `the model server refused to embed with ${name}`, ...said })
}
