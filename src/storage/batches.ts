import type { OwnedColumns } from "./owned.ts"

/** Batches with their lines and files; `batches/` carries them out. */
export interface BatchesTables {
  batches: BatchesTable
  batch_lines: BatchLinesTable
  batch_files: BatchFilesTable
}

export type BatchStatus =
  | "validating"
  | "in_progress"
  | "finalizing"
  | "completed"
  | "failed"
  | "expired"
  | "cancelling"
  | "cancelled"

export interface BatchesTable extends OwnedColumns {
  id: string
  workspace_id: string
  /** The key, the scoped token or the user that it acts for, with the rights of the moment. */
  holder_id: string
  /** What all lines call; null where they differ, or while that is not known. */
  endpoint: string | null
  completion_window: string
  /** JSON object. */
  metadata: string | null
  input_file_id: string
  output_file_id: string | null
  error_file_id: string | null
  status: BatchStatus
  /** What it becomes once its files are written; set while it is `finalizing`. */
  outcome: BatchStatus | null
  /** JSON array of {code, message, param, line}. */
  errors: string | null
  total: number
  completed: number
  failed: number
  /** Of all answers so far. */
  answer_bytes: number
  created_at: string
  expires_at: string
  in_progress_at: string | null
  finalizing_at: string | null
  cancelling_at: string | null
  finished_at: string | null
}

/** One request; gone when the files of the batch are written. */
export interface BatchLinesTable {
  batch_id: string
  /** From 1, as it stands in the input. */
  line: number
  custom_id: string
  url: string
  /** Where it stands in the input: first byte, and the one behind the last. */
  start_byte: number
  end_byte: number
  /** 1 from before it is carried out until its answer is recorded, or it is put back. */
  begun: number
  /** Part of its Idempotency-Key: raised when what an earlier try made was removed. */
  round: number
  /** JSON: what a try made that failed, and is to be removed before the next. */
  leftover: string | null
  /** That failed for want of a model or a store. */
  tries: number
  /** Not tried again before; empty: at once. */
  due_at: string
  /** 1 for an answer that goes to the error file. */
  is_error: number | null
  /** A line of the output or the error file; null until it is there. */
  answer: string | null
}

/** What batches read and write: not part of the library. */
export interface BatchFilesTable extends OwnedColumns {
  id: string
  workspace_id: string
  name: string
  /** `batch` or `batch_output`. */
  purpose: string
  /** Bytes. */
  size: number
  sha256: string
  /** Name of the stored bytes. */
  blob: string
  created_at: string
}
