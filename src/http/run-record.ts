/** The records of runs and steps, and the events of a run's stream. */
import { t } from "elysia"
import type { RunState } from "../agents/run-record.ts"
import { event, FAILURE } from "./events.ts"
import {
  AnswerWarning,
  integer,
  JsonObject,
  LINK,
  Link,
  nullable,
  OwnerSchema,
  oneOf,
  Position,
  StoredError,
  sharingFields,
  Time,
} from "./schemas.ts"

export const RUN_STATUSES = [
  "running",
  "waiting_for_approval",
  "completed",
  "failed",
  "timed_out",
  "cancelled",
] as const satisfies RunState[]

const APPROVAL = {
  id: "appr_01m7y48vkz3s85f1acdta2",
  step: 2,
  tool: "tickets.close",
  arguments: { ticket: 7 },
  status: "approved",
  reason: "The customer has written that it is solved.",
  decided_by: { type: "user", id: "user_01m7y48vkz3s85f1acdta2", name: "Ada", end_user: null },
  created_at: "2026-11-21T10:00:01.000Z",
  expires_at: "2026-11-21T11:00:01.000Z",
  decided_at: "2026-11-21T10:04:10.000Z",
}

export const Approval = t.Object(
  {
    id: t.String(),
    step: integer({ description: "`index` of the step that waits for it" }),
    tool: t.String(),
    arguments: JsonObject,
    status: oneOf(["pending", "approved", "denied", "expired", "cancelled"]),
    reason: nullable(t.String()),
    decided_by: nullable(
      t.Object({ type: oneOf(["key", "user"]), id: t.String(), name: t.String(), end_user: nullable(t.String()) }),
    ),
    created_at: Time,
    expires_at: Time,
    decided_at: nullable(Time),
  },
  { title: "Approval", examples: [APPROVAL] },
)

const STEP = {
  index: 1,
  type: "tool_call",
  name: "search_library",
  arguments: { query: "notice period" },
  result: "[1] contract.pdf, page 4: Either party may end this agreement with 90 days' notice.",
  is_error: false,
  started_at: "2026-11-21T10:00:00.000Z",
  duration_ms: 12,
}

export const Step = t.Object(
  {
    index: integer(),
    type: t.Literal("tool_call"),
    name: t.String(),
    arguments: JsonObject,
    result: nullable(t.String({ description: "Null while the tool runs; at most 20 000 characters" })),
    is_error: t.Boolean(),
    started_at: Time,
    duration_ms: nullable(t.Number()),
  },
  { title: "Step", examples: [STEP] },
)

const SUMMARY = {
  run_id: "run_01m7y48vkz3s85f1acdta2",
  status: "completed",
  output: "90 days [1].",
  structured_output: { days: 90 },
  model: "ollama/llama3.2:3b",
  citations: [
    {
      index: 1,
      file_id: "file_01m7y48vkz3s85f1acdta2",
      chunk_id: "chunk_00000000a7",
      name: "contract.pdf",
      position: { page: 4, sheet: null, slide: null, member: null, section: "3.2 Term", start: 1234, end: 1291 },
      url: LINK,
    },
  ],
  finish_reason: "final_answer",
  error: null,
  warnings: [],
  usage: { prompt_tokens: 812, completion_tokens: 31 },
  ner_count: 0,
  started_at: "2026-11-21T10:00:00.000Z",
  finished_at: "2026-11-21T10:00:04.118Z",
  task: "What notice period do our supplier contracts have? Give days.",
  additional_metadata: {},
  owner: { type: "key", id: "key_01m7y48vkz3s85f1acdta2", name: "intranet search" },
  end_user: null,
  shared: false,
  shared_with: null,
}

const RUN = {
  run_id: t.String(),
  status: oneOf(RUN_STATUSES),
  output: t.String(),
  structured_output: t.Any({ description: "The answer as JSON that meets output_schema; null without one" }),
  model: t.String(),
  citations: t.Array(
    t.Object(
      {
        index: integer(),
        file_id: t.String(),
        chunk_id: nullable(t.String({ description: "Null for a stretch that was read" })),
        name: t.String(),
        position: Position,
        url: Link,
      },
      { title: "RunCitation" },
    ),
    { description: "What the markers [1], [2] … in the output stand for" },
  ),
  finish_reason: nullable(
    oneOf(["final_answer", "max_steps", "cancelled", "timeout", "error"], { description: "Null while running" }),
  ),
  error: nullable(StoredError),
  warnings: t.Array(AnswerWarning, {
    description:
      "`redaction_partial`: writing whose names are not known; `foreign_link`: the output leads to addresses that stand in nothing the model was given",
  }),
  usage: t.Object({ prompt_tokens: integer(), completion_tokens: integer() }, { title: "Usage" }),
  ner_count: integer({ description: "Values that were redacted" }),
  started_at: Time,
  finished_at: nullable(Time),
  task: t.String({ description: "As the model saw it" }),
  additional_metadata: JsonObject,
  owner: OwnerSchema,
  end_user: nullable(t.String()),
  ...sharingFields,
}
export const Run = t.Object(
  {
    ...RUN,
    steps: t.Array(Step),
    approvals: t.Array(Approval, { description: "Calls that a person must allow, or had to" }),
  },
  { title: "Run", examples: [{ ...SUMMARY, steps: [STEP], approvals: [] }] },
)
export const RunSummary = t.Object(
  { ...RUN, step_count: integer() },
  { title: "RunSummary", examples: [{ ...SUMMARY, step_count: 1 }] },
)

/** One event of a run's stream. */
export const RunEvent = t.Union(
  [
    event(
      "run_started",
      t.Object({
        run_id: t.String({ examples: [SUMMARY.run_id] }),
        model: t.String({ examples: [SUMMARY.model] }),
        started_at: Time,
      }),
    ),
    event("step_started", Step),
    event("step_completed", Step),
    event("approval_requested", Approval),
    event("approval_decided", Approval),
    event("run_finished", Run),
    ...FAILURE,
  ],
  { title: "RunEvent" },
)
