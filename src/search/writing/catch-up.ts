/** Makes in the background what the index lacks: words, vectors, and the vectors of another model. */
import type { Embedder } from "../../backends/backend.ts"
import { log } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import { countIds, subtract } from "../ids/id-ranges.ts"
import type { SearchThread } from "../thread/search-thread.ts"
import type { VectorLeg } from "../vector/vector-leg.ts"
import {
  changeModel,
  dropDeadTables,
  embedMissing,
  indexMissingWords,
  type ReindexProgress,
  wantedIds,
} from "./reindex.ts"
import type { Sweep } from "./sweep.ts"

/** Wait before vectors are tried again that could not be made. */
const RETRY_VECTORS_MS = 30_000

export interface CatchUpOptions {
  db: Database
  thread: SearchThread
  vectors: VectorLeg
  sweep: Sweep
  /** The configured model: loaded, being loaded, or none. */
  configured: () => Promise<Embedder | undefined>
  signal: AbortSignal
}

export class CatchUp {
  /** While the library changes to another model. */
  progress: ReindexProgress | null = null
  private running: Promise<void> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly options: CatchUpOptions) {}

  /** Looks after a while, instead of when it was to look before. */
  later(delayMs = RETRY_VECTORS_MS): void {
    clearTimeout(this.timer)
    if (this.options.signal.aborted) return
    this.timer = setTimeout(() => {
      this.running ??= this.run().finally(() => {
        this.running = undefined
      })
    }, delayMs)
    this.timer.unref()
  }

  /** Changes the library to another model; the present one serves until all is done. */
  async reindexVectors(embedder: Embedder, on: (progress: ReindexProgress) => void = () => {}): Promise<void> {
    const { db, vectors, signal } = this.options
    try {
      await changeModel(db, vectors, embedder, signal, progress => {
        this.progress = progress
        on(progress)
      })
      await dropDeadTables(vectors)
    } finally {
      this.progress = null
    }
  }

  /** Waits for what is under way, which ends soon once the signal is aborted. */
  async close(): Promise<void> {
    clearTimeout(this.timer)
    await this.running
  }

  /** Loads what is stored, makes vectors that are missing, changes to the configured model. Tried again when it fails. */
  private async run(): Promise<void> {
    const { db, thread, vectors, sweep, signal } = this.options
    try {
      const wanted = await wantedIds(db)
      if (countIds(wanted) === 0) return
      await indexMissingWords(db, thread, wanted, signal)
      const configured = await this.options.configured()
      const outdated = configured !== undefined && (await vectors.outdated())
      if (!outdated) await vectors.load()
      await sweep.removeUnknown()
      if (outdated) return await this.reindexVectors(configured)
      const model = await vectors.model()
      if (!model) return
      const lacking = subtract(wanted, await vectors.held())
      await embedMissing(db, vectors, model, lacking, signal, () => {})
      await dropDeadTables(vectors)
      vectors.noteWrite() // fragments that the last run left are merged when all is quiet
    } catch (error) {
      if (signal.aborted) return
      log.warn("missing vectors could not be made; trying again", { error, retry_ms: RETRY_VECTORS_MS })
      this.later()
    }
  }
}
