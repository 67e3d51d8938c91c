/** Carries the runs of schedules out: the handler of their jobs. */
import { sql } from "kysely"
import type { Principal } from "../access/principal.ts"
import { AppError, type ErrorBody, toErrorBody } from "../errors.ts"
import { emit } from "../events/outbox.ts"
import { isHeld } from "../jobs/claim.ts"
import { isUsedUp, type JobQueue } from "../jobs/queue.ts"
import type { JobFailure, LeasedJob } from "../jobs/worker.ts"
import { log } from "../log.ts"
import type { Database, Trx } from "../storage/database.ts"
import { beyondNewest } from "../storage/newest.ts"
import { linkScheduleAnswer, NO_ANSWER, unlinkScheduleAnswers } from "../storage/schedule-answers.ts"
import type { ScheduleRunsTable, SchedulesTable } from "../storage/schedules.ts"
import { inOrder } from "../storage/shared.ts"
import { carryOut, type ErrandDependencies, type Outcome } from "./errand.ts"
import type { ScheduleRequest } from "./schedules.ts"

export interface ScheduleWorkerDependencies extends ErrandDependencies {
  database: Database
  queue: JobQueue
}

/** Bytes of an answer that are kept. */
const KEPT_BYTES = 262_144
/** Of one schedule. */
const KEPT_RUNS = 100
/** How often a run that is going on is looked at: its schedule deleted, or without its key. */
const WATCH_MS = 1_000

interface Ended {
  outcome?: Outcome
  error?: Pick<ErrorBody, "code" | "message">
  /** Its maker may not go on with it: it would fail each time. */
  pauses?: boolean
}

/** The schedule is gone, or may not go on. */
class RunStop extends Error {}

export class ScheduleWorker {
  constructor(private readonly dependencies: ScheduleWorkerDependencies) {}

  handle = async (jobs: readonly LeasedJob[]): Promise<JobFailure[]> => {
    const failures: JobFailure[] = []
    for (const job of jobs) await this.carryOn(job).catch(error => failures.push({ job, error }))
    return failures
  }

  /** @throws what makes it worth another try */
  private async carryOn(job: LeasedJob): Promise<void> {
    const { database, queue } = this.dependencies
    const run = await database
      .selectFrom("schedule_runs")
      .selectAll()
      .where("id", "=", job.subject)
      .where("status", "=", "running")
      .executeTakeFirst()
    const schedule = run && (await this.scheduleOf(run))
    if (!run || !schedule) return void (await database.transaction().execute(trx => queue.complete(trx, [job]))) // deleted meanwhile
    await this.end(job, run, schedule, await this.ask(job, run, schedule))
  }

  private async ask(job: LeasedJob, run: ScheduleRunsTable, schedule: SchedulesTable): Promise<Ended> {
    if (isUsedUp(job)) return { error: toErrorBody(new Error("given up")) }
    const { room } = this.dependencies
    const { url, body } = JSON.parse(run.request) as ScheduleRequest
    const stop = new AbortController()
    const watch = setInterval(() => {
      this.principalOf(schedule).catch(error => {
        if (error instanceof RunStop) stop.abort(error)
      })
    }, WATCH_MS)
    const signal = AbortSignal.any([job.signal, stop.signal])
    try {
      const outcome = await room.within(schedule.workspace_id, url, signal, async () => {
        const principal = await this.principalOf(schedule)
        await this.change(job, { begun: 1 })
        return this.send(job, run, { url, body }, principal, signal)
      })
      return { outcome }
    } catch (error) {
      if (error instanceof RunStop) return { error: NO_RIGHTS, pauses: true }
      throw error
    } finally {
      clearInterval(watch)
    }
  }

  private send(
    job: LeasedJob,
    { id, begun, round, leftover }: ScheduleRunsTable,
    { url, body }: ScheduleRequest,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { dispatch, forget } = this.dependencies
    return carryOut(
      {
        principal,
        key: id,
        url,
        body: JSON.stringify(body),
        progress: { begun: begun === 1, round, leftover: leftover && JSON.parse(leftover) },
        save: progress =>
          this.change(job, { round: progress.round, leftover: progress.leftover && JSON.stringify(progress.leftover) }),
        signal,
      },
      dispatch,
      forget,
    )
  }

  private scheduleOf({ schedule_id: id }: ScheduleRunsTable): Promise<SchedulesTable | undefined> {
    return this.dependencies.database.selectFrom("schedules").selectAll().where("id", "=", id).executeTakeFirst()
  }

  /** What its maker may do now. @throws RunStop where that is nothing */
  private async principalOf({ id, holder_id, workspace_id }: SchedulesTable): Promise<Principal> {
    const { database, holders } = this.dependencies
    const there = await database.selectFrom("schedules").select("id").where("id", "=", id).executeTakeFirst()
    const holder = there && (await holders.find(holder_id, workspace_id))
    if (!holder?.principal.scopes.includes("batches")) throw new RunStop("the schedule may not go on")
    return holder.principal
  }

  private async change(job: LeasedJob, change: Partial<ScheduleRunsTable>): Promise<void> {
    const { numUpdatedRows } = await this.dependencies.database
      .updateTable("schedule_runs")
      .set(change)
      .where("id", "=", job.subject)
      .where("status", "=", "running")
      .where(isHeld(job))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new Error("the run was deleted, or its lease was lost")
  }

  /** With its event and the end of its job, or nothing of all that. */
  private async end(
    job: LeasedJob,
    run: ScheduleRunsTable,
    schedule: SchedulesTable,
    { outcome, error = outcome && errorIn(outcome), pauses = false }: Ended,
  ): Promise<void> {
    const { database, queue } = this.dependencies
    await database.transaction().execute(async trx => {
      await inOrder(trx, schedule.workspace_id)
      if ((await queue.complete(trx, [job])).length === 0) return
      const { numUpdatedRows } = await trx
        .updateTable("schedule_runs")
        .set({
          status: error ? "failed" : "completed",
          error: error ? JSON.stringify(error) : null,
          finished_at: new Date().toISOString(),
          ...(outcome ? await keptAnswer(trx, run, outcome) : {}),
        })
        .where("id", "=", run.id)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return // deleted meanwhile, with its schedule
      await keepNewest(trx, schedule.id)
      if (pauses)
        await trx.updateTable("schedules").set({ paused: 1, next_run_at: null }).where("id", "=", schedule.id).execute()
      const data = { id: schedule.id, run_id: run.id, error }
      if (error) await emit(trx, schedule.workspace_id, [{ type: "schedule.failed", data, seenBy: schedule }])
    })
    if (error) log.info("a run of a schedule failed", { schedule_id: schedule.id, run_id: run.id, code: error.code })
  }
}

async function keepNewest(trx: Trx, scheduleId: string): Promise<void> {
  const of = sql<boolean>`schedule_id = ${scheduleId}`
  const last = await beyondNewest(trx, "schedule_runs", { of, kept: KEPT_RUNS })
  if (last === undefined) return
  await unlinkScheduleAnswers(trx, scheduleId, last)
  await trx.deleteFrom("schedule_runs").where(of).where("id", "<=", last).execute()
}

/** Nothing of an answer about what was deleted meanwhile. */
async function keptAnswer(
  trx: Trx,
  run: ScheduleRunsTable,
  { statusCode, body }: Outcome,
): Promise<Partial<ScheduleRunsTable>> {
  if (!(await linkScheduleAnswer(trx, run, body))) return { status_code: statusCode, body: NO_ANSWER }
  const bytes = Buffer.from(body || "null")
  const isCut = bytes.length > KEPT_BYTES
  // A character that is cut in two is left out.
  const kept = isCut ? new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES), { stream: true }) : bytes.toString()
  return { status_code: statusCode, body: kept, is_cut: Number(isCut) }
}

/** What the route refused it with, in either of its shapes. */
function errorIn({ statusCode, body }: Outcome): Ended["error"] {
  if (statusCode < 400) return undefined
  const { code, message } = (JSON.parse(body) as { error: { code: string; message: string } }).error
  return { code, message }
}

const { code, message } = toErrorBody(
  new AppError("unauthorized", { message: "the key or user whose schedule it is may not go on with it any more" }),
)
const NO_RIGHTS = { code, message }
