/** Makes in the background what the index lacks: words, vectors of either tier, and the vectors of another model. */
import type { Embedder } from "../../backends/backend.ts"
import { log } from "../../log.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import type { Database } from "../../storage/database.ts"
import type { PassageStore } from "../passage-store.ts"
import type { VectorModels } from "../vector/vector-models.ts"
import { anyWanted } from "./generations.ts"
import type { Membership } from "./membership.ts"
import { Recurring } from "./recurring.ts"
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
  private readonly changes = new Map<Tier, ReindexProgress>()
  /** One a tier: quality vectors take hours, and what else is missing does not wait for them. */
  private readonly lanes: readonly Recurring[]

  constructor(private readonly options: CatchUpOptions) {
    const { models, signal } = options
    this.lanes = models.tiers.map(tier => new Recurring(() => this.run(tier), signal))
  }

  /** While a tier changes to another model. */
  get progress(): ReindexProgress | null {
    return [...this.changes.values()][0] ?? null
  }

  /** Looks after a while, instead of when it was to look before. */
  later(delayMs = RETRY_VECTORS_MS): void {
    for (const lane of this.lanes) lane.later(delayMs)
  }

  /** Changes a tier to another model; the present one serves until all is done. */
  async reindexVectors(
    tier: Tier,
    embedder: Embedder,
    on: (progress: ReindexProgress) => void = () => {},
  ): Promise<void> {
    const { store, models, signal } = this.options
    try {
      await changeModel(this.options, { tier, embedder }, signal, progress => {
        this.changes.set(tier, progress)
        on(progress)
      })
      await dropDeadTables(store, models)
      this.later() // what other nodes wrote into the former table meanwhile
    } finally {
      this.changes.delete(tier)
    }
  }

  /** Waits for what is under way, which ends soon once the signal is aborted. */
  async close(): Promise<void> {
    for (const lane of this.lanes) await lane.close()
  }

  /** Never rejects: what failed is tried again. */
  private async run(tier: Tier): Promise<void> {
    const { db, store, models, members, signal } = this.options
    if (!members.isLeader()) return
    try {
      if (!(await anyWanted(db))) return
      if (tier === models.inline) await indexMissingWords(db, store, signal)
      await this.completeTier(tier)
    } catch (error) {
      if (signal.aborted) return
      log.warn("missing vectors could not be made; trying again", { tier, error, retry_ms: RETRY_VECTORS_MS })
      this.later()
    }
  }

  /** Loads what is stored, makes vectors that are missing, changes to the configured model. */
  private async completeTier(tier: Tier): Promise<void> {
    const { db, store, models, signal } = this.options
    const configured = await models.configured(tier)
    const outdated = configured !== undefined && (await models.outdated(tier))
    if (!outdated) await store.load(tier)
    if (tier === models.inline) await store.removeUnknown()
    if (outdated) return await this.reindexVectors(tier, configured)
    const model = await models.model(tier)
    if (!model) return
    await embedMissing(db, store, model, await store.lackingVectors(model.table), signal, () => {})
    await dropDeadTables(store, models)
  }
}
