/** Holds: what may not be deleted now. */
import { Elysia } from "elysia"
import { caller } from "../context.ts"
import { repetitionOf } from "../idempotency-key.ts"
import { pageOf, paginated, withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./holds.docs.ts"

export const holdRoutes = ({ holds }: Pick<Services, "holds">) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/holds",
      async ({ body, principal, request, status }) => {
        const asked = withoutNulls(body)
        const repetition = repetitionOf(request, principal, "hold", asked)
        return status(201, await holds.create(principal.view, asked, repetition))
      },
      docs.createHold(),
    )
    .get(
      "/external/holds",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const all = await holds.list(principal.view)
        const from = (page.page - 1) * page.pageSize
        return paginated(all.slice(from, from + page.pageSize), all.length, page)
      },
      docs.listHolds(),
    )
    .get(
      "/external/holds/:hold_id",
      ({ params, principal }) => holds.get(principal.view, params.hold_id),
      docs.getHold(),
    )
    .delete(
      "/external/holds/:hold_id",
      async ({ params, principal, set }) => {
        await holds.lift(principal.view, params.hold_id)
        set.status = 204
      },
      docs.liftHold(),
    )
