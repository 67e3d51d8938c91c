/** The vectors of a query, made by the models that serve; without any, words alone answer. */
import { log } from "../log.ts"
import type { Tier } from "../storage/chunk-tables.ts"
import type { PassageStore } from "./passage-store.ts"
import type { QueryVector as AskedVector } from "./thread/worker-messages.ts"
import type { ServingModel, VectorModels } from "./vector/vector-models.ts"

/** One warning a minute while an embedding model fails. */
const WARN_EVERY_MS = 60_000
/** A million vectors take four seconds to load; a query does not wait for all of that. */
const LOAD_PATIENCE_MS = 3_000
/** Where fast vectors can answer, a query waits no longer for the quality tier's model, and not at all while that is loaded. */
const QUALITY_PATIENCE_MS = 1_500

export interface QueryVector {
  model: ServingModel
  values: Float32Array
}

/** As the legs are asked. */
export const askedOf = ({ model: { tier, table, embedder }, values }: QueryVector): AskedVector => ({
  tier,
  table,
  values,
  languages: embedder.languages ?? null,
  usual: embedder.cosines ?? null,
  slope: embedder.slope ?? 1,
  fastShare: embedder.fastShare ?? 0,
})

export class QueryVectors {
  private readonly warnedAt = new Map<Tier, number>()
  /** Queries that the quality tier's model has not answered in time. While there are any, it is asked no other. */
  private overdue = 0

  constructor(
    private readonly models: VectorModels,
    private readonly store: PassageStore,
  ) {}

  /** One of each tier at most: left out where there is no model, where it fails, and while its stored vectors are not loaded. */
  async of(text: string, signal: AbortSignal | undefined): Promise<QueryVector[]> {
    const { inline, tiers } = this.models
    const first = this.inTier(inline, text, signal)
    // Both models are at work at the same time.
    const second = tiers.find(tier => tier !== inline && this.overdue === 0)
    const better = second && this.inTier(second, text, signal)
    better?.catch(() => {}) // as the first one, where the query was given up
    const vector = await first
    const vectors = [vector, await (second && better && vector ? this.inTime(second, better) : better)]
    return vectors.filter(each => each !== undefined)
  }

  /** What comes too late counts for nothing. */
  private async inTime(tier: Tier, asked: Promise<QueryVector | undefined>): Promise<QueryVector | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const model = await this.models.model(tier).catch(() => undefined)
    const patienceMs = model?.embedder.isLoaded === false ? 0 : QUALITY_PATIENCE_MS
    const late = Symbol("late")
    const patience = new Promise<typeof late>(resolve => {
      timer = setTimeout(resolve, patienceMs, late)
    })
    const outcome = await Promise.race([asked, patience]).finally(() => clearTimeout(timer))
    if (outcome !== late) return outcome
    this.overdue++
    void asked
      .finally(() => {
        this.overdue--
      })
      .catch(() => {}) // the query was given up
    return undefined
  }

  private async inTier(tier: Tier, text: string, signal: AbortSignal | undefined): Promise<QueryVector | undefined> {
    try {
      const model = await this.models.model(tier)
      if (!model) return undefined
      const [[values], loaded] = await Promise.all([model.embedder.embed([text], "query", signal), this.loaded(tier)])
      return values && loaded ? { model, values } : undefined
    } catch (error) {
      if (signal?.aborted) throw error
      if (Date.now() - (this.warnedAt.get(tier) ?? 0) > WARN_EVERY_MS) {
        this.warnedAt.set(tier, Date.now())
        const instead = tier === this.models.inline ? "keywords only" : "keywords and fast vectors"
        log.warn(`search answers by ${instead}: an embedding model fails`, { error })
      }
      return undefined
    }
  }

  /** False when a large library's vectors are still being loaded after a start. */
  private async loaded(tier: Tier): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const patience = new Promise<boolean>(resolve => {
      timer = setTimeout(() => resolve(false), LOAD_PATIENCE_MS)
    })
    const loaded = this.store.load(tier).then(() => true)
    return await Promise.race([loaded, patience]).finally(() => clearTimeout(timer))
  }
}
