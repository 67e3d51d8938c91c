/** What repetitions of a request with an Idempotency-Key need; see idempotency.ts. */
export interface IdempotencyTables {
  idempotent_answers: IdempotentAnswersTable
  answered_files: AnsweredFilesTable
}

/** Files that the answer to an upload tells of. */
interface AnsweredFilesTable {
  file_id: string
  workspace_id: string
  /** Of the answer. */
  key: string
}

interface IdempotentAnswersTable {
  workspace_id: string
  /** Keys of different operations do not meet. */
  operation: string
  key: string
  /** Of the request that was answered; null for one of a version that did not compare them. */
  request_hash: string | null
  status: number
  /** What the request noted for its repetitions. */
  body: string
  created_at: string
}
