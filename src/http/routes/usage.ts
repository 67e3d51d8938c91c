/** What was used, by time and by whom. */
import { Elysia } from "elysia"
import { usageQueryOf } from "../../governance/usage/report.ts"
import { caller } from "../context.ts"
import type { Services } from "../services.ts"
import * as docs from "./usage.docs.ts"

export const usageRoutes = ({ usage }: Pick<Services, "usage">) =>
  new Elysia()
    .use(caller)
    .get(
      "/external/usage",
      async ({ query, principal }) => ({ data: await usage.read(principal.view, usageQueryOf(query)) }),
      docs.getUsage(),
    )
