/** Requests that are made again and again at set times. */
import { Elysia } from "elysia"
import { invalid } from "../../errors.ts"
import { caller } from "../context.ts"
import { repetitionOf } from "../idempotency-key.ts"
import { pageOf, paginated, withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./schedules.docs.ts"

const MAX_RUNS = 100

export const scheduleRoutes = ({ schedules }: Pick<Services, "schedules">) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/schedules",
      async ({ body, principal, request, status }) => {
        const asked = withoutNulls(body)
        const repetition = repetitionOf(request, principal, "schedule", asked)
        return status(201, await schedules.create(principal, asked, repetition))
      },
      docs.createSchedule(),
    )
    .get(
      "/external/schedules",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const { data, total } = await schedules.list(principal.view, page)
        return paginated(data, total, page)
      },
      docs.listSchedules(),
    )
    .get(
      "/external/schedules/:schedule_id",
      ({ params, principal }) => schedules.get(principal.view, params.schedule_id),
      docs.getSchedule(),
    )
    .patch(
      "/external/schedules/:schedule_id",
      ({ params, body, principal }) => schedules.change(principal, params.schedule_id, withoutNulls(body)),
      docs.updateSchedule(),
    )
    .delete(
      "/external/schedules/:schedule_id",
      async ({ params, principal, set }) => {
        await schedules.delete(principal.view, params.schedule_id)
        set.status = 204
      },
      docs.deleteSchedule(),
    )
    .get(
      "/external/schedules/:schedule_id/runs",
      ({ params, query, principal }) => {
        const { limit = 20 } = query
        if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RUNS)
          throw invalid("limit", `must be a whole number from 1 to ${MAX_RUNS}`)
        return schedules.runs(principal.view, params.schedule_id, limit)
      },
      docs.listScheduleRuns(),
    )
    .post(
      "/external/schedules/:schedule_id/run",
      async ({ params, principal, status }) => status(202, await schedules.runNow(principal.view, params.schedule_id)),
      docs.runSchedule(),
    )
