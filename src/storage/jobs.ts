/** The durable queue's rows; `jobs/queue.ts` explains the states. */
export interface JobsTables {
  jobs: JobsTable
  /** Kept by a trigger: whoever has the lowest turn in a lane was served longest ago. */
  job_turns: { task: string; lane: Lane; workspace_id: string; turn: number }
}

/** `quick`: small and bounded, done many at a time. `ordinary`: all others, one at a time. Neither waits for the other. */
export type Lane = "quick" | "ordinary"

export interface JobsTable {
  id: string
  /** Code that runs it, such as `index_file`. */
  task: string
  /** What it is about, such as a file id: one live job per task and subject. */
  subject: string
  /** Whose turn it takes. */
  workspace_id: string
  lane: Lane
  /** JSON. */
  payload: string
  attempts: number
  max_attempts: number
  /** Attempts that ended with the daemon's death; they are not among `attempts`. */
  interruptions: number
  /** Not leased before this time. */
  run_at: string
  /** Owner of the present lease; null while queued. */
  lease_token: string | null
  lease_until: string | null
  /** Node that has the present lease, or had the last one. */
  owner: string | null
  last_error: string | null
  created_at: string
}
