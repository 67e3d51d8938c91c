/** Places that are kept in sync with the library. */
import { Elysia } from "elysia"
import { COVERAGE_STATUSES } from "../../sources/coverage.ts"
import { caller } from "../context.ts"
import { repetitionOf } from "../idempotency-key.ts"
import { eachOf, listItems, pageOf, paginated, withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./sources.docs.ts"

export const sourceRoutes = ({ sources }: Pick<Services, "sources">) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/sources",
      async ({ body, principal, request, status }) => {
        const asked = withoutNulls(body)
        const repetition = repetitionOf(request, principal, "source", asked)
        return status(201, await sources.create(principal.view, asked, repetition))
      },
      docs.createSource(),
    )
    .get(
      "/external/sources",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const { data, total } = await sources.list(principal.view, page)
        return paginated(data, total, page)
      },
      docs.listSources(),
    )
    .get(
      "/external/sources/:source_id",
      ({ params, principal }) => sources.get(principal.view, params.source_id),
      docs.getSource(),
    )
    .patch(
      "/external/sources/:source_id",
      ({ params, body, principal }) => sources.change(principal.view, params.source_id, body),
      docs.updateSource(),
    )
    .delete(
      "/external/sources/:source_id",
      async ({ params, query, principal, status }) => {
        await sources.remove(principal.view, params.source_id, query.delete_files === true)
        return status(204, undefined)
      },
      docs.deleteSource(),
    )
    .post(
      "/external/sources/:source_id/sync",
      async ({ params, body, principal, context, status }) => {
        const force = body?.force === true
        if (!body?.dry_run) return status(202, await sources.sync(principal.view, params.source_id, { force }))
        const { signal } = context.keepOpen() // a large place is silent for longer than the idle cut-off
        return status(200, await sources.dryRun(principal.view, params.source_id, { force }, signal))
      },
      docs.syncSource(),
    )
    .get(
      "/external/sources/:source_id/history",
      async ({ params, query, principal }) => {
        const page = pageOf(query)
        const { data, total } = await sources.history(principal.view, params.source_id, page)
        return paginated(data, total, page)
      },
      docs.listSyncs(),
    )
    .get(
      "/external/sources/:source_id/coverage",
      async ({ params, query, principal }) => {
        const page = pageOf(query)
        const status = eachOf("status", listItems(query.status), COVERAGE_STATUSES)
        const { items, matched, ...totals } = await sources.coverage(principal.view, params.source_id, {
          ...page,
          status,
        })
        return { ...totals, items, pagination: paginated(items, matched, page).pagination }
      },
      docs.getCoverage(),
    )
