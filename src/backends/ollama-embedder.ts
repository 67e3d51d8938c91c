/** Embedding models of an Ollama server (`POST /api/embed`); named `ollama/NAME`. */
import { AppError } from "../errors.ts"
import { fetchWithin } from "../outbound.ts"
import type { Embedder } from "./backend.ts"
import { DEFAULT_FUSION_WEIGHT } from "./embedding-folder.ts"
import { asLanguages } from "./model-languages.ts"
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
  const response = await fetchWithin(`${host}/api/show`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: name }),
    signal: AbortSignal.timeout(SHOW_TIMEOUT_MS),
  }).catch(() => undefined)
  const shown = (await response?.json().catch(() => undefined)) as { model_info?: Record<string, unknown> } | undefined
  return asLanguages(shown?.model_info?.["general.languages"])
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
  const response = await fetchWithin(`${host}/api/embed`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: name, input, truncate: true }),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  }).catch(cause => {
    if (signal?.aborted) throw signal.reason
    if (cause instanceof AppError) throw cause
    throw new AppError("model_unavailable", { cause, hint: `nothing answers at ${host}; is Ollama running there?` })
  })
  const body = (await response.json().catch(() => ({}))) as { embeddings?: number[][]; error?: string }
  if (!response.ok) throw refusal(response.status, name, body.error)
  if (body.embeddings?.length !== texts.length)
    throw new AppError("model_error", { message: `the model server returned no embeddings for ${name}` })
  return body.embeddings.map(values => toUnitLength(Float32Array.from(values), values.length))
}

function refusal(status: number, name: string, text: string | undefined): AppError {
  const said = text ? { hint: `Ollama said: ${text}` } : {}
  if (status === 404)
    return new AppError("model_not_found", {
      message: `the embedding model ollama/${name} is not installed`,
      hint: `run \`ollama pull ${name}\``,
    })
  if (status === 503) return new AppError("overloaded", { message: "the model server is busy", ...said })
  return new AppError("model_error", { message: `the model server refused to embed with ${name}`, ...said })
}
