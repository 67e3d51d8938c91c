/** The vector of a query, made by the model that serves; without one, words alone answer. */
import { log } from "../log.ts"
import type { PassageStore } from "./passage-store.ts"
import type { ServingModel, VectorModels } from "./vector/vector-models.ts"

/** One warning a minute while the embedding model fails. */
const WARN_EVERY_MS = 60_000
/** A million vectors take four seconds to load; a query does not wait for all of that. */
const LOAD_PATIENCE_MS = 3_000

export interface QueryVector {
  model: ServingModel
  values: Float32Array
}

export class QueryVectors {
  private warnedAt = 0

  constructor(
    private readonly models: VectorModels,
    private readonly store: PassageStore,
  ) {}

  /** Undefined where there is no model, where it fails, and while the stored vectors are not loaded. */
  async of(text: string, signal: AbortSignal | undefined): Promise<QueryVector | undefined> {
    try {
      const model = await this.models.model()
      if (!model) return undefined
      const [[values], loaded] = await Promise.all([model.embedder.embed([text], "query", signal), this.loaded()])
      return values && loaded ? { model, values } : undefined
    } catch (error) {
      if (signal?.aborted) throw error
      if (Date.now() - this.warnedAt > WARN_EVERY_MS) {
        this.warnedAt = Date.now()
        log.warn("search answers by keywords only: the embedding model fails", { error })
      }
      return undefined
    }
  }

  /** False when a large library's vectors are still being loaded after a start: words alone answer meanwhile. */
  private async loaded(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const patience = new Promise<boolean>(resolve => {
      timer = setTimeout(() => resolve(false), LOAD_PATIENCE_MS)
    })
    const loaded = this.store.load().then(() => true)
    return await Promise.race([loaded, patience]).finally(() => clearTimeout(timer))
  }
}
