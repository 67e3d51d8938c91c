/** What the routes of agent runs take and answer. */
import { t } from "elysia"
import { DECISIONS } from "../../agents/approval-record.ts"
import {
  DEFAULT_APPROVAL_SECONDS,
  DEFAULT_MAX_STEPS,
  DEFAULT_TIMEOUT_SECONDS,
  MAX_APPROVAL_SECONDS,
  MAX_STEPS,
  MAX_TIMEOUT_SECONDS,
} from "../../agents/request.ts"
import { FilterSchema } from "../filter-request.ts"
import { operation } from "../operation.ts"
import { DELETED } from "../receipt-id.ts"
import { Approval, RUN_STATUSES, Run, RunEvent, RunSummary } from "../run-record.ts"
import {
  closed,
  EndUser,
  IDEMPOTENCY_KEY,
  integer,
  JsonObject,
  LAST_EVENT_ID,
  listOf,
  oneOf,
  optional,
  pageQuery,
  StreamQuery,
  sharingQuery,
} from "../schemas.ts"

/** Longest task in characters; a JSON body has at most 1 MB in any case. */
const MAX_TASK_CHARACTERS = 200_000

export const RunRequestBody = t.Object({
  task: t.String({ minLength: 1, maxLength: MAX_TASK_CHARACTERS }),
  model: optional(t.String({ description: "`value` of a model; the default one unless told" })),
  tools: optional(
    t.Array(t.String(), {
      maxItems: 200,
      description:
        "Names of the tools that may be used; all built-in ones by default. Tools of external servers, `server.tool` or `server.*`, only join when named",
    }),
  ),
  file_ids: optional(
    t.Array(t.String(), { maxItems: 1_000, description: "Only these files; an empty list does not narrow" }),
  ),
  context_id: optional(
    t.String({
      pattern: "^[A-Za-z0-9_.:-]{1,128}$",
      description: "Only the files of this scope, or of the conversation `conv_…`",
    }),
  ),
  filter: optional(FilterSchema),
  timeout_seconds: optional(
    integer({
      minimum: 1,
      maximum: MAX_TIMEOUT_SECONDS,
      default: DEFAULT_TIMEOUT_SECONDS,
      description: "Counts from acceptance",
    }),
  ),
  approval_timeout_seconds: optional(
    integer({
      minimum: 1,
      maximum: MAX_APPROVAL_SECONDS,
      default: DEFAULT_APPROVAL_SECONDS,
      description: "How long a call waits for its approval; it is not counted in timeout_seconds",
    }),
  ),
  max_steps: optional(
    integer({
      minimum: 1,
      maximum: MAX_STEPS,
      default: DEFAULT_MAX_STEPS,
      description: "Model turns; the last one is asked for an answer",
    }),
  ),
  output_schema: optional(
    t.Record(t.String(), t.Any(), {
      description:
        "JSON Schema that the answer must meet. Under redaction its texts are redacted, and the answer is held to it as the model saw it; names of properties that are private are 400",
    }),
  ),
  redaction: optional(t.Union([t.Boolean(), JsonObject])),
  end_user: optional(EndUser),
  additional_metadata: optional(JsonObject),
})

const byId = t.Object({ run_id: t.String() })

export const runAgent = operation({
  id: "runAgent",
  audit: { action: "run.create", id: "answer.run_id" },
  scope: "agents",
  summary: "Run an agent",
  description:
    "Blocks until the task ends; nothing on the way cuts a silent connection. A client that disconnects cancels its run. Where a call of an external tool needs an approval, it answers 202 with the run as it waits (`waiting_for_approval`), which then goes on by itself, also where the daemon is restarted meanwhile. With `Prefer: respond-async` it answers 202 at once and the run goes on by itself. Tools that read the library (`search_library`, `read_file`, `list_files`, `query_table`) need a key with the scope `files:read`: named without it they are 403 `forbidden`, and by default they are left out. An `Idempotency-Key` that was used in the last 24 h gives the run that it started.",
  tag: "Agents",
  headers: [
    IDEMPOTENCY_KEY,
    {
      name: "Prefer",
      description: "`respond-async`: answer at once and let the run go on",
      schema: { type: "string", enum: ["respond-async"] },
    },
  ],
  body: RunRequestBody,
  example: {
    task: "What notice period do our supplier contracts have? Give days.",
    tools: ["search_library", "read_file"],
    output_schema: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] },
  },
  answers: {
    200: { description: "The completed or cancelled run", schema: Run },
    202: {
      description: "Accepted, with `Prefer: respond-async`; or a run that waits for an approval, and goes on by itself",
      schema: Run,
    },
  },
  errors: [
    "not_found",
    "model_not_found",
    "agent_timeout",
    "conflict",
    "output_schema_violation",
    "invalid_pattern",
    "invalid_filter",
    "model_error",
    "model_unavailable",
  ],
})

export const listRuns = operation({
  id: "listRuns",
  audit: "nothing",
  scope: "agents",
  summary: "List runs",
  description: "Newest first, without their steps.",
  tag: "Agents",
  query: t.Object({
    ...pageQuery,
    status: t.Optional(t.String({ description: `Comma-separated: ${RUN_STATUSES.join(", ")}` })),
    end_user: t.Optional(EndUser),
    ...sharingQuery,
  }),
  answers: { 200: { description: "One page", schema: listOf(RunSummary, "RunList") } },
})

export const getRun = operation({
  id: "getRun",
  audit: "nothing",
  scope: "agents",
  summary: "Get a run",
  description: "Also while it runs: steps are stored as they happen.",
  tag: "Agents",
  params: byId,
  answers: { 200: { description: "The run", schema: Run } },
  errors: ["not_found"],
})

export const deleteRun = operation({
  id: "deleteRun",
  audit: { action: "run.delete", id: "params.run_id" },
  held: "refused",
  scope: "agents",
  summary: "Delete a run",
  description: "With its steps. A run that is `running` is 409 `conflict`: cancel it first.",
  tag: "Agents",
  params: byId,
  answers: { 204: DELETED },
  errors: ["not_found", "conflict"],
})

export const cancelRun = operation({
  id: "cancelRun",
  audit: { action: "run.cancel", id: "params.run_id" },
  scope: "agents",
  summary: "Cancel a run",
  description: "A run that has ended stays as it is.",
  tag: "Agents",
  params: byId,
  answers: { 202: { description: "The run", schema: Run } },
  errors: ["not_found"],
})

export const decideApproval = operation({
  id: "decideApproval",
  audit: { action: "run.approve", id: "params.run_id" },
  scope: "agents",
  summary: "Approve or deny a call",
  description:
    "Lets a call that waits be carried out, or not: then the model is told so, with your reason, and the run goes on. The same decision again is answered alike; another one, or one that comes when the approval has expired or the run has ended, is 409 `conflict`.",
  tag: "Agents",
  params: t.Object({ run_id: t.String(), approval_id: t.String() }),
  body: closed({
    decision: oneOf(DECISIONS),
    reason: optional(
      t.String({ maxLength: 2_000, description: "Kept with the approval; the model is told why it is denied" }),
    ),
  }),
  example: { decision: "approve" },
  answers: { 200: { description: "The approval", schema: Approval } },
  errors: ["not_found", "conflict"],
})

export const watchRun = operation({
  id: "watchRun",
  audit: "nothing",
  scope: "agents",
  summary: "Watch a run",
  description:
    "Server-sent events: `run_started`, `step_started` and `step_completed` (a step), `approval_requested` and `approval_decided` (an approval), `run_finished` (the run), `done`. All from the beginning, or those after `Last-Event-ID`.",
  tag: "Agents",
  params: byId,
  query: StreamQuery,
  headers: [LAST_EVENT_ID],
  answers: { 200: { description: "The stream", events: RunEvent } },
  errors: ["not_found"],
})
