/** Batches as the API shows them, in OpenAI's shape. */
import type { BatchesTable, BatchStatus } from "../storage/batches.ts"
import type { LineProblem } from "./input.ts"

export const BATCH_STATUSES = [
  "validating",
  "in_progress",
  "finalizing",
  "completed",
  "failed",
  "expired",
  "cancelling",
  "cancelled",
] as const satisfies BatchStatus[]

/** Not ended yet. */
export const UNDER_WAY = ["validating", "in_progress", "finalizing", "cancelling"] as const satisfies BatchStatus[]

/** Spelled as on the wire; times in seconds since 1970. */
export interface BatchRecord {
  id: string
  object: "batch"
  endpoint: string | null
  errors: { object: "list"; data: LineProblem[] } | null
  input_file_id: string
  completion_window: string
  status: BatchStatus
  output_file_id: string | null
  error_file_id: string | null
  created_at: number
  in_progress_at: number | null
  expires_at: number
  finalizing_at: number | null
  completed_at: number | null
  failed_at: number | null
  expired_at: number | null
  cancelling_at: number | null
  cancelled_at: number | null
  request_counts: { total: number; completed: number; failed: number }
  metadata: Record<string, string> | null
}

export function toBatchRecord(row: BatchesTable): BatchRecord {
  const endedAs = (status: BatchStatus) => (row.status === status ? seconds(row.finished_at) : null)
  return {
    id: row.id,
    object: "batch",
    endpoint: row.endpoint,
    errors: row.errors === null ? null : { object: "list", data: JSON.parse(row.errors) },
    input_file_id: row.input_file_id,
    completion_window: row.completion_window,
    status: row.status,
    output_file_id: row.output_file_id,
    error_file_id: row.error_file_id,
    created_at: seconds(row.created_at)!,
    in_progress_at: seconds(row.in_progress_at),
    expires_at: seconds(row.expires_at)!,
    finalizing_at: seconds(row.finalizing_at),
    completed_at: endedAs("completed"),
    failed_at: endedAs("failed"),
    expired_at: endedAs("expired"),
    cancelling_at: seconds(row.cancelling_at),
    cancelled_at: endedAs("cancelled"),
    request_counts: { total: row.total, completed: row.completed, failed: row.failed },
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  }
}

const seconds = (iso: string | null): number | null => (iso === null ? null : Math.floor(Date.parse(iso) / 1000))
