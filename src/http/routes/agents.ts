/** Agent runs: start and wait, or start and leave; read, list, watch, cancel, delete. */
import { Elysia } from "elysia"
import type { RunEvent as RecordedEvent } from "../../agents/run-record.ts"
import { notBlank } from "../../errors.ts"
import { caller } from "../context.ts"
import type { Sent } from "../events.ts"
import { idempotencyKeyOf } from "../idempotency-key.ts"
import { lastEventIdOf } from "../last-event-id.ts"
import { Linked } from "../linked.ts"
import { RECEIPT_ID } from "../receipt-id.ts"
import { RUN_STATUSES, type RunEvent } from "../run-record.ts"
import { eachOf, listItems, pageOf, paginated, sharingAsked, withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import { eventStream } from "../sse.ts"
import * as docs from "./agents.docs.ts"

export const agentRoutes = ({ agents, links }: Pick<Services, "agents" | "links">) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/agents/run",
      async ({ body, principal, context, request, set, status }) => {
        const acceptedAt = new Date()
        const { signal } = context.keepOpen() // a run may last 30 minutes without a byte on the wire
        const { keyId, view, scopes } = principal
        const asker = { keyId, view, readsFiles: scopes.includes("files:read") }
        const options = { acceptedAt, idempotencyKey: idempotencyKeyOf(request) }
        const { cited } = new Linked(links, principal)
        const isAsync = prefersAsync(request)
        const run = isAsync
          ? await agents.startDetached(asker, runRequestOf(body), options)
          : await agents.runToEnd(asker, runRequestOf(body), signal, options)
        if (!isAsync && run.finished_at !== null) return cited(run)
        set.headers.location = `/external-docs/external/agents/runs/${run.run_id}`
        if (isAsync) set.headers["preference-applied"] = "respond-async"
        return status(202, cited(run))
      },
      docs.runAgent(),
    )
    .get(
      "/external/agents/runs",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const statuses = eachOf("status", listItems(query.status), RUN_STATUSES)
        const { data, total } = await agents.list(principal.view, {
          ...page,
          ...(statuses ? { states: statuses } : {}),
          ...(query.end_user === undefined ? {} : { endUser: query.end_user }),
          ...sharingAsked(query),
        })
        return paginated(data.map(new Linked(links, principal).cited), total, page)
      },
      docs.listRuns(),
    )
    .get(
      "/external/agents/runs/:run_id",
      async ({ params, principal }) =>
        new Linked(links, principal).cited(await agents.get(principal.view, params.run_id)),
      docs.getRun(),
    )
    .delete(
      "/external/agents/runs/:run_id",
      async ({ params, principal, set }) => {
        set.headers[RECEIPT_ID] = await agents.delete(principal.view, params.run_id)
        set.status = 204
      },
      docs.deleteRun(),
    )
    .post(
      "/external/agents/runs/:run_id/cancel",
      async ({ params, principal, status }) =>
        status(202, new Linked(links, principal).cited(await agents.cancel(principal.view, params.run_id))),
      docs.cancelRun(),
    )
    .post(
      "/external/agents/runs/:run_id/approvals/:approval_id",
      ({ params, body: { decision, reason }, principal }) =>
        agents.decide(principal.view, params.run_id, params.approval_id, { decision, ...(reason ? { reason } : {}) }),
      docs.decideApproval(),
    )
    .get(
      "/external/agents/runs/:run_id/events",
      async ({ params, query, principal, context, request }) => {
        await agents.get(principal.view, params.run_id) // a 404 before the stream begins
        const after = lastEventIdOf(request, query.after)
        return eventStream<Sent<typeof RunEvent>, RecordedEvent>(
          signal => agents.follow(principal.view, params.run_id, after, signal),
          context,
          new Linked(links, principal).runEvent,
        )
      },
      docs.watchRun(),
    )

function runRequestOf(body: typeof docs.RunRequestBody.static) {
  notBlank("task", body.task)
  return { additional_metadata: {}, ...withoutNulls(body) }
}

const prefersAsync = (request: Request): boolean =>
  (request.headers.get("prefer") ?? "").split(/[,;]/).some(part => part.trim().toLowerCase() === "respond-async")
