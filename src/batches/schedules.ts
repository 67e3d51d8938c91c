/**
 * Schedules: one request each, made again and again at set times by the rights that its maker has at that moment.
 * `schedule-clock.ts` begins the runs that are due, `schedule-worker.ts` carries them out. A time that comes while the run
 * before is going on is passed over; times that went by while nobody was there make one run.
 */
import { type OwnerRecord, ownedBy, ownerColumns, ownerName, ownerOf } from "../access/owner.ts"
import type { Principal } from "../access/principal.ts"
import type { View } from "../access/view.ts"
import { AppError, type ErrorBody, invalid } from "../errors.ts"
import { newId } from "../id.ts"
import type { JobQueue } from "../jobs/queue.ts"
import type { Database, Trx } from "../storage/database.ts"
import { type Idempotency, type IdempotentRequest, note } from "../storage/idempotency.ts"
import { unlinkScheduleAnswers } from "../storage/schedule-answers.ts"
import type { ScheduleRunStatus, ScheduleRunsTable, SchedulesTable } from "../storage/schedules.ts"
import { inOrder } from "../storage/shared.ts"
import { checkCron, checkEvery, nextTime, type Timing } from "../timing.ts"
import { bodyProblem, TARGET_URLS, type TargetUrl, targetUrl } from "./targets.ts"

export const RUN_SCHEDULE = "schedule"

/** Of a workspace. */
const MAX_SCHEDULES = 200

export interface ScheduleRequest {
  url: TargetUrl
  body: Record<string, unknown>
}

/** Spelled as on the wire. */
export interface Schedule {
  id: string
  name: string
  cron: string | null
  every: string | null
  timezone: string | null
  request: ScheduleRequest
  paused: boolean
  next_run_at: string | null
  owner: OwnerRecord | null
  created_at: string
  updated_at: string
}

/** Spelled as on the wire. */
export interface ScheduleRun {
  run_id: string
  status: ScheduleRunStatus
  /** Null while it is running, and where nothing was answered; a body that is too long is its beginning, as a text. */
  response: { status_code: number; body: unknown; truncated: boolean } | null
  error: Pick<ErrorBody, "code" | "message"> | null
  started_at: string
  finished_at: string | null
}

export interface ScheduleChange {
  name?: string | undefined
  cron?: string | undefined
  every?: string | undefined
  timezone?: string | undefined
  request?: { url: string; body: Record<string, unknown> } | undefined
  paused?: boolean | undefined
}

export type NewSchedule = ScheduleChange & Required<Pick<ScheduleChange, "name">> & Pick<ScheduleChange, "request">

export class Schedules {
  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * A repetition is answered with the schedule that the first request made, as it stands now.
   * @throws AppError invalid_request; forbidden for a scoped token; overloaded; conflict for a key of another request
   */
  create(principal: Principal, given: NewSchedule, repetition?: IdempotentRequest): Promise<Schedule> {
    return this.idempotency.once(
      repetition,
      () => this.createNew(principal, given, repetition),
      id => this.get(principal.view, id),
    )
  }

  private async createNew(
    { view, holderId }: Principal,
    given: NewSchedule,
    repetition: IdempotentRequest | undefined,
  ): Promise<Schedule> {
    if (view.author?.type === "key" && !view.mayWiden)
      throw new AppError("forbidden", { message: "a token ends within a day: schedules are made with a key" })
    const timing = timingOf(given)
    if (!timing) throw invalid("cron", "give cron or every")
    const now = new Date()
    const row: SchedulesTable = {
      id: newId("sched"),
      workspace_id: view.workspaceId,
      holder_id: holderId,
      name: given.name,
      timing: JSON.stringify(timing),
      request: JSON.stringify(requestOf(given.request)),
      paused: Number(given.paused ?? false),
      next_run_at: given.paused ? null : nextTime(timing, now).toISOString(),
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
      ...ownerColumns(view, null),
    }
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await refuseMany(trx, view.workspaceId)
      await trx.insertInto("schedules").values(row).execute()
      if (repetition) await note(trx, repetition, row.id)
    })
    return this.get(view, row.id)
  }

  async list(view: View, { page, pageSize }: { page: number; pageSize: number }) {
    const { total } = await this.database
      .selectFrom("schedules")
      .select(eb => eb.fn.countAll<number>().as("total"))
      .where(ownedBy(view, "schedules"))
      .executeTakeFirstOrThrow()
    const rows = await this.seen(this.database, view)
      .orderBy("id", "desc")
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .execute()
    return { data: rows.map(toSchedule), total: Number(total) }
  }

  /** @throws AppError not_found, also for one that the caller does not see */
  async get(view: View, id: string): Promise<Schedule> {
    return toSchedule(await this.row(this.database, view, id))
  }

  /**
   * Changes what is given. With another timing, or unpaused, it is next due after now.
   * @throws AppError not_found, invalid_request; forbidden for the request of a schedule that acts for somebody else
   */
  async change({ view, holderId }: Principal, id: string, given: ScheduleChange): Promise<Schedule> {
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      const row = await this.row(trx, view, id)
      if (given.request && row.holder_id !== holderId)
        throw new AppError("forbidden", {
          message: "it acts by the rights of its maker, who alone changes its request",
        })
      const former = JSON.parse(row.timing) as Timing
      const timing = timingOf(given, former) ?? former
      const paused = given.paused ?? row.paused === 1
      const isNew = JSON.stringify(timing) !== row.timing || (row.paused === 1 && !paused)
      const due = isNew ? nextTime(timing, new Date()).toISOString() : row.next_run_at
      await trx
        .updateTable("schedules")
        .set({
          timing: JSON.stringify(timing),
          paused: Number(paused),
          next_run_at: paused ? null : due,
          updated_at: new Date().toISOString(),
          ...(given.name === undefined ? {} : { name: given.name }),
          ...(given.request ? { request: JSON.stringify(requestOf(given.request)) } : {}),
        })
        .where("id", "=", id)
        .execute()
    })
    return this.get(view, id)
  }

  /** With its runs; one that is going on is given up. @throws AppError not_found */
  async delete(view: View, id: string): Promise<void> {
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await this.row(trx, view, id)
      await unlinkScheduleAnswers(trx, id)
      await trx.deleteFrom("schedules").where("id", "=", id).execute()
    })
  }

  /** Begins a run now, beside its times. @throws AppError not_found; conflict while one is going on */
  async runNow(view: View, id: string): Promise<ScheduleRun> {
    const run = await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      const row = await this.row(trx, view, id)
      const begun = await beginRun(trx, this.queue, row)
      if (!begun) throw new AppError("conflict", { message: "a run of this schedule is going on" })
      return begun
    })
    this.queue.announce()
    return toRun(run)
  }

  /** Newest first. @throws AppError not_found */
  async runs(view: View, id: string, limit: number): Promise<ScheduleRun[]> {
    await this.row(this.database, view, id)
    const rows = await this.database
      .selectFrom("schedule_runs")
      .selectAll()
      .where("schedule_id", "=", id)
      .orderBy("id", "desc")
      .limit(limit)
      .execute()
    return rows.map(toRun)
  }

  private seen(executor: Database | Trx, view: View) {
    return executor.selectFrom("schedules").selectAll().select(ownerName("schedules")).where(ownedBy(view, "schedules"))
  }

  private async row(executor: Database | Trx, view: View, id: string) {
    const row = await this.seen(executor, view).where("id", "=", id).executeTakeFirst()
    if (!row) throw noSuchSchedule()
    return row
  }
}

/** A run with its job, unless one is going on; call `announce` after the commit. */
export async function beginRun(
  trx: Trx,
  queue: JobQueue,
  { id, workspace_id: workspaceId, request }: Pick<SchedulesTable, "id" | "workspace_id" | "request">,
): Promise<ScheduleRunsTable | undefined> {
  const running = await trx
    .selectFrom("schedule_runs")
    .select("id")
    .where("schedule_id", "=", id)
    .where("status", "=", "running")
    .executeTakeFirst()
  if (running) return undefined
  const run: ScheduleRunsTable = {
    id: newId("srun"),
    schedule_id: id,
    workspace_id: workspaceId,
    request,
    status: "running",
    started_at: new Date().toISOString(),
    ...NOTHING_YET,
  }
  await trx.insertInto("schedule_runs").values(run).execute()
  await queue.enqueue(trx, [{ task: RUN_SCHEDULE, subject: run.id, workspaceId, lane: "ordinary" }])
  return run
}

const NOTHING_YET = {
  begun: 0,
  round: 0,
  leftover: null,
  status_code: null,
  body: null,
  is_cut: 0,
  error: null,
  finished_at: null,
}

/** Undefined where neither is given, nor a time zone for the former cron. @throws AppError invalid_request */
function timingOf({ cron, every, timezone }: ScheduleChange, former?: Timing): Timing | undefined {
  if (cron !== undefined && every !== undefined) throw invalid("every", "does not go with cron: give one of them")
  if (every !== undefined) {
    if (timezone !== undefined) throw invalid("timezone", "goes with cron only")
    return checkEvery(every)
  }
  const known = former && "cron" in former ? former : undefined
  if (cron !== undefined) return checkCron(cron, timezone ?? known?.timezone)
  if (timezone === undefined) return undefined
  if (!known) throw invalid("timezone", "goes with cron only")
  return checkCron(known.cron, timezone)
}

/** @throws AppError invalid_request */
function requestOf(given: ScheduleChange["request"]): ScheduleRequest {
  if (!given) throw invalid("request", "is missing")
  const url = targetUrl(given.url)
  if (!url) throw invalid("request.url", `must be one of ${TARGET_URLS.join(", ")}`)
  const problem = bodyProblem(given.body)
  if (problem) throw invalid(`request.${problem.param}`, problem.issue)
  return { url, body: given.body }
}

async function refuseMany(trx: Trx, workspaceId: string): Promise<void> {
  const { count } = await trx
    .selectFrom("schedules")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_SCHEDULES)
    throw new AppError("overloaded", { message: `a workspace has at most ${MAX_SCHEDULES} schedules` })
}

function toSchedule(row: SchedulesTable & { owner_name: string | null }): Schedule {
  const timing = JSON.parse(row.timing) as Timing
  return {
    id: row.id,
    name: row.name,
    cron: "cron" in timing ? timing.cron : null,
    every: "every" in timing ? timing.every : null,
    timezone: "cron" in timing ? timing.timezone : null,
    request: JSON.parse(row.request),
    paused: row.paused === 1,
    next_run_at: row.next_run_at,
    owner: ownerOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

function toRun(row: ScheduleRunsTable): ScheduleRun {
  const truncated = row.is_cut === 1
  const { status_code, body } = row
  return {
    run_id: row.id,
    status: row.status,
    response:
      status_code === null || body === null
        ? null
        : { status_code, body: truncated ? body : JSON.parse(body), truncated },
    error: row.error === null ? null : JSON.parse(row.error),
    started_at: row.started_at,
    finished_at: row.finished_at,
  }
}

const noSuchSchedule = (): AppError => new AppError("not_found", { message: "there is no such schedule" })
