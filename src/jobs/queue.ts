/**
 * The durable queue. A job is a row; the states are:
 *   due      run_at has come, no lease           ← enqueue, fail with back-off, reclaim
 *   leased   lease_token and lease_until are set ← lease (attempt + 1 in the same statement), renew
 *   gone     the row is deleted                  ← complete, or fail for good
 * A worker that lost its lease (the row was re-enqueued or reclaimed) can neither complete nor fail the job.
 */
import { sql } from "kysely"
import { newId } from "../id.ts"
import type { Database, Executor, Trx } from "../storage/database.ts"

export interface Job {
  id: string
  task: string
  subject: string
  payload: unknown
  /** This attempt included. */
  attempts: number
  maxAttempts: number
  leaseToken: string
}

/** Renewed every third of it; long enough for a machine that stalls on disk. */
export const LEASE_MS = 60_000
/** How often an idle queue looks for times that a clock, set back, put into the far future. */
const MEND_EVERY_MS = 30_000
const BACK_OFF_MS = [1_000, 5_000, 30_000, 120_000]

const iso = (time: number): string => new Date(time).toISOString()

export class JobQueue {
  private readonly listeners = new Set<() => void>()

  private mendedAt = performance.now()

  constructor(
    private readonly database: Database,
    private readonly mendEveryMs = MEND_EVERY_MS,
  ) {}

  /** Calls back when work may have become due, after commit. */
  onWork(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  announce(): void {
    for (const listener of this.listeners) listener()
  }

  /**
   * One live job per task and subject, in the transaction of the row it is about. An earlier one of the same subject
   * starts anew, and whoever works on it loses the lease. Call `announce` after the commit.
   */
  async enqueue(
    executor: Executor,
    task: string,
    subject: string,
    payload: unknown = {},
    maxAttempts = 4,
  ): Promise<void> {
    const now = iso(Date.now())
    const fresh = {
      payload: JSON.stringify(payload),
      attempts: 0,
      run_at: now,
      lease_token: null,
      lease_until: null,
      last_error: null,
    }
    await executor
      .insertInto("jobs")
      .values({ id: newId("job"), task, subject, max_attempts: maxAttempts, created_at: now, ...fresh })
      .onConflict(conflict => conflict.columns(["task", "subject"]).doUpdateSet({ ...fresh, created_at: now }))
      .execute()
  }

  /**
   * Claims the job that has waited longest; undefined when none is due. `held` are tokens of jobs that the caller works
   * on: a clock that jumps ahead, or a renewal that a slow disk holds up, does not give him the same job twice.
   */
  async lease(task: string, held: readonly string[] = []): Promise<Job | undefined> {
    const now = Date.now()
    const others = sql.join(["", ...held])
    const token = crypto.randomUUID()
    const { rows } = await sql<{
      id: string
      subject: string
      payload: string
      attempts: number
      max_attempts: number
    }>`
      update jobs set attempts = attempts + 1, lease_token = ${token}, lease_until = ${iso(now + LEASE_MS)}
      where id = (
        select id from jobs
        where task = ${task} and run_at <= ${iso(now)}
          and (lease_token is null or (lease_until <= ${iso(now)} and lease_token not in (${others})))
        order by run_at, id limit 1
      )
      returning id, subject, payload, attempts, max_attempts`.execute(this.database)
    const row = rows[0]
    if (!row) {
      if (performance.now() - this.mendedAt > this.mendEveryMs) await this.mendTimes()
      return undefined
    }
    return {
      id: row.id,
      task,
      subject: row.subject,
      payload: JSON.parse(row.payload),
      attempts: row.attempts,
      maxAttempts: row.max_attempts,
      leaseToken: token,
    }
  }

  /** False when the lease is lost; the worker must then stop. */
  async renew(job: Job): Promise<boolean> {
    const result = await this.database
      .updateTable("jobs")
      .set({ lease_until: iso(Date.now() + LEASE_MS) })
      .where("id", "=", job.id)
      .where("lease_token", "=", job.leaseToken)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /** Removes the job in the transaction that makes its result visible; false when the lease is lost. */
  async complete(trx: Trx, job: Job): Promise<boolean> {
    const result = await trx
      .deleteFrom("jobs")
      .where("id", "=", job.id)
      .where("lease_token", "=", job.leaseToken)
      .executeTakeFirst()
    return result.numDeletedRows > 0n
  }

  /** Back to due after a wait that grows with the attempts; false when the lease is lost. */
  async retryLater(job: Job, reason: string): Promise<boolean> {
    const wait = BACK_OFF_MS[Math.min(job.attempts, BACK_OFF_MS.length) - 1]!
    return this.release(job, { run_at: iso(Date.now() + wait), last_error: reason.slice(0, 500) })
  }

  /** Hands a job back unharmed, as on shutdown: the attempt does not count. It is due again after `waitMs`. */
  async handBack(job: Job, waitMs = 0): Promise<boolean> {
    return this.release(job, {
      attempts: job.attempts - 1,
      ...(waitMs > 0 ? { run_at: iso(Date.now() + waitMs) } : {}),
    })
  }

  private async release(
    job: Job,
    changes: { run_at?: string; last_error?: string; attempts?: number },
  ): Promise<boolean> {
    const result = await this.database
      .updateTable("jobs")
      .set({ ...changes, lease_token: null, lease_until: null })
      .where("id", "=", job.id)
      .where("lease_token", "=", job.leaseToken)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /** At start no worker lives: every lease is free again. */
  async reclaim(): Promise<void> {
    await this.database.updateTable("jobs").set({ lease_token: null, lease_until: null }).execute()
    await this.mendTimes()
  }

  /**
   * A run_at further away than any back-off comes from a clock that was set back: it is due. A lease that long gets its
   * usual length: whoever works on it renews it meanwhile.
   */
  private async mendTimes(): Promise<void> {
    this.mendedAt = performance.now()
    const now = Date.now()
    await this.database
      .updateTable("jobs")
      .set({ run_at: iso(now) })
      .where("run_at", ">", iso(now + 2 * BACK_OFF_MS.at(-1)!))
      .execute()
    await this.database
      .updateTable("jobs")
      .set({ lease_until: iso(now + LEASE_MS) })
      .where("lease_until", ">", iso(now + 2 * LEASE_MS))
      .execute()
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
