/**
 * Writes passages into the index beside the database: their words, and where there is a model their vectors of the tier that
 * takes no time. Those of the other one are made in the background.
 */
import { log } from "../../log.ts"
import type { Generation } from "../../storage/chunks.ts"
import { both } from "../../threads/both.ts"
import type { PassageStore, Stretch } from "../passage-store.ts"
import { embedAll } from "../vector/embed.ts"
import type { VectorModels } from "../vector/vector-models.ts"

export interface AddOptions {
  /** False: without vectors, which are made another time. */
  embedding: boolean
  /** Told how many are embedded. */
  on: (done: number) => void | Promise<void>
  signal: AbortSignal
}

export interface PassageIndexOptions {
  store: PassageStore
  models: VectorModels
  told: {
    /** Passages are left without vectors that they should have by now. */
    vectorsMissing(): void
    /** These are complete but for the vectors that follow. */
    staged(generations: readonly Generation[]): void
  }
  /** Named points of the write path; tests die there. */
  reached: (point: string) => void
}

export class PassageIndex {
  readonly told: PassageIndexOptions["told"]
  private readonly store: PassageStore
  private readonly models: VectorModels
  private readonly reached: (point: string) => void

  constructor({ store, models, told, reached }: PassageIndexOptions) {
    this.store = store
    this.models = models
    this.told = told
    this.reached = reached
  }

  /** @returns false where vectors were not wanted or could not be made */
  async add(stretches: readonly Stretch[], options: AddOptions): Promise<boolean> {
    // Two threads do them; what fails must not leave the other at work on a generation that is given up.
    const meaning = options.embedding ? this.addVectors(stretches, options) : Promise.resolve(false)
    const [embedded] = await both(meaning, this.addWords(stretches))
    this.reached("vectors written")
    return embedded
  }

  /** Resolves when a search can find what was added. */
  settle(): Promise<void> {
    return this.store.settle()
  }

  private async addWords(stretches: readonly Stretch[]): Promise<void> {
    await this.store.addWords(stretches)
    this.reached("words indexed")
  }

  /**
   * Without a working embedding model the file becomes searchable by its words; its vectors are made when there is one.
   * @returns false then
   */
  private async addVectors(stretches: readonly Stretch[], { on, signal }: AddOptions): Promise<boolean> {
    const texts = stretches.flatMap(stretch => stretch.texts)
    const embedded = await this.embedOrSay(texts, on, signal)
    if (!embedded) return false
    this.reached("embedded")
    await this.store.addVectors(embedded.table, stretches, embedded.rows)
    return true
  }

  private async embedOrSay(
    texts: string[],
    on: AddOptions["on"],
    signal: AbortSignal,
  ): Promise<{ table: string; rows: Float32Array } | undefined> {
    try {
      const model = await this.models.model(this.models.inline)
      return model && { table: model.table, rows: await embedAll(model.embedder, texts, { signal, on }) }
    } catch (error) {
      if (signal.aborted) throw error
      log.warn("passages are indexed without vectors for now: the embedding model fails", { error })
      return undefined
    }
  }
}
