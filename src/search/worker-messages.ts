/** What the search worker is asked and what it answers. */
import type { Scheme } from "./analyze.ts"
import type { Extent } from "./erasure.ts"
import type { IdRanges } from "./id-ranges.ts"
import type { ParsedQuery } from "./query.ts"
import type { SearchFilters } from "./types.ts"

export interface WorkerSearch {
  workspaceId: string
  filters?: SearchFilters
  query: ParsedQuery
  /** Absent: the keyword leg alone. `table` names the vectors that it can be compared with. */
  vector?: { table: string; values: Float32Array }
  /** Hits wanted of each leg. */
  depth: number
  /** The keyword leg is not asked for: a semantic search that explains nothing. */
  vectorsOnly?: boolean
  /** Hits wanted of the keyword leg in all, when more than `depth`; those beyond come as `tail`. */
  reach?: number
}

/** Scored ids, best first, as columns: they cross threads far cheaper than objects. */
export interface ScoredColumns {
  ids: Int32Array
  scores: Float64Array
}

/** Every passage of either leg's list, with both real scores. */
export interface Candidates {
  ids: Int32Array
  /** BM25, 0 where no word is held. */
  keyword: Float64Array
  /** NaN without a query vector, or where the passage has none. */
  cosine: Float64Array
}

export interface WorkerAnswer {
  /** A file that the filters name and the workspace does not have: nothing was searched. */
  missingFile?: string
  /** The workspace as it was searched; `passages` are those that the filters leave. */
  library: { files: number; pendingFiles: number; passages: number }
  /** Best by keywords. */
  keyword: ScoredColumns
  /** Best by meaning. */
  vector: ScoredColumns
  candidates: Candidates
  /** Keyword hits beyond `depth` that are no candidates. */
  tail: ScoredColumns
  /** The vectors in memory are not those of the query's model: ask again with a vector of the live one. */
  otherModel?: boolean
  /** The vectors could not be read and are gone from the worker: load them again, and ask without a vector meanwhile. */
  vectorsLost?: boolean
  /** Words of the query without stop words, each as often as it is said. */
  words: number
  /** Passages that hold a word of the query. */
  matching: number
  /** Passages with a vector that the filters and conditions leave. */
  comparable: number
  /** The largest keyword score that the query allows. */
  bound: number
}

export interface WorkerStats {
  segments: number
  passages: number
  vectors: number
  vectorTable: string | null
  vectorBytes: number
  keywordBytes: number
  merges: number
  merging: boolean
  longestSliceMs: number
}

/** Ids that the legs hold, removed ones left out: what a check compares with the live chunks. */
export interface WorkerHoldings {
  keyword: IdRanges
  vector: IdRanges
}

export interface WorkerTasks {
  open: { ask: { dataDirectory: string }; answer: undefined }
  /** `schemes`: of each text, for where its own language does not show. */
  index: { ask: { firstId: number; texts: string[]; schemes: Scheme[] }; answer: undefined }
  /** Begins to fill a new set of vectors beside the one that serves. */
  beginVectors: { ask: { table: string; dimensions: number }; answer: undefined }
  /** To every set of that name, serving or being filled. */
  addVectors: { ask: { table: string; ids: Int32Array; vectors: Float32Array }; answer: undefined }
  /** The set that was being filled serves from now on; the former one is dropped. */
  swapVectors: { ask: { table: string }; answer: undefined }
  remove: { ask: { ranges: IdRanges }; answer: undefined }
  /** Writes anew the segments that hold words of removed passages, and cuts the log. */
  erase: { ask: { extent: Extent }; answer: undefined }
  search: { ask: WorkerSearch; answer: WorkerAnswer }
  stats: { ask: Record<string, never>; answer: WorkerStats }
  holdings: { ask: Record<string, never>; answer: WorkerHoldings }
  close: { ask: Record<string, never>; answer: undefined }
}

export type TaskName = keyof WorkerTasks
export type WorkerRequest = { [Name in TaskName]: { id: number; task: Name; ask: WorkerTasks[Name]["ask"] } }[TaskName]
export type WorkerReply = { id: number } & ({ answer: unknown } | { error: string })
