import { Elysia, t } from "elysia"
import { operation } from "../schemas.ts"
import type { Services } from "../services.ts"

const Health = t.Object({ status: t.String({ examples: ["ok"] }) })

export const healthRoutes = ({ isReady }: Services) =>
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
        const ready = await isReady()
        if (!ready) set.status = 503
        return { status: ready ? "ready" : "starting" }
      },
      {
        detail: operation({
          summary: "Is it ready for work?",
          description: "Stores are open, migrations done, the embedding model is loaded.",
          tag: "Operation",
          security: false,
          success: { description: "It is", schema: Health },
          alternatives: { 503: { description: "Not yet", schema: Health } },
        }),
      },
    )
