/** What every reranking model is to the rest of search, and what it is opened with. */

export interface Judged {
  /** How surely each text answers the query, 0..1; NaN for a text that was passed over. */
  scores: Float32Array
  /** What the model read. */
  tokens: number
}

export interface Reranker {
  /** What requests call it. */
  readonly model: string
  /**
   * A few texts; whoever has more asks again. A long one counts as its best window.
   * @param foreign `pass over` leaves out texts in languages that the model does not know, and all of them for such a query
   * @throws AppError model_unavailable; the reason of the signal
   */
  score(query: string, texts: string[], foreign: "pass over" | "score", signal?: AbortSignal): Promise<Judged>
  /** Waits for what is under way. */
  close(): Promise<void>
}

/** A model folder, and what its `carrel.json` says of it. */
export interface RerankFolder {
  name: string
  directory: string
  /** ISO 639-1; null for any. */
  languages: string[] | null
}

export interface RerankerOptions {
  /** `<data>/native`. */
  nativeDirectory: string
  /** Makes the worker; tests put one in that dies. */
  startWorker?: () => Worker
}
