/** Makes in the background what the index lacks: words, vectors, and the vectors of another model. */
import type { Embedder } from "../../backends/backend.ts"
import { log } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import type { PassageStore } from "../passage-store.ts"
import type { VectorModels } from "../vector/vector-models.ts"
import { anyWanted } from "./generations.ts"
import type { Membership } from "./membership.ts"
import { changeModel, dropDeadTables, embedMissing, indexMissingWords, type ReindexProgress } from "./reindex.ts"

/** Wait before vectors are tried again that could not be made. */
const RETRY_VECTORS_MS = 30_000

export interface CatchUpOptions {
  db: Database
  store: PassageStore
  models: VectorModels
  members: Membership
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
    const { store, models, signal } = this.options
    try {
      await changeModel(this.options, embedder, signal, progress => {
        this.progress = progress
        on(progress)
      })
      await dropDeadTables(store, models)
      this.later() // what other nodes wrote into the former table meanwhile
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
    const { db, store, models, members, signal } = this.options
    if (!members.isLeader()) return
    try {
      if (!(await anyWanted(db))) return
      await indexMissingWords(db, store, signal)
      const configured = await models.configured()
      const outdated = configured !== undefined && (await models.outdated())
      if (!outdated) await store.load()
      await store.removeUnknown()
      if (outdated) return await this.reindexVectors(configured)
      const model = await models.model()
      if (!model) return
      await embedMissing(db, store, model, await store.lackingVectors(model.table), signal, () => {})
      await dropDeadTables(store, models)
    } catch (error) {
      if (signal.aborted) return
      log.warn("missing vectors could not be made; trying again", { error, retry_ms: RETRY_VECTORS_MS })
      this.later()
    }
  }
}
