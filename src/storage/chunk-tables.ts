/** Indexed slices of files, and the tables of their vectors; see chunks.ts. */
import type { Generated } from "kysely"
import type { Place } from "./document.ts"

export interface ChunksTables {
  chunks: ChunksTable
  generations: GenerationsTable
  chunk_numbers: { next: number }
  library_changes: { workspace_id: string; counter: number }
  vector_tables: VectorTablesTable
}

interface ChunksTable extends Place {
  id: number
  generation_id: number
  ordinal: number
  start: number
  end: number
  text: string
  context: string | null
  /** JSON of `Chunk.sections`; null in passages of one section. */
  sections: string | null
}

export type GenerationState = "staging" | "staged" | "live" | "dead"

interface GenerationsTable {
  id: Generated<number>
  file_id: string
  generation: number
  first_chunk: number
  last_chunk: number
  state: GenerationState
  /** Node that is writing it; null when nobody is. */
  owner: Generated<string | null>
}

/**
 * The kinds of vectors that a passage has: `fast` ones are made while its file is indexed, `quality` ones afterwards, in the
 * background. A passage is scored by its quality vector as soon as it has one.
 */
export const TIERS = ["fast", "quality"] as const
export type Tier = (typeof TIERS)[number]

/** Tables of vectors: one live per tier; `building` while a model change is under way; `dead` waits for removal. */
interface VectorTablesTable {
  name: string
  tier: Tier
  model: string
  dimensions: number
  state: "building" | "live" | "dead"
}
