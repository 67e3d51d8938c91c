import { Elysia, t } from "elysia"
import { AppError } from "../../errors.ts"
import { metricsText } from "../../metrics.ts"
import { isLoopback } from "../client-address.ts"
import { contextOf } from "../context.ts"
import { operation } from "../schemas.ts"
import type { Services } from "../services.ts"
import { requireSession } from "../session.ts"

const Health = t.Object({ status: t.String({ examples: ["ok"] }) })

/** Behind a proxy on the same machine every client comes from the loopback; a proxy says so with one of these. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-real-ip"]

function isLocal(request: Request): boolean {
  const { address } = contextOf(request)
  return isLoopback(address) && !PROXY_HEADERS.some(name => request.headers.has(name))
}

export const healthRoutes = (services: Services) =>
  new Elysia()
    .get("/healthz", () => ({ status: "ok" }), {
      detail: operation({
        summary: "Is the process up?",
        tag: "Operation",
        security: false,
        success: { description: "It is", schema: Health },
      }),
    })
    .get(
      "/readyz",
      async ({ set }) => {
        const status = await services.readiness()
        if (status !== "ready" && status !== "degraded") set.status = 503
        return { status }
      },
      {
        detail: operation({
          summary: "Is it ready for work?",
          description:
            "Stores are open, migrations done, the embedding model is loaded. `degraded`: the model server of the embedding model does not answer; search goes by words until it does. `model_failed`: the embedding model does not load. `unwritable`: the disk of the data directory is read-only or fails; reading and searching go on.",
          tag: "Operation",
          security: false,
          success: { description: "It is", schema: Health },
          alternatives: { 503: { description: "Not yet", schema: Health } },
        }),
      },
    )
    .get(
      "/metrics",
      async ({ request }) => {
        if (!isLocal(request)) await requireSession(request, services, "administrator").catch(hideMetrics)
        return new Response(await metricsText(), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        })
      },
      {
        detail: operation({
          summary: "Figures for Prometheus",
          description: "On the loopback, or with an administrator's console session.",
          tag: "Operation",
          security: false,
          success: { description: "Prometheus text", schema: t.String(), type: "text/plain" },
          errors: ["unauthorized", "forbidden"],
        }),
      },
    )

const hideMetrics = (error: unknown): never => {
  throw error instanceof AppError
    ? new AppError(error.code, { message: "figures are for the loopback or an administrator" })
    : error
}
