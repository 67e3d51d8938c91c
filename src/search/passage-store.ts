/**
 * What holds the words and vectors of passages beside the database, which is the truth: an engine in this process on one
 * machine, OpenSearch in a cluster. It may hold too much, which nothing shows and a sweep removes; what it holds too little
 * is made again from the rows of chunks.
 *
 * What was added is found once `settle` has returned and its generation is published, and never before.
 */
import type { Tier } from "../storage/chunk-tables.ts"
import type { Generation } from "../storage/chunks.ts"
import type { Database } from "../storage/database.ts"
import type { OptimizeOutcome } from "../storage/search-index.ts"
import type { IdRanges } from "./ids/id-ranges.ts"
import type { Scheme } from "./text/analyze.ts"
import type { Extent, WorkerAnswer, WorkerSearch, WorkerStats } from "./thread/worker-messages.ts"
import type { ServingModel, VectorModels } from "./vector/vector-models.ts"

/** Passages of one generation that follow one another. */
export interface Stretch {
  generation: Generation
  workspaceId: string
  firstId: number
  texts: string[]
  /** For where a text's own language does not show. */
  scheme: Scheme
}

export interface OptimizeStats {
  runs: number
  failures: number
  last: (OptimizeOutcome & { at: string }) | null
}

export interface StoreStats extends WorkerStats {
  optimize: OptimizeStats
}

/** What a store is made of. */
export interface StoreParts {
  db: Database
  models: VectorModels
  /** Named points of the write path; tests die there. */
  reached: (point: string) => void
}

export type OpenStore = (parts: StoreParts) => PassageStore

export interface PassageStore {
  /** `lost` is called when the store lost what it held in memory: it is then to be loaded, and to be completed. */
  start(lost: () => void): Promise<void>
  stop(): Promise<void>
  search(ask: WorkerSearch, signal?: AbortSignal): Promise<WorkerAnswer>
  addWords(stretches: readonly Stretch[]): Promise<void>
  /** One unit vector, or one of zeros, per passage, row after row. The table is one of `models`. */
  addVectors(table: string, stretches: readonly Stretch[], vectors: Float32Array): Promise<void>
  /** Resolves when a search can find everything that was added before. */
  settle(): Promise<void>
  /** Removing twice does nothing. */
  remove(generations: readonly Generation[]): Promise<void>
  /** Resolves when the vectors of a tier that serve can be searched. */
  load(tier: Tier): Promise<void>
  /** Ids of passages that are or may become visible and whose words, or vectors of a table, are not held. */
  lackingWords(): Promise<IdRanges>
  lackingVectors(table: string): Promise<IdRanges>
  /** Passages held, by words or in a table that serves, that belong to no generation that the database knows. */
  unknown(): Promise<{ words: number; vectors: number }>
  /** @returns how many passages those were */
  removeUnknown(): Promise<number>
  /** A table is complete and is about to take the place of another one of its tier. */
  finishTable(table: string): Promise<void>
  /** From here on it is searched; the database has it as the live one of its tier. */
  serve(model: ServingModel): Promise<void>
  /** Removes a table of vectors that does not serve. */
  dropTable(table: string): Promise<void>
  /**
   * Writes anew what still holds words or vectors of removed passages.
   * @returns whether nothing is left of what was removed before
   */
  erase(extent: Extent): Promise<boolean>
  /** Compacts now. */
  optimize(): Promise<void>
  stats(): Promise<StoreStats>
}
