/** Agent runs and their steps; `agents/run-store.ts` reads and writes them. */
import type { Generated } from "kysely"
import type { OwnedColumns, OwnerType } from "./owned.ts"

export interface RunsTables {
  agent_runs: AgentRunsTable
  agent_steps: AgentStepsTable
  step_files: StepFilesTable
  agent_approvals: AgentApprovalsTable
}

export type ApprovalStatus = "pending" | "approved" | "denied" | "expired" | "cancelled"

/** How a run stands: entered as `running` when accepted (also while it waits for its turn), left exactly once. */
export type RunStatus = "running" | "completed" | "failed" | "timed_out" | "cancelled"

export interface AgentRunsTable extends OwnedColumns {
  id: string
  workspace_id: string
  /** The API key that started it; waiting runs are served fairly between keys. */
  key_id: string
  status: RunStatus
  /** Redacted where the run asked for it, as are output, arguments and results. */
  task: string
  /** `<provider>/<name>` */
  model: string
  /** JSON: tools, scope, limits as they were asked for. */
  request: string
  /** JSON object of the caller. */
  additional_metadata: string
  output: string
  /** JSON, null without a valid structured answer. */
  structured_output: string | null
  /** JSON array. */
  citations: string
  finish_reason: string | null
  /** JSON `{code, message, details?, hint?}` of a failed or timed-out run. */
  error: string | null
  /** JSON array of `{code, message}`. */
  warnings: string
  prompt_tokens: number
  completion_tokens: number
  ner_count: number
  /** Acceptance: the deadline counts from here. */
  started_at: string
  deadline_at: string
  finished_at: string | null
  /** Number of the last event; every event of a run is a function of its rows. */
  event_count: number
  /** Node that carries it out, or did. */
  owner: string | null
  /** 0 or 1: every console user of the workspace reads it. */
  shared_with_all: Generated<number>
  /** JSON: what a run that waits for a person goes on from (`agents/checkpoint.ts`); null before it first waited, and at its end. */
  checkpoint: string | null
}

/** Files whose text the result of a step holds: it goes with them. */
interface StepFilesTable {
  run_id: string
  step: number
  file_id: string
}

export interface AgentStepsTable {
  run_id: string
  /** 1, 2, 3 … within the run. */
  step: number
  type: "tool_call"
  tool_call_id: string
  name: string
  /** JSON. */
  arguments: string
  /** Null while the tool runs. */
  result: string | null
  /** 0 or 1 */
  is_error: number
  started_at: string
  duration_ms: number | null
  started_event: number
  finished_event: number | null
}

/** A call that a person must allow before it is carried out; left `pending` once, whoever comes first. */
export interface AgentApprovalsTable {
  id: string
  run_id: string
  workspace_id: string
  /** The step that waits for it. */
  step: number
  tool: string
  /** JSON, as the tool gets it; redacted where the run asked for it. */
  arguments: string
  status: ApprovalStatus
  /** What who decided said of it; redacted where the run is. */
  reason: string | null
  /** 1 once the approved call was begun. */
  taken: number
  decided_by_type: OwnerType | null
  decided_by: string | null
  /** Whom a scoped token was for that decided. */
  end_user: string | null
  created_at: string
  expires_at: string
  decided_at: string | null
  /** Numbers of the run's events that tell of it. */
  requested_event: number
  decided_event: number | null
}
