/** What monitors ask: is the process up, is it ready, and the figures for Prometheus. */
import { Elysia, t } from "elysia"
import { AppError } from "../../errors.ts"
import { metricsText } from "../../metrics.ts"
import { isLoopback } from "../client-address.ts"
import { contextOf } from "../context.ts"
import { operation } from "../operation.ts"
import { oneOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { requireSession } from "../session.ts"

const Health = t.Object(
  {
    status: oneOf(["ok", "ready", "degraded", "starting", "model_failed", "unwritable", "without_database", "cut_off"]),
    missing: t.Optional(
      t.Array(oneOf(["database", "blobs", "search"]), {
        description: "Engines of several machines that do not answer; absent on one machine",
        examples: [["search"]],
      }),
    ),
  },
  { title: "Health", description: "`ok` of the process; the others of its readiness" },
)

const getHealth = operation({
  id: "getHealth",
  audit: "nothing",
  open: true,
  summary: "Is the process up?",
  description: "Answers as soon as the process takes requests; says nothing of its stores.",
  tag: "Operation",
  answers: { 200: { description: "It is", schema: Health } },
})

const getReadiness = operation({
  id: "getReadiness",
  audit: "nothing",
  open: true,
  summary: "Is it ready for work?",
  description:
    "Stores are open, migrations done, the embedding model is loaded. `degraded`: the model server of the embedding model does not answer; search goes by words until it does. `model_failed`: the embedding model does not load. `unwritable`: the disk of the data directory is read-only or fails; reading and searching go on. On several machines, `missing` names engines that do not answer: without `blobs` or `search` a node is `degraded`, and what needs them is refused with `store_unavailable`; without the database it is `without_database`; `cut_off` is a node whose place others may have given up.",
  tag: "Operation",
  answers: {
    200: { description: "It is", schema: Health, example: { status: "ready" } },
    503: { description: "Not yet", schema: Health, example: { status: "starting" } },
  },
})

const getMetrics = operation({
  id: "getMetrics",
  audit: "nothing",
  open: true,
  summary: "Metrics for Prometheus",
  description: "On the loopback interface, or with an administrator's console session.",
  tag: "Operation",
  answers: { 200: { description: "Prometheus text", type: "text/plain", example: "process_open_fds 42\n" } },
  errors: ["unauthorized", "forbidden", "rate_limited"],
})

export const HEALTH_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"])

export const healthRoutes = (services: Services) =>
  new Elysia()
    .get("/healthz", () => ({ status: "ok" as const }), getHealth())
    .get(
      "/readyz",
      async ({ status }) => {
        const report = await services.readiness()
        return status(report.status === "ready" || report.status === "degraded" ? 200 : 503, report)
      },
      getReadiness(),
    )
    .get(
      "/metrics",
      async ({ request }) => {
        if (!isLocal(request)) await requireSession(request, services, "administrator").catch(hideMetrics)
        return new Response(await metricsText(), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        })
      },
      getMetrics(),
    )

/** Behind a proxy on the same machine every client comes from the loopback; a proxy says so with one of these. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-real-ip"]

function isLocal(request: Request): boolean {
  const { address } = contextOf(request)
  return isLoopback(address) && !PROXY_HEADERS.some(name => request.headers.has(name))
}

const hideMetrics = (error: unknown): never => {
  throw error instanceof AppError
    ? new AppError(error.code, { message: "metrics are for the loopback interface or an administrator" })
    : error
}
