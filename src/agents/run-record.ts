/** The public records of a run and of its steps, spelled as on the wire (section 8 of the API), and their events. */
import type { Selectable } from "kysely"
import { type OwnerRecord, ownerOf } from "../access/owner.ts"
import { type SharedWith, type SharingColumns, sharingOf } from "../access/shares.ts"
import type { ErrorBody } from "../errors.ts"
import type { Citation } from "../grounding/passages.ts"
import type { Warning } from "../storage/document.ts"
import type { AgentRunsTable, AgentStepsTable, RunStatus } from "../storage/runs.ts"
import { type ApprovalRecord, type ApprovalRow, asRequested, toApprovalRecord } from "./approval-record.ts"

export interface StepRecord {
  index: number
  type: "tool_call"
  name: string
  arguments: Record<string, unknown>
  /** Null while the tool runs. */
  result: string | null
  is_error: boolean
  started_at: string
  duration_ms: number | null
}

export interface RunRecord {
  run_id: string
  status: RunState
  output: string
  structured_output: unknown
  model: string
  citations: Citation[]
  steps: StepRecord[]
  /** Calls that a person had, or has, to allow. */
  approvals: ApprovalRecord[]
  finish_reason: FinishReason | null
  error: ErrorBody | null
  /** What a caller should know of the answer. */
  warnings: Warning[]
  usage: { prompt_tokens: number; completion_tokens: number }
  ner_count: number
  started_at: string
  finished_at: string | null
  task: string
  additional_metadata: Record<string, unknown>
  /** Null for one of a version that did not know. */
  owner: OwnerRecord | null
  end_user: string | null
  /** It is somebody else's, and the caller reads it only. */
  shared: boolean
  /** Who reads it besides; null: nobody. */
  shared_with: SharedWith | null
}

/** As it is shown: a run that waits for a person is `running` for the daemon. */
export type RunState = RunStatus | "waiting_for_approval"

export type FinishReason = "final_answer" | "max_steps" | "cancelled" | "timeout" | "error"

/** A run in a list: without its steps, which may be large. */
export type RunSummary = Omit<RunRecord, "steps" | "approvals"> & { step_count: number }

export type RunRow = Selectable<AgentRunsTable>
/** With the name of its owner, and whom it is shared with. */
export type OwnedRunRow = RunRow & { owner_name: string | null } & SharingColumns
export type StepRow = Selectable<AgentStepsTable>

export function toStepRecord(row: StepRow): StepRecord {
  return {
    index: row.step,
    type: row.type,
    name: row.name,
    arguments: JSON.parse(row.arguments),
    result: row.result,
    is_error: row.is_error === 1,
    started_at: row.started_at,
    duration_ms: row.duration_ms,
  }
}

function common(row: OwnedRunRow, waits: boolean): Omit<RunRecord, "steps" | "approvals"> {
  return {
    run_id: row.id,
    status: waits && row.status === "running" ? "waiting_for_approval" : row.status,
    output: row.output,
    structured_output: row.structured_output === null ? null : JSON.parse(row.structured_output),
    model: row.model,
    citations: JSON.parse(row.citations),
    finish_reason: row.finish_reason as FinishReason | null,
    error: row.error === null ? null : JSON.parse(row.error),
    warnings: JSON.parse(row.warnings),
    usage: { prompt_tokens: row.prompt_tokens, completion_tokens: row.completion_tokens },
    ner_count: row.ner_count,
    started_at: row.started_at,
    finished_at: row.finished_at,
    task: row.task,
    additional_metadata: JSON.parse(row.additional_metadata),
    owner: ownerOf(row),
    end_user: row.end_user,
    ...sharingOf(row),
  }
}

/** A run as it is stored. */
export interface FoundRun {
  row: OwnedRunRow
  steps: StepRow[]
  approvals: ApprovalRow[]
}

const isPending = ({ status }: Pick<ApprovalRow, "status">): boolean => status === "pending"

export const toRunRecord = ({ row, steps, approvals }: FoundRun): RunRecord => ({
  ...common(row, approvals.some(isPending)),
  steps: steps.map(toStepRecord),
  approvals: approvals.map(toApprovalRecord),
})
export const toRunSummary = (row: OwnedRunRow, stepCount: number, waits: boolean): RunSummary => ({
  ...common(row, waits),
  step_count: stepCount,
})

/** One item of a run's event stream. `id` counts 1, 2, 3 … within the run. */
export type RunEvent =
  | { id: number; event: "run_started"; data: { run_id: string; model: string; started_at: string } }
  | { id: number; event: "step_started"; data: StepRecord }
  | { id: number; event: "step_completed"; data: StepRecord }
  | { id: number; event: "approval_requested"; data: ApprovalRecord }
  | { id: number; event: "approval_decided"; data: ApprovalRecord }
  | { id: number; event: "run_finished"; data: RunRecord }
  | { id: number; event: "done"; data: Record<string, never> }

/**
 * All events that the rows tell of, in order. They are a function of the rows alone, so that a stream can be taken up
 * anywhere, also after a restart.
 */
export function eventsOf(found: FoundRun): RunEvent[] {
  const { row, steps, approvals } = found
  const events: RunEvent[] = [
    { id: 1, event: "run_started", data: { run_id: row.id, model: row.model, started_at: row.started_at } },
  ]
  for (const step of steps) {
    const begun = { ...toStepRecord(step), result: null, is_error: false, duration_ms: null }
    events.push({ id: step.started_event, event: "step_started", data: begun })
    if (step.finished_event !== null)
      events.push({ id: step.finished_event, event: "step_completed", data: toStepRecord(step) })
  }
  for (const approval of approvals) {
    events.push({ id: approval.requested_event, event: "approval_requested", data: asRequested(approval) })
    if (approval.decided_event !== null)
      events.push({ id: approval.decided_event, event: "approval_decided", data: toApprovalRecord(approval) })
  }
  events.sort((left, right) => left.id - right.id)
  if (row.finished_at !== null) {
    events.push({ id: row.event_count - 1, event: "run_finished", data: toRunRecord(found) })
    events.push({ id: row.event_count, event: "done", data: {} })
  }
  return events
}
