import type { OwnedColumns } from "./owned.ts"

/** Requests that are made at set times; `batches/schedules.ts` makes them. */
export interface SchedulesTables {
  schedules: SchedulesTable
  schedule_runs: ScheduleRunsTable
}

export interface SchedulesTable extends OwnedColumns {
  id: string
  workspace_id: string
  /** The key or the user that it acts for, with the rights of the moment. */
  holder_id: string
  name: string
  /** JSON: a `Timing`. */
  timing: string
  /** JSON: {url, body}. */
  request: string
  paused: number
  /** Null while it is paused. */
  next_run_at: string | null
  created_at: string
  updated_at: string
}

export type ScheduleRunStatus = "running" | "completed" | "failed"

export interface ScheduleRunsTable {
  id: string
  schedule_id: string
  workspace_id: string
  /** JSON: {url, body}, as it was when the run began. */
  request: string
  /** One of a schedule is `running` at most. */
  status: ScheduleRunStatus
  /** As those of `BatchLinesTable`. */
  begun: number
  round: number
  leftover: string | null
  /** Of the answer, if there was one. */
  status_code: number | null
  /** JSON of the answer; its beginning where it is cut. */
  body: string | null
  is_cut: number
  /** JSON: {code, message}. */
  error: string | null
  started_at: string
  finished_at: string | null
}
