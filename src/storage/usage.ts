/** What was used, by whom; `governance/usage/` writes and reads it. Empty texts stand for nobody and for nothing. */

export interface UsageTables {
  usage_hours: UsageHoursTable
  usage_entries: UsageEntriesTable
  usage_journals: UsageJournalsTable
  usage_days: UsageDaysTable
}

/** What is counted. All are added up; `bytes_stored` is how many more are held, or, below zero, how many fewer. */
export const MEASURES = [
  "requests",
  "prompt_tokens",
  "completion_tokens",
  "embedded_tokens",
  "pages",
  "ocr_pages",
  "bytes_in",
  "bytes_stored",
  "searches",
] as const
export type Measure = (typeof MEASURES)[number]

/** What of a row says when, and whose use it was. */
export const DIMENSIONS = [
  "workspace_id",
  "hour",
  "key_id",
  "user_id",
  "maker",
  "end_user",
  "model",
  "context_id",
] as const
type Dimension = (typeof DIMENSIONS)[number]

/** One row for each hour and whose use it was. `hour` is `2026-03-01T17`, in UTC. */
export type UsageHoursTable = Record<Dimension, string> & Record<Measure, number>

/** The same, as it comes: each is written in the transaction of what it counts, so none waits for another. */
export interface UsageEntriesTable extends UsageHoursTable {
  id: string
}

/** A file of a node's data directory in which it notes what no transaction belongs to. */
export interface UsageJournalsTable {
  id: string
  /** Bytes of it that are counted in `usage_hours`. */
  counted_bytes: number
}

/** Requests of a day that nodes count together, of keys with a quota of them; PostgreSQL alone. */
export interface UsageDaysTable {
  key_id: string
  /** `2026-03-01`, in UTC. */
  day: string
  requests: number
}

/** Columns of a file: whose use its bytes are. Null for nobody, and for files of former versions. */
export interface PayerColumns {
  payer_key: string | null
  payer_user: string | null
  payer_maker: string | null
  payer_end_user: string | null
}
