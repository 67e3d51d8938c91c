/** What the routes of schedules take and answer. */
import { t } from "elysia"
import { TARGET_URLS } from "../../batches/targets.ts"
import { operation } from "../operation.ts"
import {
  IDEMPOTENCY_KEY,
  integer,
  listOf,
  nullable,
  OwnerSchema,
  oneOf,
  optional,
  pageQuery,
  Time,
} from "../schemas.ts"

const SCHEDULE_ID = "sched_01m7y48vkz3s85f1acdta2"
const CRON = "0 6 * * 1-5"

const request = t.Object({
  url: t.String({ description: TARGET_URLS.join(", "), examples: ["/external/agents/run"] }),
  body: t.Record(t.String(), t.Any(), { examples: [{ task: "Which contracts end this month?" }] }),
})

const fields = {
  cron: optional(
    t.String({
      maxLength: 200,
      description: "Five fields: minute, hour, day of the month, month, day of the week",
      examples: [CRON],
    }),
  ),
  every: optional(
    t.String({ maxLength: 16, description: "In the place of `cron`: `90s`, `15m`, `6h`, `1d`", examples: ["6h"] }),
  ),
  timezone: optional(
    t.String({
      maxLength: 64,
      description: "Of `cron`, by its name in the IANA database: UTC by default",
      examples: ["Europe/Berlin"],
    }),
  ),
  paused: optional(t.Boolean()),
}

const name = t.String({ minLength: 1, maxLength: 200, examples: ["contracts that end"] })

const Schedule = t.Object(
  {
    id: t.String({ examples: [SCHEDULE_ID] }),
    name,
    cron: nullable(t.String(), { examples: [CRON] }),
    every: nullable(t.String(), { examples: [null] }),
    timezone: nullable(t.String(), { examples: ["Europe/Berlin"] }),
    request,
    paused: t.Boolean({ description: "Also by itself, when the key or user whose it is may not go on with it" }),
    next_run_at: nullable(Time),
    owner: OwnerSchema,
    created_at: Time,
    updated_at: Time,
  },
  { title: "Schedule" },
)

const ScheduleRun = t.Object(
  {
    run_id: t.String({ examples: ["srun_01m7y48vkz3s85f1acdta2"] }),
    status: oneOf(["running", "completed", "failed"]),
    response: nullable(
      t.Object({
        status_code: integer({ examples: [200] }),
        body: t.Any({ description: "As the route answered; of a body over 256 KB its beginning, as a text" }),
        truncated: t.Boolean(),
      }),
      {
        description: "Null while it is running, and where nothing was answered",
        examples: [{ status_code: 200, body: { status: "completed", output: "None." }, truncated: false }],
      },
    ),
    error: nullable(t.Object({ code: t.String(), message: t.String() }), { examples: [null] }),
    started_at: Time,
    finished_at: nullable(Time),
  },
  { title: "ScheduleRun" },
)

const of = { scope: "batches", tag: "Schedules" } as const
const byId = t.Object({ schedule_id: t.String() })

export const createSchedule = operation({
  ...of,
  id: "createSchedule",
  audit: { action: "schedule.create", id: "answer.id" },
  summary: "Make a request again and again at set times",
  description: `Each run is carried out as a request of its own would be, by the rights that its maker has at that moment, when no
others wait. Runs of a schedule do not overlap: a time that comes while one is going on is passed over, and times that went
by while the server was stopped make one run. A run that fails is told by the event \`schedule.failed\`.`,
  headers: [IDEMPOTENCY_KEY],
  body: t.Object({ name, ...fields, request }),
  example: {
    name: "contracts that end",
    cron: CRON,
    timezone: "Europe/Berlin",
    request: { url: "/external/agents/run", body: { task: "Which contracts end this month?" } },
  },
  answers: { 201: { description: "It runs from its next time on", schema: Schedule } },
  errors: ["not_found", "conflict", "overloaded"],
})

export const listSchedules = operation({
  ...of,
  id: "listSchedules",
  audit: "nothing",
  summary: "List schedules",
  query: t.Object(pageQuery),
  answers: { 200: { description: "A page, newest first", schema: listOf(Schedule, "ScheduleList") } },
})

export const getSchedule = operation({
  ...of,
  id: "getSchedule",
  audit: "nothing",
  summary: "Get a schedule",
  params: byId,
  answers: { 200: { description: "The schedule", schema: Schedule } },
  errors: ["not_found"],
})

export const updateSchedule = operation({
  ...of,
  id: "updateSchedule",
  audit: { action: "schedule.update", id: "params.schedule_id", fields: true },
  summary: "Change or pause a schedule",
  description:
    "Changes what is given. A schedule that is no longer paused goes on with its next time; those that went by meanwhile are not made up for. Its request is changed by its maker only: it acts by their rights.",
  params: byId,
  body: t.Object({ name: optional(name), ...fields, request: optional(request) }),
  example: { paused: true },
  answers: { 200: { description: "The schedule", schema: Schedule } },
  errors: ["not_found"],
})

export const deleteSchedule = operation({
  ...of,
  id: "deleteSchedule",
  audit: { action: "schedule.delete", id: "params.schedule_id" },
  held: "not covered",
  summary: "Delete a schedule",
  description: "With its runs; one that is going on is given up.",
  params: byId,
  answers: { 204: { description: "It is gone" } },
  errors: ["not_found"],
})

export const listScheduleRuns = operation({
  ...of,
  id: "listScheduleRuns",
  audit: "nothing",
  summary: "List the runs of a schedule",
  description: "Newest first, of the last 100; `limit` may be 1 to 100, 20 by default.",
  params: byId,
  query: t.Object({ limit: t.Optional(t.Integer({ default: 20 })) }),
  answers: { 200: { description: "Its runs", schema: t.Array(ScheduleRun) } },
  errors: ["not_found"],
})

export const runSchedule = operation({
  ...of,
  id: "runSchedule",
  audit: { action: "schedule.run", id: "params.schedule_id" },
  summary: "Run a schedule now",
  description: "Beside its times, also while it is paused.",
  params: byId,
  answers: { 202: { description: "It is running", schema: ScheduleRun } },
  errors: ["not_found", "conflict"],
})
