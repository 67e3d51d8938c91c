/** Agent runs: start and wait, or start and leave; read, list, watch, cancel, delete. */
import { Elysia, t } from "elysia"
import { DEFAULT_MAX_STEPS, DEFAULT_TIMEOUT_SECONDS, MAX_STEPS, MAX_TIMEOUT_SECONDS } from "../../agents/request.ts"
import type { AgentRuns } from "../../agents/runs.ts"
import { invalid } from "../../errors.ts"
import type { RunStatus } from "../../storage/runs.ts"
import { StoredError, WarningSchema } from "../chat-schemas.ts"
import { caller } from "../context.ts"
import { idempotencyKeyOf } from "../idempotency-key.ts"
import { lastEventIdOf } from "../last-event-id.ts"
import {
  eachOf,
  IDEMPOTENCY_KEY,
  integer,
  JsonObject,
  LAST_EVENT_ID,
  listItems,
  listOf,
  nullable,
  operation,
  pageOf,
  pageQuery,
  paginated,
  Time,
} from "../schemas.ts"
import { eventStream } from "../sse.ts"

/** Longest task in characters; a JSON body has at most 1 MB in any case. */
const MAX_TASK_CHARACTERS = 200_000
const STATUSES: readonly RunStatus[] = ["running", "completed", "failed", "timed_out", "cancelled"]

const RunRequestBody = t.Object({
  task: t.String({ minLength: 1, maxLength: MAX_TASK_CHARACTERS }),
  model: t.Optional(nullable(t.String({ description: "`value` of a model; the default one unless told" }))),
  tools: t.Optional(
    nullable(
      t.Array(t.String(), {
        maxItems: 200,
        description:
          "Names of the tools that may be used; all built-in ones by default. Tools of external servers, `server.tool` or `server.*`, only join when named",
      }),
    ),
  ),
  file_ids: t.Optional(
    nullable(t.Array(t.String(), { maxItems: 1_000, description: "Only these files; an empty list does not narrow" })),
  ),
  context_id: t.Optional(
    nullable(
      t.String({
        pattern: "^[A-Za-z0-9_.:-]{1,128}$",
        description: "Only the files of this scope, or of the conversation `conv_…`",
      }),
    ),
  ),
  timeout_seconds: t.Optional(
    nullable(
      integer({
        minimum: 1,
        maximum: MAX_TIMEOUT_SECONDS,
        default: DEFAULT_TIMEOUT_SECONDS,
        description: "Counts from acceptance",
      }),
    ),
  ),
  max_steps: t.Optional(
    nullable(
      integer({
        minimum: 1,
        maximum: MAX_STEPS,
        default: DEFAULT_MAX_STEPS,
        description: "Model turns; the last one is asked for an answer",
      }),
    ),
  ),
  output_schema: t.Optional(
    nullable(
      t.Record(t.String(), t.Any(), {
        description:
          "JSON Schema that the answer must meet. Under redaction its texts are redacted, and the answer is held to it as the model saw it; names of properties that are private are 400",
      }),
    ),
  ),
  redaction: t.Optional(nullable(t.Union([t.Boolean(), JsonObject]))),
  additional_metadata: t.Optional(nullable(JsonObject)),
})

const Step = t.Object(
  {
    index: integer(),
    type: t.Literal("tool_call"),
    name: t.String({ examples: ["search_library"] }),
    arguments: JsonObject,
    result: nullable(t.String({ description: "Null while the tool runs; at most 20 000 characters" })),
    is_error: t.Boolean(),
    started_at: Time,
    duration_ms: nullable(t.Number()),
  },
  { title: "Step" },
)

const RUN = {
  run_id: t.String({ examples: ["run_01m7y48vkz3s85f1acdta2"] }),
  status: t.Union(STATUSES.map(status => t.Literal(status))),
  output: t.String(),
  structured_output: t.Any({ description: "The answer as JSON that meets output_schema; null without one" }),
  model: t.String(),
  citations: t.Array(
    t.Object({
      index: integer(),
      file_id: t.String(),
      chunk_id: nullable(t.String({ description: "Null for a stretch that was read" })),
      name: t.String(),
      position: JsonObject,
    }),
    { description: "What the markers [1], [2] … in the output stand for" },
  ),
  finish_reason: nullable(
    t.String({ description: "final_answer, max_steps, cancelled, timeout or error; null while running" }),
  ),
  error: nullable(StoredError),
  warnings: t.Array(WarningSchema, { description: "`redaction_partial`: writing whose names are not known" }),
  usage: t.Object({ prompt_tokens: integer(), completion_tokens: integer() }),
  ner_count: integer({ description: "Values that were redacted" }),
  started_at: Time,
  finished_at: nullable(Time),
  task: t.String({ description: "As the model saw it" }),
  additional_metadata: JsonObject,
}
const Run = t.Object({ ...RUN, steps: t.Array(Step) }, { title: "Run" })
const RunSummary = t.Object({ ...RUN, step_count: integer() }, { title: "RunSummary" })

const EXAMPLE = {
  task: "What notice period do our supplier contracts have? Give days.",
  tools: ["search_library", "read_file"],
  output_schema: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] },
}
const byId = t.Object({ run_id: t.String() })

export const agentRoutes = ({ agents }: { agents: AgentRuns }) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/agents/run",
      async ({ body, principal, context, request, set }) => {
        const acceptedAt = new Date()
        const { signal } = context.keepOpen() // a run may last 30 minutes without a byte on the wire
        const { keyId, workspaceId, scopes } = principal
        const asker = { keyId, workspaceId, readsFiles: scopes.includes("files:read") }
        const options = { acceptedAt, idempotencyKey: idempotencyKeyOf(request) }
        if (!prefersAsync(request)) return agents.runToEnd(asker, runRequestOf(body), signal, options)
        const run = await agents.startDetached(asker, runRequestOf(body), options)
        set.status = 202
        set.headers.location = `/external-docs/external/agents/runs/${run.run_id}`
        set.headers["preference-applied"] = "respond-async"
        return run
      },
      {
        scope: "agents",
        body: RunRequestBody,
        detail: operation({
          summary: "Run an agent",
          description:
            "Blocks until the task ends; nothing on the way cuts a silent connection. A client that disconnects cancels its run. With `Prefer: respond-async` it answers 202 at once and the run goes on by itself. Tools that read the library (`search_library`, `read_file`, `list_files`, `query_table`) need a key with the scope `files:read`: named without it they are 403 `forbidden`, and by default they are left out. An `Idempotency-Key` that was used in the last 24 h gives the run that it started.",
          tag: "Agents",
          success: { description: "The completed or cancelled run", schema: Run },
          alternatives: { 202: { description: "Accepted, with `Prefer: respond-async`", schema: Run } },
          errors: [
            "invalid_json",
            "invalid_request",
            "forbidden",
            "not_found",
            "model_not_found",
            "agent_timeout",
            "conflict",
            "request_too_large",
            "unsupported_media_type",
            "output_schema_violation",
            "invalid_pattern",
            "model_error",
            "model_unavailable",
            "overloaded",
            "insufficient_storage",
          ],
          example: EXAMPLE,
          headers: [IDEMPOTENCY_KEY, { name: "Prefer", schema: { type: "string", enum: ["respond-async"] } }],
        }),
      },
    )
    .get(
      "/external/agents/runs",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const statuses = eachOf("status", listItems(query.status), STATUSES)
        const { data, total } = await agents.list(principal.workspaceId, { ...page, ...(statuses ? { statuses } : {}) })
        return paginated(data, total, page)
      },
      {
        scope: "agents",
        query: t.Object({
          ...pageQuery,
          status: t.Optional(
            t.String({ description: "Comma-separated: running, completed, failed, timed_out, cancelled" }),
          ),
        }),
        detail: operation({
          summary: "List runs",
          description: "Newest first, without their steps.",
          tag: "Agents",
          success: { description: "One page", schema: listOf(RunSummary) },
          errors: ["invalid_request"],
        }),
      },
    )
    .get("/external/agents/runs/:run_id", ({ params, principal }) => agents.get(principal.workspaceId, params.run_id), {
      scope: "agents",
      params: byId,
      detail: operation({
        summary: "Get a run",
        description: "Also while it runs: steps are stored as they happen.",
        tag: "Agents",
        success: { description: "The run", schema: Run },
        errors: ["not_found"],
      }),
    })
    .delete(
      "/external/agents/runs/:run_id",
      async ({ params, principal }) => {
        await agents.delete(principal.workspaceId, params.run_id)
        return new Response(null, { status: 204 })
      },
      {
        scope: "agents",
        params: byId,
        detail: operation({
          summary: "Delete a run",
          description: "With its steps. A run that is `running` is 409 `conflict`: cancel it first.",
          tag: "Agents",
          success: { status: 204, description: "Deleted" },
          errors: ["not_found", "conflict"],
        }),
      },
    )
    .post(
      "/external/agents/runs/:run_id/cancel",
      async ({ params, principal, set }) => {
        set.status = 202
        return agents.cancel(principal.workspaceId, params.run_id)
      },
      {
        scope: "agents",
        params: byId,
        detail: operation({
          summary: "Cancel a run",
          description: "A run that has ended stays as it is.",
          tag: "Agents",
          success: { status: 202, description: "The run", schema: Run },
          errors: ["not_found"],
        }),
      },
    )
    .get(
      "/external/agents/runs/:run_id/events",
      async ({ params, principal, context, request }) => {
        await agents.get(principal.workspaceId, params.run_id) // a 404 before the stream begins
        const after = lastEventIdOf(request)
        return eventStream(signal => agents.follow(principal.workspaceId, params.run_id, after, signal), context)
      },
      {
        scope: "agents",
        params: byId,
        detail: operation({
          summary: "Watch a run",
          headers: [LAST_EVENT_ID],
          description:
            "Server-sent events: `run_started`, `step_started` and `step_completed` (a step), `run_finished` (the run), `done`. All from the beginning, or those after `Last-Event-ID`.",
          tag: "Agents",
          success: { description: "The stream", schema: t.String(), type: "text/event-stream" },
          errors: ["invalid_request", "not_found"],
        }),
      },
    )

/** Null means "not given" everywhere. */
function runRequestOf(body: typeof RunRequestBody.static) {
  if (body.task.trim() === "") throw invalid("task", "must not be blank")
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as {
    [Name in keyof typeof body]: NonNullable<(typeof body)[Name]>
  }
  return { ...given, additional_metadata: body.additional_metadata ?? {} }
}

const prefersAsync = (request: Request): boolean =>
  (request.headers.get("prefer") ?? "").split(/[,;]/).some(part => part.trim().toLowerCase() === "respond-async")
