/** Contexts that were named as stores of files, and files that were put into one together; `library/vector-stores.ts` reads and writes them. */
export interface VectorStoresTables {
  vector_stores: VectorStoresTable
  vector_store_batches: VectorStoreBatchesTable
}

/** A context that was named, or made while it is empty yet. One that has files needs no row. */
export interface VectorStoresTable {
  workspace_id: string
  context_id: string
  name: string
  description: string | null
  /** JSON object. */
  metadata: string
  created_at: string
  updated_at: string
}

export interface VectorStoreBatchesTable {
  id: string
  workspace_id: string
  context_id: string
  /** JSON array of ids. */
  file_ids: string
  /** JSON array: those that had not been read when the batch was cancelled; null where it was not. */
  cancelled_ids: string | null
  created_at: string
}
