/** What the search worker is asked and what it answers. */
import type { View } from "../../access/view.ts"
import type { Cosines } from "../../backends/backend.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import type { IdRanges } from "../ids/id-ranges.ts"
import type { Correction } from "../keyword/corrections.ts"
import type { Scheme } from "../text/analyze.ts"
import type { ParsedQuery } from "../text/query.ts"
import type { SearchFilters, SearchMode } from "../types.ts"
import type { Background } from "../vector/background.ts"

export interface WorkerSearch {
  view: View
  filters?: SearchFilters
  query: ParsedQuery
  mode: SearchMode
  /** One of each tier at most; none: the keyword leg alone. */
  vectors: readonly QueryVector[]
  /** Those that serve: of each it is told how many passages of the workspace it holds. */
  tables: Partial<Record<Tier, string>>
  /** Words that no passage holds are not looked up as words near them. */
  exact?: boolean
  /** The answer says whose the passages are. */
  byDocument?: boolean
  /** Hits wanted of each leg. */
  depth: number
  /** Hits wanted of the keyword leg in all, when more than `depth`; those beyond come as `tail`. */
  reach?: number
}

export interface QueryVector {
  tier: Tier
  /** The vectors that it can be compared with. */
  table: string
  values: Float32Array
  /** ISO 639-1 codes of the languages that the model knows; null where it knows any. */
  languages: readonly string[] | null
  /** See `Embedder.cosines`, `Embedder.slope` and `Embedder.fastShare`. */
  usual: Cosines | null
  slope: number
  fastShare: number
}

/** Scored ids, best first, as columns: they cross threads far cheaper than objects. */
export interface ScoredColumns {
  ids: Float64Array
  scores: Float64Array
}

/** Every passage of either leg's list, with both real scores. */
export interface Candidates {
  ids: Float64Array
  /** BM25 and what the passage gains from its document; 0 where it holds no word. */
  keyword: Float64Array
  /**
   * On the scale of `WorkerAnswer.scale`. NaN without a query vector, where the passage has none, and where the model does
   * not know the passage's language.
   */
  cosine: Float64Array
  /** Share of the query's weight that lies on rare words which the passage holds, 0..1; 1 where it holds a rare identifier. */
  rare: Float64Array
}

/**
 * What relevance goes by: words that bind others left out, and the whole workspace whatever the filters, so that a hit is
 * as relevant among few passages as among all.
 */
export interface RelevanceGround {
  /** Beside `candidates.ids` and `tail.ids`: the keyword scores of the words that are left. */
  keyword: Float64Array
  tail: Float64Array
  bestKeyword: number
  /** -1 without a query vector that means something. */
  bestCosine: number
  bound: number
  words: number
  knownShare: number
  /** Of the workspace. */
  passages: number
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
  /** Null without a query vector. */
  background: Background | null
  ground: RelevanceGround
  /** False when the model knows nothing of the query, such as its language: words alone decide. */
  understood: boolean
  /** Whether the query's letters are those of words in some language. */
  readable: boolean
  /** The query is in another language than English. */
  foreign: boolean
  /** Keyword hits beyond `depth` that are not candidates. */
  tail: ScoredColumns
  /** The tier on whose scale all cosines are; null where vectors say nothing. */
  scale: Tier | null
  /** Share of the comparable passages that were scored by quality vectors, 0..1. */
  upgraded: number
  /** Passages of the workspace that have a vector of each tier that serves, by `WorkerSearch.tables`. */
  held: Partial<Record<Tier, number>>
  /** The vectors in memory are not those of the query's model: ask again with a vector of the live one. */
  otherModel?: boolean
  /** The vectors could not be read and are gone from the worker: load them again, and ask without a vector meanwhile. */
  vectorsLost?: boolean
  /** Words of the query without stop words, each as often as it is said. */
  words: number
  /** How much of the query's weight lies on words that some passage of the workspace holds, 0..1. */
  knownShare: number
  /** Passages that hold a word of the query. */
  matching: number
  /** Passages with a vector that the filters and conditions leave. */
  comparable: number
  /** What each word of the query weighs in this library, corrected ones by the terms that were looked up. */
  weights: WordWeight[]
  corrections: Correction[]
  /** Where asked: the first passage of the document that each candidate, and each of the tail, stands in. */
  documents?: { candidates: Float64Array; tail: Float64Array }
  /** The largest keyword score that the query allows. */
  bound: number
}

export interface WordWeight {
  /** The forms under which it can stand in a text. */
  terms: string[]
  weight: number
}

export interface VectorStats {
  table: string
  count: number
  bytes: number
}

export interface WorkerStats {
  segments: number
  passages: number
  /** Of the tables that serve. */
  vectors: Partial<Record<Tier, VectorStats>>
  keywordBytes: number
  merges: number
  merging: boolean
  longestSliceMs: number
}

/** Ids that the legs hold, removed ones left out: what a check compares with the live chunks. */
export interface WorkerHoldings {
  keyword: IdRanges
  /** By the names of the tables that serve. */
  vectors: ReadonlyMap<string, IdRanges>
}

/** What is written anew for the sake of removed passages: what takes a second or so, or all. */
export type Extent = "small" | "all"

/** Texts of one document that follow each other. */
export interface TextsOf {
  count: number
  /** For where a text's own language does not show. */
  scheme: Scheme
}

export interface WorkerTasks {
  /** `root`: memory of the keyring's `SharedRoot`. */
  open: { ask: { dataDirectory: string; root: SharedArrayBuffer | undefined }; answer: undefined }
  /** `documents`: whose texts these are, in their order. */
  index: { ask: { firstId: number; texts: string[]; documents: TextsOf[] }; answer: undefined }
  /** Begins to fill a new set of vectors beside the one of its tier that serves. */
  beginVectors: { ask: { tier: Tier; table: string; dimensions: number }; answer: undefined }
  /** To every set of that name, serving or being filled. */
  addVectors: { ask: { table: string; ids: Float64Array; vectors: Float32Array }; answer: undefined }
  /** The set that was being filled serves from now on; the former one is dropped. */
  swapVectors: { ask: { table: string }; answer: undefined }
  remove: { ask: { ranges: IdRanges }; answer: undefined }
  /** See `Upkeep.erase`. */
  erase: { ask: { extent: Extent }; answer: boolean }
  search: { ask: WorkerSearch; answer: WorkerAnswer }
  stats: { ask: Record<string, never>; answer: WorkerStats }
  holdings: { ask: Record<string, never>; answer: WorkerHoldings }
  close: { ask: Record<string, never>; answer: undefined }
}
