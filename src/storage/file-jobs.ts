import type { OwnedColumns } from "./owned.ts"

/** Work on many files; `library/bulk.ts` does it. */
export interface FileJobsTables {
  file_jobs: FileJobsTable
}

export type FileJobStatus = "queued" | "running" | "completed" | "failed" | "cancelled"

export interface FileJobsTable extends OwnedColumns {
  id: string
  workspace_id: string
  kind: string
  /** JSON: what is to be done, with which files, and what its caller saw. */
  request: string
  status: FileJobStatus
  /** Files dealt with, those that failed included. */
  done: number
  total: number
  /** JSON array of ids. */
  failed: string
  /** The last file that was dealt with: files go in the order of their ids. */
  cursor: string
  /** The newest file that is concerned. */
  last_id: string
  created_at: string
  finished_at: string | null
  /** Of a deletion: the receipt that all its files share. */
  receipt_id: string | null
}
