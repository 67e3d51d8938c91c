/** What is written to the rows of runs and steps, each with how it passes the guard. */
import type { Filter } from "../access/filter/filter.ts"
import { ownerColumns } from "../access/owner.ts"
import type { View } from "../access/view.ts"
import type { ErrorBody } from "../errors.ts"
import { ERROR, WARNING } from "../grounding/fields.ts"
import { CITATION, type Citation } from "../grounding/passages.ts"
import type { Fields, Guarded } from "../guarded.ts"
import type { Warning } from "../storage/document.ts"
import type { RunStatus } from "../storage/runs.ts"
import type { StepCall, StepOutcome } from "../tools/calls.ts"
import type { FinishReason, RunRow, StepRow } from "./run-record.ts"

/** What a new run is about. */
export interface RunDescription {
  task: string
  model: string
  /** What was asked for, as far as it is not a column of its own. */
  request: {
    tools: string[]
    file_ids: string[]
    context_id: string | null
    filter: Filter | null
    max_steps: number
    output_schema: Record<string, unknown> | null
    redaction: boolean
  }
  additionalMetadata: Record<string, unknown>
  nerCount: number
}

export interface NewRun {
  view: View
  keyId: string
  endUser: string | null
  described: Guarded<RunDescription>
  startedAt: Date
  deadlineAt: Date
}

/** Tools and files exist, and the scope was looked at when it came. */
export const RUN_DESCRIPTION: Fields<RunDescription> = {
  task: "text",
  model: "own",
  request: {
    tools: "own",
    file_ids: "own",
    context_id: "own",
    filter: "own",
    max_steps: "own",
    output_schema: "json",
    redaction: "own",
  },
  additionalMetadata: "json",
  nerCount: "own",
}

export interface RunOutcome {
  status: Exclude<RunStatus, "running">
  output: string
  structuredOutput: unknown
  citations: Citation[]
  finishReason: FinishReason
  error: ErrorBody | null
  warnings: Warning[]
  usage: { prompt_tokens: number; completion_tokens: number }
  nerCount: number
}

export const RUN_OUTCOME: Fields<RunOutcome> = {
  status: "own",
  output: "text",
  structuredOutput: "json",
  citations: CITATION,
  finishReason: "own",
  error: ERROR,
  warnings: WARNING,
  usage: "own",
  nerCount: "own",
}

export interface BegunStep {
  call: Guarded<StepCall>
  startedAt: string
}

/** A run as it is when it has been accepted. */
export const newRun = (id: string, { view, keyId, endUser, described, startedAt, deadlineAt }: NewRun): RunRow => ({
  id,
  workspace_id: view.workspaceId,
  ...ownerColumns(view, endUser),
  key_id: keyId,
  status: "running",
  task: described.task,
  model: described.model,
  request: JSON.stringify(described.request),
  additional_metadata: JSON.stringify(described.additionalMetadata),
  output: "",
  structured_output: null,
  citations: "[]",
  finish_reason: null,
  error: null,
  warnings: "[]",
  prompt_tokens: 0,
  completion_tokens: 0,
  ner_count: described.nerCount,
  started_at: startedAt.toISOString(),
  deadline_at: deadlineAt.toISOString(),
  finished_at: null,
  event_count: 1, // run_started
  owner: null,
  shared_with_all: 0,
  checkpoint: null,
})

/** The columns that the end of a run sets. */
export const endColumns = (outcome: Guarded<RunOutcome>) => ({
  status: outcome.status,
  output: outcome.output,
  structured_output: outcome.structuredOutput === undefined ? null : JSON.stringify(outcome.structuredOutput),
  citations: JSON.stringify(outcome.citations),
  finish_reason: outcome.finishReason,
  error: outcome.error && JSON.stringify(outcome.error),
  warnings: JSON.stringify(outcome.warnings),
  prompt_tokens: outcome.usage.prompt_tokens,
  completion_tokens: outcome.usage.completion_tokens,
  ner_count: outcome.nerCount,
  finished_at: new Date().toISOString(),
  checkpoint: null,
})

export const newStep = (runId: string, step: number, { call, startedAt }: BegunStep, event: number): StepRow => ({
  run_id: runId,
  step,
  type: "tool_call",
  tool_call_id: call.id,
  name: call.name,
  arguments: JSON.stringify(call.arguments),
  result: null,
  is_error: 0,
  started_at: startedAt,
  duration_ms: null,
  started_event: event,
  finished_event: null,
})

export const resultColumns = ({ result, isError, durationMs }: StepOutcome) => ({
  result,
  is_error: isError ? 1 : 0,
  duration_ms: Math.round(durationMs * 10) / 10,
})
