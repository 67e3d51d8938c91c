import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LEASE_MS } from "../../src/jobs/claim.ts"
import { type Job, JobQueue, type NewJob } from "../../src/jobs/queue.ts"
import { JobWorker, type JobWorkerOptions, type LeasedJob } from "../../src/jobs/worker.ts"
import { setLogLevel } from "../../src/log.ts"
import type { Database, Executor } from "../../src/storage/database.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { until } from "../support/until.ts"

setLogLevel("error")
let directory: string
let database: Database
let queue: JobQueue

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "carrel-jobs-"))
  database = await openSqlite(directory)
  queue = new JobQueue(database)
})
afterEach(async () => {
  setSystemTime()
  await database.destroy()
  rmSync(directory, { recursive: true, force: true })
})

const due = () => database.selectFrom("jobs").selectAll().execute()
const complete = async (job: Job) =>
  (await database.transaction().execute(trx => queue.complete(trx, [job]))).length === 1
const add = (subject: string, job: Partial<NewJob> = {}, executor: Executor = database) =>
  queue.enqueue(executor, [{ task: "index", subject, workspaceId: "ws_a", lane: "ordinary", ...job }])
const lease = async (from = queue, held: string[] = []) => (await from.lease("index", "ordinary", 1, { held }))[0]
/** One job at a time in the ordinary lane, `concurrency` of them at once. */
const workerOf = (
  concurrency: number,
  handle: (job: LeasedJob) => Promise<void>,
  options: Pick<JobWorkerOptions, "isStoresFault" | "waits" | "mayLease"> = {},
) =>
  new JobWorker(queue, {
    task: "index",
    lanes: { ordinary: { concurrency, group: 1, handle: async ([job]) => handle(job!).then(() => []) } },
    ...options,
  })

describe("the queue", () => {
  test("gives a job to one worker, counts the attempt, and forgets it once complete", async () => {
    await add("file_1", { payload: { a: 1 } })
    const leases = await Promise.all([lease(), lease(), lease()])
    const [job, ...others] = leases.filter(lease => lease !== undefined)
    expect(others).toEqual([])
    expect(job).toMatchObject({ subject: "file_1", payload: { a: 1 }, attempts: 1 })
    expect(await complete(job!)).toBe(true)
    expect(await due()).toEqual([])
  })

  test("takes the lease away from whoever works on a subject that is enqueued again", async () => {
    await add("file_1")
    const first = (await lease())!
    await add("file_1")
    expect(await queue.renew(first)).toBe(false)
    expect(await complete(first)).toBe(false)
    expect(await queue.retryLater(first, "late")).toBe(false)
    const second = await lease()
    expect(second).toMatchObject({ subject: "file_1", attempts: 1 })
  })

  test("waits longer after each failure", async () => {
    await add("file_1")
    const job = (await lease())!
    await queue.retryLater(job, "disk on fire")
    expect(await lease()).toBeUndefined()
    const [row] = await due()
    expect(Date.parse(row!.run_at)).toBeGreaterThan(Date.now() + 500)
    expect(row!.last_error).toBe("disk on fire")
  })

  test("frees every lease at start, and what a clock put into the far future", async () => {
    await add("file_1")
    await lease()
    await add("file_2")
    await database
      .updateTable("jobs")
      .set({ run_at: "2999-01-01T00:00:00.000Z" })
      .where("subject", "=", "file_2")
      .execute()
    await queue.reclaim()
    const subjects = [(await lease())?.subject, (await lease())?.subject]
    expect(subjects.sort()).toEqual(["file_1", "file_2"])
  })

  test("counts no attempt that ended with the daemon's death, but how many did", async () => {
    await add("file_1")
    for (let died = 0; died < 8; died++) {
      expect(await lease()).toMatchObject({ attempts: 1, interruptions: died })
      await queue.reclaim()
      setSystemTime(new Date(Date.now() + 60_000))
    }
    expect(await due()).toMatchObject([{ attempts: 0, interruptions: 8, lease_token: null }])
    await queue.reclaim() // of a job that was not at work
    expect(await due()).toMatchObject([{ attempts: 0, interruptions: 8 }])
    await add("file_1") // anew
    expect(await lease()).toMatchObject({ attempts: 1, interruptions: 0 })
  })

  test("counts the attempts that failed, whatever interrupted the others", async () => {
    await add("file_1")
    for (let failed = 1; failed <= 4; failed++) {
      await lease()
      await queue.reclaim()
      const job = (await lease())!
      expect(job.attempts).toBe(failed)
      await queue.retryLater(job, "no")
      setSystemTime(new Date(Date.now() + 180_000))
    }
  })

  test("gives jobs that were interrupted often one at a time, later and the innocent first, while others go on", async () => {
    for (const subject of ["culprit", "innocent"]) await add(subject, { lane: "quick" })
    const leaseAll = async () => [
      ...(await queue.lease("index", "quick", 64)),
      ...(await queue.lease("index", "ordinary", 1)),
      ...(await queue.lease("index", "ordinary", 1)),
    ]
    for (let died = 0; died < 5; died++) {
      expect(await leaseAll()).toHaveLength(2)
      await queue.reclaim()
    }
    expect(await leaseAll()).toEqual([]) // they wait
    setSystemTime(new Date(Date.now() + 60_000))
    await database
      .updateTable("jobs")
      .set({ run_at: "2020-01-01T00:00:00.000Z" })
      .where("subject", "=", "culprit")
      .execute()
    expect(await leaseAll()).toMatchObject([{ subject: "culprit", lane: "ordinary", interruptions: 5 }])
    await queue.reclaim()
    await add("other")
    const [innocent, other] = await leaseAll()
    expect([innocent?.subject, other?.subject]).toEqual(["innocent", "other"])
    setSystemTime(new Date(Date.now() + 30_000))
    expect(await leaseAll()).toEqual([])
    await complete(innocent!)
    expect(await leaseAll()).toMatchObject([{ subject: "culprit", interruptions: 6 }])
  })

  test("runs what a clock that was set back put into the far future, without a restart", async () => {
    const patient = new JobQueue(database, { mendEveryMs: 0 })
    await add("file_1")
    const future = new Date(Date.now() + 3_600_000).toISOString()
    await database.updateTable("jobs").set({ run_at: future }).execute()
    expect(await lease(patient)).toBeUndefined()
    expect((await lease(patient))?.subject).toBe("file_1")
  })

  test("gives nobody the job that he works on, however far the clock jumps ahead, but gives it to another", async () => {
    await add("file_1")
    const held = (await lease())!
    setSystemTime(new Date(Date.now() + 3_600_000))
    expect(await lease(queue, [held.leaseToken])).toBeUndefined()
    expect(await queue.renew(held)).toBe(true)
    setSystemTime(new Date(Date.now() + 3_600_000))
    expect((await lease(queue, ["of another job"]))?.subject).toBe("file_1")
    expect(await queue.renew(held)).toBe(false)
  })

  test("frees in time a lease that was taken before the clock was set back", async () => {
    const patient = new JobQueue(database, { mendEveryMs: 0 })
    await add("file_1")
    await lease(patient)
    setSystemTime(new Date(Date.now() - 3_600_000))
    expect(await lease(patient)).toBeUndefined() // and mends the times
    setSystemTime(new Date(Date.now() + 2 * LEASE_MS))
    expect((await lease(patient))?.attempts).toBe(2)
  })

  test("loses a job with the transaction that enqueued it", async () => {
    const rolledBack = database.transaction().execute(async trx => {
      await add("file_1", {}, trx)
      throw new Error("no")
    })
    expect(rolledBack).rejects.toThrow("no")
    await rolledBack.catch(() => {})
    expect(await due()).toEqual([])
  })
})

describe("a worker", () => {
  test("runs no more jobs at once than it may, and each of them once", async () => {
    const ran: string[] = []
    let running = 0
    let most = 0
    const worker = workerOf(2, async job => {
      most = Math.max(most, ++running)
      await until(() => most > 1) // the first waits for company
      await Bun.sleep(5)
      ran.push(job.subject)
      await complete(job)
      running--
    })
    for (let i = 0; i < 9; i++) await add(`file_${i}`)
    worker.start()
    queue.announce()
    await until(() => ran.length === 9)
    await worker.stop()
    expect(ran.sort()).toEqual(Array.from({ length: 9 }, (_, i) => `file_${i}`))
    expect(most).toBe(2)
  })

  test("hands back unharmed what a disk in trouble stopped, waits, and goes on by itself", async () => {
    await add("file_1")
    const attempts: number[] = []
    const handle = async (job: Job) => {
      attempts.push(job.attempts)
      if (attempts.length === 1) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
      await complete(job)
    }
    const isStoresFault = async (error: unknown) => (error as { code?: string }).code === "ENOSPC"
    const worker = workerOf(1, handle, { isStoresFault })
    worker.start()
    await until(async () => (await due()).length === 0)
    await worker.stop()
    expect(attempts).toEqual([1, 1])
  }, 30_000)

  test("counts an attempt of a job that its store stops again and again while others are done", async () => {
    await add("stopped")
    await add("fine")
    const attempts: number[] = []
    const handle = async (job: Job) => {
      if (job.subject === "stopped") {
        attempts.push(job.attempts)
        throw new Error("500 InternalError")
      }
      await complete(job)
    }
    const worker = workerOf(1, handle, { isStoresFault: async () => true, waits: 1 })
    worker.start()
    await until(async () => (await due())[0]?.last_error !== null, { within: 20_000 })
    await worker.stop()
    expect(attempts).toEqual([1, 1])
    expect(await due()).toMatchObject([{ subject: "stopped", attempts: 1 }])
  }, 30_000)

  test("hands its jobs back unharmed when it is stopped", async () => {
    await add("file_1")
    const started = Promise.withResolvers<void>()
    const worker = workerOf(1, ({ signal }) => {
      started.resolve()
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
    })
    worker.start()
    await started.promise
    await worker.stop()
    expect(await due()).toMatchObject([{ subject: "file_1", attempts: 0, lease_token: null }])
  })

  test("hands its jobs back when it is interrupted, and leases none until it may", async () => {
    await add("file_1")
    let mayLease = true
    const begun: number[] = []
    const handle = ({ attempts, signal }: LeasedJob) => {
      begun.push(attempts)
      return new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
    }
    const worker = workerOf(1, handle, { mayLease: () => mayLease })
    worker.start()
    await until(() => begun.length === 1)
    mayLease = false
    worker.interrupt(new Error("the node lost its membership"))
    await until(async () => (await due())[0]?.lease_token === null)
    queue.announce()
    await Bun.sleep(50)
    expect(begun).toEqual([1])
    mayLease = true
    queue.announce()
    await until(() => begun.length === 2)
    await worker.stop()
    expect(begun).toEqual([1, 1])
  })
})
