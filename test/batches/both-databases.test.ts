/** Batches and schedules on either database, with several nodes that take them from each other. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Holders } from "../../src/access/holders.ts"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import type { Principal } from "../../src/access/principal.ts"
import { ScopedTokens } from "../../src/access/scoped-tokens.ts"
import { BatchStore } from "../../src/batches/batch-store.ts"
import { Batches, CARRY_OUT_BATCH } from "../../src/batches/batches.ts"
import type { Dispatch, InnerRequest } from "../../src/batches/dispatch.ts"
import { BatchFiles } from "../../src/batches/files.ts"
import { BackgroundRoom } from "../../src/batches/room.ts"
import { beginDue } from "../../src/batches/schedule-clock.ts"
import { Schedules } from "../../src/batches/schedules.ts"
import { BatchWorker } from "../../src/batches/worker.ts"
import { JobQueue } from "../../src/jobs/queue.ts"
import { JobWorker, type LeasedJob } from "../../src/jobs/worker.ts"
import { setLogLevel } from "../../src/log.ts"
import { end, enter } from "../../src/nodes/registry.ts"
import { DiskBlobs } from "../../src/storage/blobs/disk.ts"
import type { Database } from "../../src/storage/database.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

setLogLevel("error")
setDefaultTimeout(60_000)

describe.each(await databases())("on $name", ({ open }) => {
  const stack = new AsyncDisposableStack()
  let database: Database
  let queue: JobQueue
  let files: BatchFiles
  let batches: Batches
  let store: BatchStore
  let holders: Holders
  beforeAll(async () => {
    database = await open(stack)
    const folder = mkdtempSync(join(tmpdir(), "carrel-batches-"))
    stack.defer(() => rmSync(folder, { recursive: true, force: true }))
    queue = new JobQueue(database)
    files = new BatchFiles(database, new DiskBlobs(folder))
    batches = new Batches(database, queue, files, new Idempotency(database))
    store = new BatchStore(database, queue)
    holders = new Holders(database, new ScopedTokens(database))
  })
  afterAll(() => stack.disposeAsync())

  async function caller(workspace: string): Promise<Principal> {
    const workspaceId = await ensureWorkspace(database, workspace)
    const { id } = await new ApiKeys(database).create(workspaceId, { name: "test" })
    return (await holders.find(id, workspaceId))!.principal
  }

  async function start(principal: Principal, count: number, url = "/external/search"): Promise<string> {
    const request = (i: number) => ({ custom_id: `l${i}`, url, body: { query: `q${i}` } })
    const text = Array.from({ length: count }, (_, i) => JSON.stringify(request(i))).join("\n")
    const input = await files.bring(principal.view, "in.jsonl", new Blob([text]).stream(), AbortSignal.timeout(10_000))
    return (await batches.create(principal, { inputFileId: input.id }, undefined)).id
  }

  const answer = ({ body }: InnerRequest) => ({ statusCode: 200, requestId: "req_1", body, failure: undefined })

  /** A node: it takes batches as `dispatch` lets it. */
  function node(dispatch: Dispatch, itsQueue = queue): JobWorker {
    const room = new BackgroundRoom(2, () => 0)
    const parts = { queue: itsQueue, store: new BatchStore(database, itsQueue) }
    const worker = new BatchWorker({ ...parts, files, holders, room, dispatch, forget: async () => {} })
    const jobs = new JobWorker(itsQueue, {
      task: CARRY_OUT_BATCH,
      lanes: { ordinary: { concurrency: 4, group: 1, handle: worker.handle } },
    })
    jobs.start()
    return jobs
  }
  const ended = (principal: Principal, id: string) =>
    until(async () => {
      const batch = await batches.get(principal.view, id)
      return batch.status === "completed" && batch
    })
  async function linesIn(principal: Principal, fileId: string): Promise<string[]> {
    const file = await files.find(principal.view, fileId)
    const text = await new Response(await (await files.bytes(file!)).stream()).text()
    return text
      .trim()
      .split("\n")
      .map(line => JSON.parse(line).custom_id)
  }

  test("a batch that one node lets go goes on at another: each line is answered once", async () => {
    const principal = await caller("moving")
    const seen: string[] = []
    const first = node(async request => {
      seen.push(request.idempotencyKey)
      if (seen.length > 5) await new Promise((_, reject) => request.signal.addEventListener("abort", reject))
      return answer(request)
    })
    const id = await start(principal, 12)
    await until(() => seen.length >= 6)
    await first.stop()
    const again: string[] = []
    const second = node(async request => {
      again.push(request.idempotencyKey)
      return answer(request)
    })
    const batch = await ended(principal, id)
    await second.stop()
    expect(batch.request_counts).toEqual({ total: 12, completed: 12, failed: 0 })
    expect(await linesIn(principal, batch.output_file_id!)).toEqual(Array.from({ length: 12 }, (_, i) => `l${i}`))
    // What was under way is sent again under the same key; nothing else is.
    const twice = seen.filter(key => again.includes(key))
    expect(twice.length).toBeGreaterThan(0)
    expect(new Set([...seen, ...again]).size).toBe(12)
    expect(seen.length + again.length - twice.length).toBe(12)
  })

  test("a node that was taken for dead writes nothing more: another one answers its lines, each once", async () => {
    const principal = await caller("dying")
    const id = await enter(database, { name: "a", url: null, role: "all", version: "" })
    const { promise: held, resolve: wake } = Promise.withResolvers<void>()
    let late = 0
    let asked = 0
    const first = node(
      async request => {
        if (++asked > 3) {
          await held
          late++
        }
        return answer(request)
      },
      new JobQueue(database, { owner: { id } }),
    )
    const batchId = await start(principal, 12)
    await until(() => asked >= 4)
    await end(database, id)
    await queue.reclaim()
    const second = node(async request => answer(request))
    const batch = await ended(principal, batchId)
    wake()
    await until(() => late >= 1)
    await first.stop()
    await second.stop()
    expect(await batches.get(principal.view, batchId)).toEqual(batch)
    expect(batch.request_counts).toEqual({ total: 12, completed: 12, failed: 0 })
    expect(await linesIn(principal, batch.output_file_id!)).toEqual(Array.from({ length: 12 }, (_, i) => `l${i}`))
  })

  test("batches of several workspaces take turns", async () => {
    const [large, small] = [await caller("large"), await caller("small")]
    const order: string[] = []
    const ids = [await start(large, 60), await start(small, 3)]
    const worker = node(async request => {
      order.push(request.principal.workspaceId)
      await Bun.sleep(2)
      return answer(request)
    })
    await ended(small, ids[1]!)
    const before = order.length
    await ended(large, ids[0]!)
    await worker.stop()
    expect(order.length).toBe(63)
    expect(before).toBeLessThan(60)
  })

  test("whoever lost the lease writes nothing", async () => {
    const principal = await caller("lost")
    const id = await start(principal, 1)
    const [job] = await queue.lease(CARRY_OUT_BATCH, "ordinary", 1)
    const leased: LeasedJob = { ...job!, signal: new AbortController().signal }
    expect(leased.subject).toBe(id)
    const batch = (await store.find(id))!
    await store.begin(leased, batch, [{ line: 1, custom_id: "a", url: "/external/search", start_byte: 0, end_byte: 1 }])
    const [line] = await store.waiting(id, [], 1)
    const late = { ...leased, leaseToken: "another" }
    for (const write of [
      () => store.record(late, line!, "{}", false),
      () => store.finalize(late, "completed"),
      () => store.end(late, batch, "completed"),
      () => store.changeLine(late, line!, { begun: 1 }),
    ])
      expect((await rejection(write())).message).toMatch(/lease/)
    await store.record(leased, line!, "{}", false)
    expect((await rejection(store.record(leased, line!, "{}", false))).message).toMatch(/answer/)
    expect(await batches.get(principal.view, id)).toMatchObject({
      status: "in_progress",
      request_counts: { total: 1, completed: 1, failed: 0 },
    })
    await batches.cancel(principal.view, id)
    await queue.handBack(leased)
  })

  test("lists by cursor, whosever it is", async () => {
    const [mine, other] = [await caller("mine"), await caller("theirs")]
    const ids = [await start(mine, 1), await start(mine, 1), await start(mine, 1)]
    const page = await batches.list(mine.view, { limit: 2, order: "asc" })
    expect([page.items.map(({ id }) => id), page.hasMore]).toEqual([ids.slice(0, 2), true])
    const rest = await batches.list(mine.view, { limit: 2, order: "asc", after: ids[1] })
    expect([rest.items.map(({ id }) => id), rest.hasMore]).toEqual([ids.slice(2), false])
    expect((await batches.list(other.view, { limit: 2, order: "asc" })).items).toEqual([])
  })

  test("two nodes that see a schedule come due begin one run, and a second one not before it is over", async () => {
    const principal = await caller("clock")
    const schedules = new Schedules(database, queue, new Idempotency(database))
    const { id } = await schedules.create(principal, {
      name: "hourly",
      every: "1h",
      request: { url: "/external/search", body: { query: "x" } },
    })
    const dueNow = () =>
      database.updateTable("schedules").set({ next_run_at: "2026-01-01T00:00:00.000Z" }).where("id", "=", id).execute()
    await dueNow()
    const begun = await Promise.all([beginDue(database, queue), beginDue(database, queue)])
    expect(begun.sort()).toEqual([0, 1])
    await dueNow()
    expect(await beginDue(database, queue)).toBe(0)
    expect((await schedules.runs(principal.view, id, 10)).length).toBe(1)
    const next = (await schedules.get(principal.view, id)).next_run_at!
    expect(Date.parse(next)).toBeGreaterThan(Date.now())
    expect((await rejection(schedules.runNow(principal.view, id))).message).toMatch(/going on/)
    await schedules.delete(principal.view, id)
  })
})
