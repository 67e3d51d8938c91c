/**
 * The durable queue. A job is a row; the states are:
 *   due      run_at has come, no lease           ← enqueue, fail with back-off, reclaim (attempt - 1, interruption + 1)
 *   leased   lease_token and lease_until are set ← lease (attempt + 1 in the same statement), renew
 *   gone     the row is deleted                  ← complete, or fail for good
 * A worker that lost its lease (the row was re-enqueued or reclaimed) can neither complete nor fail the job.
 *
 * Jobs stand in lanes, so that short ones do not wait for long ones, and workspaces take turns within a lane, so that
 * one that brings thousands holds up no other.
 *
 * An attempt that ended with the daemon's death says little against the job: whoever kills the daemon, or cuts the power,
 * does it with all jobs that are at work. It counts as an interruption. A job that was interrupted often is suspected of
 * being the cause: suspects go one at a time, those that were interrupted least first, so that the one which is to blame
 * is soon at work without the others. Only after many interruptions is it given up.
 */
import { type RawBuilder, sql } from "kysely"
import { newId } from "../id.ts"
import { LocalWakes, type Wakes } from "../nodes/wakes.ts"
import type { Database, Executor, Trx } from "../storage/database.ts"
import type { JobsTable, Lane } from "../storage/jobs.ts"
import { isGivenUp, type Owner } from "../storage/owners.ts"
import { inTurn, timeOf, unlocked } from "../storage/shared.ts"
import { filled, words } from "../storage/words.ts"
import { claim, LEASE_MS, type LeasedRow, SUSPECT_AFTER } from "./claim.ts"

export interface NewJob {
  task: string
  subject: string
  workspaceId: string
  lane: Lane
  payload?: unknown
  /** 4 when absent. */
  maxAttempts?: number
}

export interface Job {
  id: string
  task: string
  subject: string
  workspaceId: string
  lane: Lane
  payload: unknown
  /** This attempt included. */
  attempts: number
  maxAttempts: number
  /** How often the daemon died while this job was at work. */
  interruptions: number
  leaseToken: string
}

/** How often an idle queue looks for times that a clock, set back, put into the far future. */
const MEND_EVERY_MS = 30_000
const BACK_OFF_MS = [1_000, 5_000, 30_000, 120_000]

const MAX_ATTEMPTS = 4
/** After so many it is given up. */
const MAX_INTERRUPTIONS = 20
/** What a suspect waits after the next start, for each interruption from then on; two minutes before it is given up. */
const SUSPECT_WAIT_S = 8
/** Some 13 values a row; SQLite takes 32 766. */
const JOBS_PER_INSERT = 500
/** A job that nobody has tried. */
const FRESH = { attempts: 0, interruptions: 0, lease_token: null, lease_until: null, owner: null, last_error: null }

/** Whether a job had all the attempts that it may have: it is not to be tried again. */
export const isUsedUp = ({ attempts, maxAttempts, interruptions }: Job): boolean =>
  attempts > maxAttempts || interruptions >= MAX_INTERRUPTIONS

export interface JobQueueOptions {
  /** Who leases; leases of nobody are free again as soon as anyone looks for those of the dead. */
  owner?: Owner
  /** Who hears of new work; absent: this queue alone. */
  wakes?: Wakes
  mendEveryMs?: number
}

export class JobQueue {
  private readonly owner: Owner | undefined
  private readonly wakes: Wakes
  private readonly mendEveryMs: number
  private mendedAt = performance.now()

  constructor(
    private readonly database: Database,
    { owner, wakes = new LocalWakes(), mendEveryMs = MEND_EVERY_MS }: JobQueueOptions = {},
  ) {
    this.owner = owner
    this.wakes = wakes
    this.mendEveryMs = mendEveryMs
  }

  /** Calls back when work may have become due, after commit. */
  onWork(listener: () => void): () => void {
    return this.wakes.listen("jobs", "", listener)
  }

  announce(): void {
    this.wakes.publish("jobs")
  }

  /**
   * One live job per task and subject, in the transaction of the rows they are about. An earlier one of the same subject
   * starts anew, and whoever works on it loses the lease. Call `announce` after the commit.
   */
  async enqueue(executor: Executor, jobs: readonly NewJob[]): Promise<void> {
    const now = timeOf(executor)
    for (let from = 0; from < jobs.length; from += JOBS_PER_INSERT)
      await executor
        .insertInto("jobs")
        .values(jobs.slice(from, from + JOBS_PER_INSERT).map(job => newRow(job, now)))
        .onConflict(conflict =>
          conflict.columns(["task", "subject"]).doUpdateSet(eb => ({
            ...FRESH,
            workspace_id: eb.ref("excluded.workspace_id"),
            lane: eb.ref("excluded.lane"),
            payload: eb.ref("excluded.payload"),
            run_at: now,
            created_at: now,
          })),
        )
        .execute()
  }

  /** The same where there is none: an earlier one of the same subject is left as it is. */
  async enqueueIfNone(executor: Executor, job: NewJob): Promise<void> {
    await executor
      .insertInto("jobs")
      .values(newRow(job, timeOf(executor)))
      .onConflict(conflict => conflict.columns(["task", "subject"]).doNothing())
      .execute()
  }

  /**
   * Claims up to `count` jobs of a lane that are due, none when there are none. Workspaces take turns: first those that
   * have the fewest at work, of these those that were served longest ago; within a workspace the oldest job goes first.
   * All that are claimed together share their token. `held` are tokens of jobs that the caller works on: a clock that
   * jumps ahead, or a renewal that a slow disk holds up, does not give him the same job twice. `idleOnly`: of workspaces that
   * have none at work.
   */
  async lease(
    task: string,
    lane: Lane,
    count: number,
    { held = [], idleOnly = false }: { held?: readonly string[]; idleOnly?: boolean } = {},
  ): Promise<Job[]> {
    const token = crypto.randomUUID()
    const owner = this.owner?.id ?? null
    const rows = await inTurn(this.database, `jobs ${task} ${lane}`, executor =>
      claim(executor, { task, lane, count, token, owner, held, idleOnly }),
    )
    if (rows.length === 0 && performance.now() - this.mendedAt > this.mendEveryMs) await this.mendTimes()
    return rows.map(row => toJob(task, token, row))
  }

  /** False when the lease is lost; the worker must then stop. */
  async renew(job: Job): Promise<boolean> {
    const result = await this.database
      .updateTable("jobs")
      .set({ lease_until: this.time(LEASE_MS) })
      .where("id", "=", job.id)
      .where("lease_token", "=", job.leaseToken)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /**
   * Removes jobs that were leased together, in the transaction that makes their results visible.
   * @returns those whose lease still held; the results of the others must not be shown
   */
  async complete<J extends Job>(trx: Trx, jobs: readonly J[]): Promise<J[]> {
    if (jobs.length === 0) return []
    const { leaseToken } = jobs[0]!
    if (jobs.some(job => job.leaseToken !== leaseToken)) throw new Error("the jobs were not leased together")
    const removed = await trx
      .deleteFrom("jobs")
      .where(
        "id",
        "in",
        jobs.map(({ id }) => id),
      )
      .where("lease_token", "=", leaseToken)
      .returning("id")
      .execute()
    const ids = new Set(removed.map(({ id }) => id))
    return jobs.filter(({ id }) => ids.has(id))
  }

  /** Back to due after a wait that grows with the attempts; false when the lease is lost. */
  async retryLater(job: Job, reason: string): Promise<boolean> {
    const wait = BACK_OFF_MS[Math.min(job.attempts, BACK_OFF_MS.length) - 1]!
    return this.release(job, { run_at: this.time(wait), last_error: reason.slice(0, 500) })
  }

  /** Hands a job back unharmed, as on shutdown: the attempt does not count. It is due again after `waitMs`. */
  async handBack(job: Job, waitMs = 0): Promise<boolean> {
    return this.release(job, {
      attempts: job.attempts - 1,
      ...(waitMs > 0 ? { run_at: this.time(waitMs) } : {}),
    })
  }

  /**
   * Part of a long job is done: it is due again after `waitMs`, behind the others of its workspace, and what counted against
   * it is forgotten. Call `announce` afterwards.
   */
  async goOn(job: Job, waitMs: number): Promise<boolean> {
    return this.release(job, { attempts: 0, interruptions: 0, run_at: this.time(waitMs) })
  }

  /** A job that waits need not wait any longer. */
  async hurry(task: string, subject: string): Promise<void> {
    await this.database
      .updateTable("jobs")
      .set({ run_at: this.time() })
      .where("task", "=", task)
      .where("subject", "=", subject)
      .where("lease_token", "is", null)
      .execute()
    this.announce()
  }

  /** Hands a job over that is not as quick as it looked: the attempt does not count. Call `announce` afterwards. */
  async changeLane(job: Job, lane: Lane): Promise<boolean> {
    return this.release(job, { attempts: job.attempts - 1, lane })
  }

  private async release(
    job: Job,
    changes: Partial<Pick<JobsTable, "last_error" | "attempts" | "interruptions" | "lane">> & {
      run_at?: RawBuilder<string>
    },
  ): Promise<boolean> {
    const result = await this.database
      .updateTable("jobs")
      .set({ ...changes, lease_token: null, lease_until: null })
      .where("id", "=", job.id)
      .where("lease_token", "=", job.leaseToken)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /** What nodes had leased that have ended is free again, and was interrupted. Suspects go one at a time. */
  async reclaim(): Promise<void> {
    const suspected = sql`interruptions + 1 >= ${SUSPECT_AFTER}`
    const waitSeconds = `(interruptions + 2 - ${SUSPECT_AFTER}) * ${SUSPECT_WAIT_S}`
    const later = filled(words(this.database).later("?", waitSeconds), this.time())
    await sql`update jobs set
        attempts = case when attempts > 0 then attempts - 1 else 0 end,
        interruptions = interruptions + 1,
        lane = case when ${suspected} then 'ordinary' else lane end,
        run_at = case when ${suspected}
          then ${later} else run_at end,
        lease_token = null, lease_until = null
      where id in (
        select id from jobs where lease_token is not null and ${isGivenUp("jobs.owner")} ${unlocked(this.database)}
      )`.execute(this.database)
    await this.mendTimes()
  }

  /**
   * A run_at further away than any back-off comes from a clock that was set back: it is due. A lease that long gets its
   * usual length: whoever works on it renews it meanwhile.
   */
  private async mendTimes(): Promise<void> {
    this.mendedAt = performance.now()
    await this.database
      .updateTable("jobs")
      .set({ run_at: this.time() })
      .where("run_at", ">", this.time(2 * BACK_OFF_MS.at(-1)!))
      .execute()
    await this.database
      .updateTable("jobs")
      .set({ lease_until: this.time(LEASE_MS) })
      .where("lease_until", ">", this.time(2 * LEASE_MS))
      .execute()
  }

  private time(afterMs = 0): RawBuilder<string> {
    return timeOf(this.database, afterMs)
  }

  /** Jobs waiting or running. Asked with every upload: an index alone answers it. */
  async count(task: string): Promise<number> {
    const row = await this.database
      .selectFrom("jobs")
      .select(eb => eb.fn.countAll<number>().as("count"))
      .where("task", "=", task)
      .executeTakeFirstOrThrow()
    return Number(row.count)
  }

  /** Jobs waiting or running, and the age of the oldest in seconds. */
  async depth(task: string): Promise<{ count: number; oldestSeconds: number }> {
    const row = await this.database
      .selectFrom("jobs")
      .select(eb => [eb.fn.countAll<number>().as("count"), eb.fn.min("created_at").as("oldest")])
      .where("task", "=", task)
      .executeTakeFirstOrThrow()
    return {
      count: Number(row.count),
      oldestSeconds: row.oldest ? Math.max(0, (Date.now() - Date.parse(row.oldest)) / 1000) : 0,
    }
  }
}

const newRow = ({ task, subject, workspaceId, lane, payload = {}, maxAttempts }: NewJob, now: RawBuilder<string>) => ({
  id: newId("job"),
  task,
  subject,
  workspace_id: workspaceId,
  lane,
  payload: JSON.stringify(payload),
  max_attempts: maxAttempts ?? MAX_ATTEMPTS,
  run_at: now,
  created_at: now,
  ...FRESH,
})

const toJob = (task: string, leaseToken: string, row: LeasedRow): Job => ({
  id: row.id,
  task,
  subject: row.subject,
  workspaceId: row.workspace_id,
  lane: row.lane,
  payload: JSON.parse(row.payload),
  attempts: row.attempts,
  maxAttempts: row.max_attempts,
  interruptions: row.interruptions,
  leaseToken,
})
