/**
 * Makes in the background what the index lacks: words, vectors of either tier, and the vectors of another model. Those of
 * the quality tier are made here alone: they follow what was indexed, the newest first, as fast as `pace` allows.
 */
import type { Embedder } from "../../backends/backend.ts"
import { log } from "../../log.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import type { IdRanges } from "../ids/id-ranges.ts"
import type { BackgroundPace } from "../vector/background-pace.ts"
import type { ServingModel, VectorModels } from "../vector/vector-models.ts"
import { Backlog } from "./backlog.ts"
import { anyWanted } from "./generations.ts"
import type { Membership } from "./membership.ts"
import { embedMissing, type FillParts, indexMissingWords, lackingIn } from "./missing.ts"
import { Recurring } from "./recurring.ts"
import { changeModel, dropDeadTables, type ReindexProgress } from "./reindex.ts"

/** Wait before vectors are tried again that could not be made. */
const RETRY_VECTORS_MS = 30_000
/** What was just written gets its quality vectors so soon: files often come in a row. */
const FOLLOW_AFTER_MS = 500

export interface CatchUpOptions extends FillParts {
  models: VectorModels
  members: Membership
  /** Of what is made after the indexing of a file. */
  pace: BackgroundPace
}

export class CatchUp {
  private readonly changes = new Map<Tier, ReindexProgress>()
  /** What waits for its quality vectors; nothing but the lane of that tier makes these, so that none is made twice. */
  private backlog = new Backlog()
  /** The store is to be held against the database: what `note` was told since is not all. */
  private mayLackMore = true
  /** One a tier: quality vectors take hours, and what else is missing does not wait for them. */
  private readonly lanes: readonly [inline: Recurring, ...following: Recurring[]]
  /** Missing words are made one after another: a passage whose words are written twice is found twice. */
  private words: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: CatchUpOptions) {
    const { models, signal } = options
    const [inline, ...following] = models.tiers.map(tier => new Recurring(() => this.run(tier), signal))
    this.lanes = [inline!, ...following]
  }

  /** While a tier changes to another model. */
  get progress(): ReindexProgress | null {
    return [...this.changes.values()][0] ?? null
  }

  /** Makes missing words, now. @returns how many passages lacked them; see `indexMissingWords` */
  completeWords(lacks?: (passages: number) => void): Promise<number> {
    const made = this.words.catch(() => {}).then(() => indexMissingWords(this.options, lacks))
    this.words = made
    return made
  }

  /** Looks after a while, instead of when it was to look before. */
  later(delayMs = RETRY_VECTORS_MS): void {
    this.mayLackMore = true
    for (const lane of this.lanes) lane.later(delayMs)
  }

  /** Passages were written that have no quality vectors yet. */
  follow(ids: IdRanges): void {
    const [, following] = this.lanes
    if (!following) return
    this.backlog.add(ids)
    following.soon(FOLLOW_AFTER_MS)
  }

  /** Changes a tier to another model; the present one serves until all is done. */
  reindexVectors(tier: Tier, embedder: Embedder, on?: (progress: ReindexProgress) => void): Promise<void> {
    return this.change(tier, embedder, on)
  }

  /** Waits for what is under way, which ends soon once the signal is aborted. */
  async close(): Promise<void> {
    for (const lane of this.lanes) await lane.close()
  }

  private async change(
    tier: Tier,
    embedder: Embedder,
    on: (progress: ReindexProgress) => void = () => {},
    pace?: BackgroundPace,
  ): Promise<void> {
    const { store, models } = this.options
    const note = (progress: ReindexProgress) => {
      this.changes.set(tier, progress)
      on(progress)
    }
    try {
      await changeModel(this.options, { tier, embedder }, { on: note, pace })
      await dropDeadTables(store, models, tier)
      this.later() // what other nodes wrote into the former table meanwhile
    } finally {
      this.changes.delete(tier)
    }
  }

  /** Never rejects: what failed is tried again. */
  private async run(tier: Tier): Promise<void> {
    const { db, models, members, signal } = this.options
    if (!members.isLeader()) return
    try {
      if (!(await anyWanted(db))) return
      if (tier === models.inline) await this.completeWords()
      await this.completeTier(tier)
    } catch (error) {
      if (signal.aborted) return
      log.warn("missing vectors could not be made; trying again", { tier, error, retry_ms: RETRY_VECTORS_MS })
      this.later()
    }
  }

  /** Loads what is stored, makes vectors that are missing, changes to the configured model. */
  private async completeTier(tier: Tier): Promise<void> {
    const { store, models, pace } = this.options
    const configured = await models.configured(tier)
    const outdated = configured !== undefined && (await models.outdated(tier))
    const isInline = tier === models.inline
    if (!outdated) await store.load(tier)
    if (isInline) await store.removeUnknown()
    if (outdated) return await this.change(tier, configured, undefined, isInline ? undefined : pace)
    const model = await models.model(tier)
    if (!model) return
    if (isInline) await embedMissing(this.options, model, await lackingIn(store, model.table))
    else if (configured) await this.upgrade(model) // what no setting asks for is not made
    await dropDeadTables(store, models, tier)
  }

  private async upgrade(model: ServingModel): Promise<void> {
    if (this.mayLackMore) {
      this.backlog = new Backlog() // what is written from here on is noted in it, and may be found lacking as well
      this.mayLackMore = false
      try {
        this.backlog.add(await this.options.store.lackingVectors(model.table))
      } catch (error) {
        this.mayLackMore = true
        throw error
      }
    }
    // A model that has nothing to do is loaded with the first query after a start: it takes 200 MB.
    if (this.backlog.count === 0) return
    const { pace, signal } = this.options
    // Queries do not wait until the model is loaded: it is to be there for the next one.
    await pace.take(signal, () => model.embedder.embed(["ready"], "query", signal))
    await embedMissing(this.options, model, this.backlog, { pace })
  }
}
