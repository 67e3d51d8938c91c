import type { Filter } from "../access/filter/filter.ts"
import type { View } from "../access/view.ts"
import type { Tier } from "../storage/chunk-tables.ts"
import type { Place } from "../storage/document.ts"
import type { Correction } from "./keyword/corrections.ts"
import type { RerankBudget } from "./rerank/budgets.ts"

export type SearchMode = "hybrid" | "keyword" | "semantic"

/** Each given filter narrows; lists are "any of". Times are ISO-8601. */
export interface SearchFilters {
  file_ids?: string[]
  types?: string[]
  tags?: string[]
  context_id?: string
  created_after?: string
  created_before?: string
  /** Every key must have exactly this value. */
  metadata?: Record<string, unknown>
  filter?: Filter
}

export interface SearchRequest {
  view: View
  query: string
  limit: number
  offset?: number
  mode?: SearchMode
  highlight?: boolean
  explain?: boolean
  /** Hits below it are left out, 0..1. */
  min_relevance?: number
  /** Lists what a hybrid search would leave out as there by accident: for those who have chosen the files. */
  accidents?: boolean
  /** Words that no passage holds are looked up as they are written and not as the words near them. */
  exact?: boolean
  /** Hits of a file come together, at most `group_size` of each (3); `limit`, `offset` and `total` then count files. */
  group_by?: "file"
  group_size?: number
  /** Has the best passages judged by the reranking model, in so much time or not at all. */
  rerank?: RerankBudget
  filters?: SearchFilters
}

export type { Correction }

/** One result, spelled as on the wire (section 5 of the API). */
export interface Hit {
  /** `chunk_…` */
  id: string
  /** 0..1, never rising down the list. */
  score: number
  /** How surely the passage answers the query, 0..1: of hits at .5 about half are right. */
  relevance: number
  text: string
  /** Offsets into `text`. */
  highlights: { start: number; end: number }[]
  file: { id: string; name: string; type: string; context_id: string | null; tags: string[] }
  /** Offsets into the extracted text of the file; `text` is exactly that slice. */
  position: Place & { start: number; end: number }
  scores?: {
    keyword: { rank: number; score: number } | null
    semantic: { rank: number; score: number } | null
    /** Words of the passage that were looked up in the place of misspelt ones. */
    corrected?: string[]
    /** Absent where no reranking was asked for; null where the model did not judge the passage. */
    rerank?: { rank: number; score: number } | null
  }
}

/** The hits of one file among those of an answer, where they follow each other. */
export interface HitGroup {
  file_id: string
  /** The best of its hits. */
  score: number
  relevance: number
  /** How many of the answer's hits are its own. */
  hits: number
}

/** How far the vectors of the best tier in use are made, in passages of the workspace. */
export interface VectorProgress {
  done: number
  total: number
  tier: Tier
}

export interface SearchResult {
  query: string
  mode: SearchMode
  took_ms: number
  total: number
  /** `keyword_only`: the vector leg could not run. `not_reranked`: no time to, or no model. `vectors_pending`: some passages have no vector yet. */
  degraded: "keyword_only" | "not_reranked" | "vectors_pending" | null
  /** Passages that the reranking model judged; absent where that was not asked for. */
  reranked?: number
  corrections: Correction[]
  index: { searchable_files: number; pending_files: number; embedding_model: string; vectors: VectorProgress }
  hits: Hit[]
  /** With `group_by`: whose the hits are, in their order. */
  groups?: HitGroup[]
}

export interface SearchService {
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResult>
}
