import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { type Job, JobQueue } from "../../src/jobs/queue.ts"
import { JobWorker } from "../../src/jobs/worker.ts"
import type { Database } from "../../src/storage/database.ts"
import type { Lane } from "../../src/storage/jobs.ts"
import { databases } from "../support/databases.ts"
import { until } from "../support/until.ts"

let stack: AsyncDisposableStack
let database: Database
let queue: JobQueue

/** Subjects are called by workspace and number: `a1`, `a2` … */
const add = (workspaceId: string, count: number, lane: Lane = "ordinary") =>
  queue.enqueue(
    database,
    Array.from({ length: count }, (_, i) => ({ task: "index", subject: `${workspaceId}${i + 1}`, workspaceId, lane })),
  )
const lease = (count = 1, lane: Lane = "ordinary") => queue.lease("index", lane, count)
const subjects = (jobs: Job[]) => jobs.map(({ subject }) => subject).sort()
const finish = (jobs: Job[]) => database.transaction().execute(trx => queue.complete(trx, jobs))

/** Leases and finishes one job at a time. */
async function served(count: number): Promise<string[]> {
  const order: string[] = []
  for (let i = 0; i < count; i++) {
    const jobs = await lease()
    order.push(...subjects(jobs))
    await finish(jobs)
  }
  return order
}

for (const { name, open } of await databases())
  describe(name, () => {
    beforeEach(async () => {
      stack = new AsyncDisposableStack()
      database = await open(stack)
      queue = new JobQueue(database)
    })
    afterEach(() => stack.disposeAsync())

    describe("workspaces", () => {
      test("take turns, however many jobs one of them brought before", async () => {
        await add("a", 200)
        await add("b", 2)
        await add("c", 1)
        const order = await served(8)
        expect(order.slice(0, 3).sort()).toEqual(["a1", "b1", "c1"])
        expect(order.slice(3, 5).sort()).toEqual(["a2", "b2"])
        expect(order.slice(5)).toEqual(["a3", "a4", "a5"])
      })

      test("that come later need not wait for those before them", async () => {
        await add("a", 1_000)
        await served(3)
        await add("b", 1)
        expect(await served(1)).toEqual(["b1"])
      })

      test("that have none at work find a place though long jobs of another keep all, and only one at a time", async () => {
        await add("a", 10)
        const begun: string[] = []
        const ends = new Map<string, () => void>()
        const worker = new JobWorker(queue, {
          task: "index",
          lanes: {
            ordinary: {
              concurrency: 2,
              guests: 1,
              group: 1,
              async handle(jobs) {
                begun.push(jobs[0]!.subject)
                const { subject, signal } = jobs[0]!
                await new Promise<void>(resolve => {
                  ends.set(subject, resolve)
                  signal.addEventListener("abort", () => resolve())
                })
                await finish([...jobs])
                return []
              },
            },
          },
        })
        worker.start()
        try {
          await until(() => begun.length === 2)
          await add("b", 3)
          queue.announce()
          await until(() => begun.length === 3)
          expect(begun).toEqual(["a1", "a2", "b1"])
          await Bun.sleep(300)
          expect(begun).toHaveLength(3)
          ends.get("b1")!()
          await until(() => begun.includes("b2"))
          ends.get("a1")!() // two are at work then, as many as there are places for everybody
          await Bun.sleep(300)
          expect(begun).toEqual(["a1", "a2", "b1", "b2"])
        } finally {
          await worker.stop()
        }
      })

      test("with more of them than places all go on: none starves", async () => {
        for (const workspace of ["a", "b", "c", "d"]) await add(workspace, 20)
        const [first, second] = [await lease(), await lease()]
        const counts = new Map<string, number>()
        let running = [first, second]
        for (let i = 0; i < 40; i++) {
          const [oldest, ...rest] = running
          const workspace = oldest![0]!.subject[0]!
          counts.set(workspace, (counts.get(workspace) ?? 0) + 1)
          await finish(oldest!)
          running = [...rest, await lease()]
        }
        expect([...counts.values()].sort()).toEqual([10, 10, 10, 10])
      })

      test("are weighed by what they have at work: a place that becomes free goes to those who have none", async () => {
        await add("a", 10)
        const held = [await lease(), await lease(), await lease()]
        await add("b", 10)
        const turns = [await lease(), await lease(), await lease()]
        expect(turns.flatMap(subjects)).toEqual(["b1", "b2", "b3"])
        await finish(held[0]!)
        expect(subjects(await lease())).toEqual(["a4"])
      })

      test("share a group, and the one with little in it gets all of its own into the first", async () => {
        await add("a", 3_000, "quick")
        await add("b", 3, "quick")
        await add("c", 100, "quick")
        const group = await lease(64, "quick")
        const ofEach = (workspace: string) => group.filter(({ subject }) => subject.startsWith(workspace)).length
        expect([group.length, ofEach("b")]).toEqual([64, 3])
        expect(Math.abs(ofEach("a") - ofEach("c"))).toBeLessThanOrEqual(1)
      })

      test("are passed over while all their jobs wait for another try", async () => {
        await add("a", 1)
        const [job] = await lease()
        await queue.retryLater(job!, "later")
        await add("b", 2)
        expect(await served(2)).toEqual(["b1", "b2"])
        expect(await lease()).toEqual([])
      })
    })

    describe("lanes", () => {
      test("do not see each other's jobs", async () => {
        await add("a", 2, "quick")
        expect(await lease()).toEqual([])
        expect(subjects(await lease(64, "quick"))).toEqual(["a1", "a2"])
      })

      test("are changed without counting an attempt", async () => {
        await add("a", 1, "quick")
        const [job] = await lease(64, "quick")
        expect(await queue.changeLane(job!, "ordinary")).toBe(true)
        expect(await lease(64, "quick")).toEqual([])
        expect(await lease()).toMatchObject([{ subject: "a1", attempts: 1 }])
      })
    })

    test("jobs of one lease share its token, and each is lost by itself", async () => {
      await add("a", 3, "quick")
      const group = await lease(3, "quick")
      expect(new Set(group.map(({ leaseToken }) => leaseToken)).size).toBe(1)
      await queue.enqueue(database, [{ task: "index", subject: "a2", workspaceId: "a", lane: "quick" }])
      expect(subjects(await finish(group))).toEqual(["a1", "a3"])
      expect(subjects(await lease(3, "quick"))).toEqual(["a2"])
    })
  })
