/** Embedding models from a folder on disk, run by transformers.js in a worker thread. */
import { AppError } from "../errors.ts"
import { log } from "../log.ts"
import { workerUrl } from "../native/self.ts"
import type { Cosines, Embedder } from "./backend.ts"
import type { EmbeddingFolder } from "./embedding-folder.ts"
import { leaveWorker } from "./leave-worker.ts"
import type { BatchMessage, OpenMessage, WorkerReply } from "./transformers-worker.ts"

export interface TransformersOptions {
  /** `<data>/native`, where the executable unpacks native libraries. */
  nativeDirectory: string
  /** Threads inside one operation of the model; 1 leaves the other cores to the rest of the daemon. */
  threads?: number
  /** Makes the worker; tests put one in that dies. */
  startWorker?: () => Worker
}

/** One batch must be this short, because a query that arrives meanwhile waits for its end. */
const BATCH_MS = 30
/** UTF-16 units per batch: about 16 passages to begin with, then whatever fits `BATCH_MS`. */
const FIRST_BATCH_CHARS = 8_000
const MIN_BATCH_CHARS = 500
const MAX_BATCH_CHARS = 64_000
const MAX_BATCH_TEXTS = 64
/** Loading and one batch end well within this. */
const CLOSE_MS = 3_000
/** After a worker died twice in a row the model is left alone this long: a search should not pay for a third try. */
const COOL_DOWN_MS = 10_000

interface Batch {
  texts: string[]
  signal: AbortSignal | undefined
  resolve(vectors: Float32Array): void
  reject(error: unknown): void
}

/**
 * States: `idle` (no worker yet: it starts with the first text) → `opening` → `ready` ⇄ running one batch.
 * A worker that dies is replaced once and its batch runs again; if the next one dies before it finished a batch,
 * everything waiting fails with `model_unavailable`, and so does every call during `COOL_DOWN_MS`; then `idle` again.
 * A folder that cannot be opened fails the same way. `closed` is final.
 */
export class TransformersEmbedder implements Embedder {
  readonly model: string
  readonly dimensions: number
  readonly fusionWeight: number
  readonly languages: string[] | null
  readonly cosines: Cosines | null

  // Someone waits for a query now; passages are background work. So queries always go first.
  private readonly lanes: Record<"query" | "passage", Batch[]> = { query: [], passage: [] }
  private worker: Worker | undefined
  private ready = false
  private running: Batch | undefined
  private runningSince = 0
  private deaths = 0
  private batchChars = FIRST_BATCH_CHARS
  private failure: { error: AppError; at: number } | undefined
  private closed = false

  constructor(
    private readonly folder: EmbeddingFolder,
    private readonly options: TransformersOptions,
  ) {
    this.model = folder.name
    this.dimensions = folder.dimensions
    this.fusionWeight = folder.fusionWeight
    this.languages = folder.languages
    this.cosines = folder.cosines
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

  /** Waits for what the worker is at: a thread that is ended inside native code takes the process with it. */
  async close(): Promise<void> {
    this.closed = true
    const error = new AppError("model_unavailable", { message: "the embedding model is closed" })
    for (const batch of [this.running, ...this.lanes.query.splice(0), ...this.lanes.passage.splice(0)])
      batch?.reject(error)
    const deadline = Date.now() + CLOSE_MS
    while (this.worker && (!this.ready || this.running) && Date.now() < deadline) await Bun.sleep(5)
    const isBusy = !this.ready || this.running !== undefined
    this.failAll(error)
    const { worker } = this
    this.worker = undefined
    if (worker && isBusy) leaveWorker(worker)
    else worker?.terminate()
  }

  private cut(order: number[], texts: string[]): number[][] {
    const batches: number[][] = []
    let chars = 0
    for (const row of order) {
      const length = texts[row]!.length
      const last = batches.at(-1)
      if (last && last.length < MAX_BATCH_TEXTS && chars + length <= this.batchChars) last.push(row)
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
    this.runNext()
    // An ingest job has one signal for thousands of batches.
    return promise.finally(() => signal?.removeEventListener("abort", drop))
  }

  private runNext(): void {
    if (this.running || this.closed) return
    if (!this.worker) this.start()
    if (!this.ready) return
    this.running = this.lanes.query.shift() ?? this.lanes.passage.shift()
    if (!this.running) return
    this.runningSince = performance.now()
    this.worker!.postMessage({ texts: this.running.texts } satisfies BatchMessage)
  }

  private start(): void {
    const worker = this.options.startWorker?.() ?? new Worker(workerUrl("backends/transformers-worker"))
    this.worker = worker
    this.ready = false
    worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => {
      if (worker === this.worker) this.take(data)
    }
    const died = (reason: string) => {
      if (worker === this.worker) this.restart(reason)
    }
    worker.onerror = event => died(event.message)
    worker.addEventListener("close", () => died("the worker thread ended"))
    const { nativeDirectory, threads = 1 } = this.options
    worker.postMessage({ folder: this.folder, nativeDirectory, threads } satisfies OpenMessage)
  }

  private take(reply: WorkerReply): void {
    if (reply.kind === "unusable") {
      this.giveUp(`the embedding model "${this.model}" cannot be opened`, reply.reason)
      return
    }
    if (reply.kind === "ready") this.ready = true
    else {
      const batch = this.running!
      this.running = undefined
      this.deaths = 0
      if (reply.kind === "vectors") {
        this.fitBatchSize(batch)
        batch.resolve(reply.vectors)
      } else batch.reject(new AppError("model_error", { message: `the embedding model failed: ${reply.reason}` }))
    }
    this.runNext()
  }

  private fitBatchSize({ texts }: Batch): void {
    const chars = texts.reduce((sum, text) => sum + text.length, 0)
    // A small batch says little about a large one.
    if (chars < this.batchChars / 2) return
    const fitting = (chars * BATCH_MS) / Math.max(1, performance.now() - this.runningSince)
    this.batchChars = Math.min(MAX_BATCH_CHARS, Math.max(MIN_BATCH_CHARS, (this.batchChars + fitting) / 2))
  }

  private restart(reason: string): void {
    this.drop()
    this.deaths++
    log.warn("embedding worker died", { model: this.model, reason, deaths: this.deaths })
    if (this.deaths > 1) {
      this.giveUp(`the embedding model "${this.model}" crashed twice`, reason)
      return
    }
    const { running } = this
    this.running = undefined
    if (running && !running.signal?.aborted) this.lanes.query.unshift(running)
    this.runNext()
  }

  private giveUp(message: string, reason: string): void {
    log.error(message, { model: this.model, reason })
    const error = new AppError("model_unavailable", { message, hint: reason })
    this.failure = { error, at: performance.now() }
    this.drop()
    this.failAll(error)
  }

  private drop(): void {
    const { worker } = this
    this.worker = undefined
    this.ready = false
    worker?.terminate()
  }

  private failAll(error: unknown): void {
    const waiting = [this.running, ...this.lanes.query.splice(0), ...this.lanes.passage.splice(0)]
    this.running = undefined
    for (const batch of waiting) batch?.reject(error)
  }

  private throwIfUnusable(): void {
    if (this.closed) throw new AppError("model_unavailable", { message: "the embedding model is closed" })
    if (!this.failure) return
    if (performance.now() - this.failure.at < COOL_DOWN_MS) throw this.failure.error
    this.failure = undefined
    this.deaths = 0
  }
}
