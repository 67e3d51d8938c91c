/** An embedding model behind a server: batches, checks and closing are the same whatever the server speaks. */
import { AppError } from "../errors.ts"
import type { Embedder } from "./backend.ts"
import { DEFAULT_FUSION_WEIGHT } from "./embedding-folder.ts"
import { toUnitLength } from "./pooling.ts"

/** Unit vectors of texts, in their order. */
export type RequestEmbeddings = (texts: string[], signal?: AbortSignal) => Promise<Float32Array[]>

export interface ServerEmbedderOptions {
  /** Name under which its vectors are recorded, provider included. */
  model: string
  dimensions: number
  /** See `Embedder.languages`. */
  languages: string[] | null
  request: RequestEmbeddings
}

/** Servers run the texts of one request together; more than this only makes a query wait longer. */
const BATCH_TEXTS = 32
/** A server that loads a large model from a slow disk first needs minutes. */
const TIMEOUT_MS = 300_000

export class ServerEmbedder implements Embedder {
  readonly onServer = true
  readonly model: string
  readonly dimensions: number
  readonly fusionWeight = DEFAULT_FUSION_WEIGHT
  readonly languages: string[] | null
  private readonly closing = new AbortController()

  constructor(private readonly options: ServerEmbedderOptions) {
    this.model = options.model
    this.dimensions = options.dimensions
    this.languages = options.languages
  }

  async embed(texts: string[], _role: "query" | "passage", signal?: AbortSignal): Promise<Float32Array[]> {
    const stop = signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal
    const vectors: Float32Array[] = []
    for (let start = 0; start < texts.length; start += BATCH_TEXTS) {
      stop.throwIfAborted()
      vectors.push(...(await this.options.request(texts.slice(start, start + BATCH_TEXTS), stop)))
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

/** How many dimensions a model has, by asking it. */
export const dimensionsOf = async (request: RequestEmbeddings): Promise<number> =>
  (await request(["dimensions"]))[0]!.length

/** Vectors as a server gives them. @throws AppError model_error when there are not as many as texts */
export function unitVectors(values: number[][] | undefined, texts: number, model: string): Float32Array[] {
  if (values?.length !== texts)
    throw new AppError("model_error", { message: `the model server returned no embeddings for ${model}` })
  return values.map(each => toUnitLength(Float32Array.from(each), each.length))
}

/** The time that a request may take. */
export function within(signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  return signal ? AbortSignal.any([signal, limit]) : limit
}

/** Why a request got no answer. @param hint what the operator can look at where nothing answers */
export function unreached(cause: unknown, hint: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason
  return cause instanceof AppError ? cause : new AppError("model_unavailable", { cause, hint })
}

/** What a server answered instead of vectors. @param missing what to do where it does not have the model */
export function refusalOf(status: number, model: string, said: string | undefined, missing: string): AppError {
  const hint = said ? { hint: `the server said: ${said}` } : {}
  if (status === 404)
    return new AppError("model_not_found", {
      message: `the embedding model ${model} is not installed`,
      hint: missing,
    })
  if (status === 503) return new AppError("overloaded", { message: "the model server is busy", ...hint })
  return new AppError("model_error", { message: `the model server refused to embed with ${model}`, ...hint })
}
