/** Embedding models from a folder on disk, run by transformers.js in a worker thread. */
import { AppError } from "../errors.ts"
import { log } from "../log.ts"
import type { Cosines, Embedder } from "./backend.ts"
import type { EmbeddingFolder } from "./embedding-folder.ts"
import { ModelThread, ModelUnusable } from "./model-thread.ts"
import type { EmbeddingModelPlace } from "./transformers-worker.ts"

export interface TransformersOptions {
  /** `<data>/native`, where the executable unpacks native libraries. */
  nativeDirectory: string
  /** Threads inside one operation of the model; 1 leaves the other cores to the rest of the daemon. */
  threads?: number
  /** Makes the worker; tests put one in that dies. */
  startWorker?: () => Worker
  /** See `ModelThreadOptions`. */
  idleMs?: number
}

/** One batch must be this short, because a query that arrives meanwhile waits for its end. */
const BATCH_MS = 30
/** UTF-16 units per batch: about 16 passages to begin with, then whatever fits `BATCH_MS`. */
const FIRST_BATCH_CHARS = 8_000
const MIN_BATCH_CHARS = 500
const MAX_BATCH_CHARS = 64_000
const MAX_BATCH_TEXTS = 64
/** After a model proved unusable it is left alone this long: a search should not pay for a third try. */
const COOL_DOWN_MS = 10_000

interface Batch {
  texts: string[]
  signal: AbortSignal | undefined
  resolve(vectors: Float32Array): void
  reject(error: unknown): void
}

/**
 * The model is loaded with the first text. Where it cannot be used (see ModelThread) everything waiting fails with
 * `model_unavailable`, and so does every call during `COOL_DOWN_MS`; the next one tries anew. `close` is final.
 */
export class TransformersEmbedder implements Embedder {
  readonly model: string
  readonly dimensions: number
  readonly fusionWeight: number
  readonly languages: string[] | null
  readonly cosines: Cosines | null
  readonly slope: number
  readonly fastShare: number

  // Someone waits for a query now; passages are background work. So queries always go first.
  private readonly lanes: Record<"query" | "passage", Batch[]> = { query: [], passage: [] }
  private readonly thread: ModelThread<EmbeddingModelPlace, string[], Float32Array>
  private running: Batch | undefined
  private isAsking = false
  private batchChars = FIRST_BATCH_CHARS
  private readonly batchTexts: number
  private failure: { error: AppError; at: number } | undefined
  private closed = false

  constructor(
    private readonly folder: EmbeddingFolder,
    { nativeDirectory, threads = 1, startWorker, idleMs }: TransformersOptions,
  ) {
    this.model = folder.name
    this.thread = new ModelThread({
      model: folder.name,
      entry: "backends/transformers-worker",
      open: { folder, nativeDirectory, threads },
      startWorker,
      idleMs,
    })
    this.dimensions = folder.dimensions
    this.fusionWeight = folder.fusionWeight
    this.languages = folder.languages
    this.cosines = folder.cosines
    this.slope = folder.slope
    this.fastShare = folder.fastShare
    this.batchTexts = Math.min(MAX_BATCH_TEXTS, folder.batchTexts ?? MAX_BATCH_TEXTS)
  }

  get isLoaded(): boolean {
    return this.thread.state === "loaded"
  }

  async embed(texts: string[], role: "query" | "passage", signal?: AbortSignal): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    this.throwIfUnusable()
    const prefixed = texts.map(text => this.folder.prefix[role] + text)
    // Texts of one length share a batch: padding is computed like text.
    const order = [...prefixed.keys()].sort((a, b) => prefixed[a]!.length - prefixed[b]!.length)
    const vectors = new Array<Float32Array>(texts.length)
    await Promise.all(
      this.cut(order, prefixed).map(async rows => {
        const flat = await this.enqueue(
          rows.map(row => prefixed[row]!),
          role,
          signal,
        )
        for (const [at, row] of rows.entries())
          vectors[row] = flat.subarray(at * this.dimensions, (at + 1) * this.dimensions)
      }),
    )
    return vectors
  }

  /** Waits for what the model is at. */
  async close(): Promise<void> {
    this.closed = true
    this.failAll(CLOSED)
    await this.thread.close()
  }

  private cut(order: number[], texts: string[]): number[][] {
    const batches: number[][] = []
    let chars = 0
    for (const row of order) {
      const length = texts[row]!.length
      const last = batches.at(-1)
      if (last && last.length < this.batchTexts && chars + length <= this.batchChars) last.push(row)
      else {
        batches.push([row])
        chars = 0
      }
      chars += length
    }
    return batches
  }

  private enqueue(texts: string[], role: "query" | "passage", signal: AbortSignal | undefined): Promise<Float32Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>()
    const lane = this.lanes[role]
    const batch: Batch = { texts, signal, resolve, reject }
    const drop = () => {
      const at = lane.indexOf(batch)
      if (at >= 0) lane.splice(at, 1)
      reject(signal?.reason)
    }
    signal?.addEventListener("abort", drop, { once: true })
    lane.push(batch)
    if (!this.isAsking) void this.askWaiting()
    // An ingest job has one signal for thousands of batches.
    return promise.finally(() => signal?.removeEventListener("abort", drop))
  }

  /** Batch after batch, the next being chosen when the model is free for it. */
  private async askWaiting(): Promise<void> {
    this.isAsking = true
    while (this.lanes.query.length + this.lanes.passage.length > 0) await this.askNext()
    this.isAsking = false
  }

  private async askNext(): Promise<void> {
    try {
      await this.thread.load()
      const batch = this.lanes.query.shift() ?? this.lanes.passage.shift()
      if (!batch) return
      this.running = batch
      const since = performance.now()
      batch.resolve(await this.thread.run(batch.texts, batch.signal))
      this.fitBatchSize(batch, performance.now() - since)
    } catch (error) {
      this.take(error as Error)
    } finally {
      this.running = undefined
    }
  }

  private take(error: Error): void {
    if (this.closed) this.failAll(CLOSED)
    else if (error instanceof ModelUnusable) this.giveUp(error)
    else this.running?.reject(new AppError("model_error", { message: `the embedding model failed: ${error.message}` }))
  }

  private fitBatchSize({ texts }: Batch, tookMs: number): void {
    const chars = texts.reduce((sum, text) => sum + text.length, 0)
    // A small batch says little about a large one.
    if (chars < this.batchChars / 2) return
    const fitting = (chars * BATCH_MS) / Math.max(1, tookMs)
    this.batchChars = Math.min(MAX_BATCH_CHARS, Math.max(MIN_BATCH_CHARS, (this.batchChars + fitting) / 2))
  }

  private giveUp({ why, message: reason }: ModelUnusable): void {
    const message = `the embedding model "${this.model}" ${why}`
    log.error(message, { model: this.model, reason })
    const error = new AppError("model_unavailable", { message, hint: reason })
    this.failure = { error, at: performance.now() }
    this.failAll(error)
  }

  private failAll(error: AppError): void {
    const waiting = [this.running, ...this.lanes.query.splice(0), ...this.lanes.passage.splice(0)]
    for (const batch of waiting) batch?.reject(error)
  }

  private throwIfUnusable(): void {
    if (this.closed) throw CLOSED
    if (!this.failure) return
    if (performance.now() - this.failure.at < COOL_DOWN_MS) throw this.failure.error
    this.failure = undefined
  }
}

const CLOSED = new AppError("model_unavailable", { message: "the embedding model is closed" })
