/** Jobs, generations of passages and notes of answers do the same on both databases. */

import { expect, test } from "bun:test"
import { sql } from "kysely"
import { ensureWorkspace } from "../../../src/access/keys.ts"
import { wholeOf } from "../../../src/access/view.ts"
import { JobQueue, type NewJob } from "../../../src/jobs/queue.ts"
import { livePassages } from "../../../src/search/passages/passages.ts"
import {
  buryOrphans,
  buryOrphansOf,
  continueIds,
  deadGenerations,
  forgetGeneration,
  insertChunks,
  markDead,
  markStaged,
  publishGenerations,
  reserve,
  retireGenerations,
} from "../../../src/storage/chunks.ts"
import { NOWHERE } from "../../../src/storage/document.ts"
import { Idempotency, note } from "../../../src/storage/idempotency.ts"
import { rejection } from "../../support/rejection.ts"
import { addFile } from "./file-rows.ts"
import { onBoth } from "./sides.ts"

const job = (subject: string, more: Partial<NewJob> = {}): NewJob => ({
  task: "index",
  subject,
  workspaceId: "ws_a",
  lane: "ordinary",
  ...more,
})

onBoth(open => {
  test("a job is leased once, completed in a transaction, and comes back after a failure", async () => {
    const database = await open()
    const queue = new JobQueue(database)
    await queue.enqueue(database, [job("a", { payload: { n: "ü" } }), job("b", { lane: "quick" })])
    const leases = await Promise.all([1, 2, 3].map(() => queue.lease("index", "ordinary", 5)))
    const [first, ...others] = leases.flat()
    expect([first?.subject, first?.payload, first?.attempts, others]).toEqual(["a", { n: "ü" }, 1, []])
    expect(await queue.renew(first!)).toBe(true)
    expect(await queue.handBack(first!)).toBe(true)
    expect(await queue.renew(first!)).toBe(false)
    const [again] = await queue.lease("index", "ordinary", 1)
    expect(again?.attempts).toBe(1)
    const rolledBack = database.transaction().execute(async trx => {
      expect(await queue.complete(trx, [again!])).toEqual([again!])
      throw new Error("no")
    })
    expect((await rejection(rolledBack)).message).toBe("no")
    expect(await queue.count("index")).toBe(2)
    expect(await database.transaction().execute(trx => queue.complete(trx, [again!]))).toEqual([again!])
    expect(await queue.depth("index")).toMatchObject({ count: 1 })
  })

  test("workspaces take turns within a lane", async () => {
    const database = await open()
    const queue = new JobQueue(database)
    await queue.enqueue(
      database,
      [1, 2, 3, 4].map(n => job(`a${n}`)),
    )
    await queue.enqueue(
      database,
      [1, 2].map(n => job(`b${n}`, { workspaceId: "ws_b" })),
    )
    const order: string[] = []
    for (let i = 0; i < 6; i++) {
      const [leased] = await queue.lease("index", "ordinary", 1)
      order.push(leased!.subject)
      await database.transaction().execute(trx => queue.complete(trx, [leased!]))
    }
    expect(order).toEqual(["a1", "b1", "a2", "b2", "a3", "a4"])
    const { rows } = await sql`select workspace_id, turn from job_turns order by workspace_id`.execute(database)
    expect(rows).toEqual([
      { workspace_id: "ws_a", turn: 6 },
      { workspace_id: "ws_b", turn: 4 },
    ])
  })

  test("a group takes of each workspace", async () => {
    const database = await open()
    const queue = new JobQueue(database)
    for (const workspaceId of ["ws_a", "ws_b", "ws_c"])
      await queue.enqueue(
        database,
        [1, 2, 3].map(n => job(`${workspaceId}${n}`, { workspaceId })),
      )
    const leased = await queue.lease("index", "ordinary", 4)
    expect(leased.map(({ subject }) => subject).sort()).toEqual(["ws_a1", "ws_a2", "ws_b1", "ws_c1"])
    expect(new Set(leased.map(({ leaseToken }) => leaseToken)).size).toBe(1)
  })

  test("passages are reserved, written, published together, replaced and forgotten", async () => {
    const database = await open()
    const workspaceId = await ensureWorkspace(database)
    for (const id of ["file_a", "file_b"]) await addFile(database, id)
    const write = async (versions: { fileId: string; generation: number; count: number }[], text: string) => {
      const made = await reserve(database, versions, "node_1")
      const stretches = made.map(generation => ({
        workspaceId,
        generation,
        ordinal: 0,
        chunks: Array.from({ length: generation.last - generation.first + 1 }, (_, i) => ({
          ...{ start: i * 10, end: i * 10 + 9, text: `${text} ${i}`, context: "head" },
          place: { ...NOWHERE, page: i + 1 },
        })),
      }))
      await insertChunks(database, stretches, AbortSignal.timeout(60_000))
      return made
    }
    const [a, b] = await write(
      [
        { fileId: "file_a", generation: 1, count: 300 },
        { fileId: "file_b", generation: 1, count: 2 },
      ],
      "first",
    )
    expect([a!.last - a!.first, b!.first - a!.last, b!.last - b!.first]).toEqual([299, 1, 1])
    const publish = (...versions: [string, number][]) =>
      database.transaction().execute(trx =>
        publishGenerations(
          trx,
          versions.map(([fileId, generation]) => ({ fileId, generation })),
        ),
      )
    expect((await rejection(publish(["file_a", 1]))).message).toContain("is not staged")
    expect(await markStaged(database, [a!, b!])).toEqual([a!, b!])
    expect(await markStaged(database, [a!])).toEqual([])
    await publish(["file_a", 1], ["file_b", 1])
    const found = await livePassages(database, wholeOf(workspaceId), [a!.first, b!.last, 999_999])
    expect([...found.values()].map(({ text, position }) => [text, position.page])).toEqual([
      ["first 0", 1],
      ["first 1", 2],
    ])
    expect(await livePassages(database, wholeOf("ws_other"), [a!.first])).toEqual(new Map())
    const [next] = await write([{ fileId: "file_a", generation: 2, count: 1 }], "second")
    await markStaged(database, [next!])
    await database.updateTable("files").set({ live_generation: 2 }).where("id", "=", "file_a").execute()
    await publish(["file_a", 2])
    expect((await livePassages(database, wholeOf(workspaceId), [a!.first, next!.first])).size).toBe(1)
    expect(await deadGenerations(database, 0, 10)).toMatchObject([{ id: a!.id, first: a!.first, last: a!.last }])
    await forgetGeneration(database, a!)
    expect(await deadGenerations(database, 0, 10)).toEqual([])
    const [given] = await write([{ fileId: "file_b", generation: 2, count: 1 }], "up")
    await forgetGeneration(database, given!)
    await markDead(database, given!, "file_b", 2)
    await database.deleteFrom("generations").where("id", "=", given!.id).execute()
    await markDead(database, given!, "file_b", 2)
    const [later] = await write([{ fileId: "file_b", generation: 3, count: 1 }], "later")
    expect(later!.id).toBeGreaterThan(given!.id)
    expect(later!.first).toBeGreaterThan(given!.last)
    await database.transaction().execute(trx => retireGenerations(trx, "file_b"))
    await database.deleteFrom("files").execute()
    await buryOrphans(database)
    const states = await database.selectFrom("generations").select("state").distinct().execute()
    expect(states).toEqual([{ state: "dead" }])
  })

  test("of a file that was replaced while it was read, what is staged afterwards is given up; what is found stays", async () => {
    const database = await open()
    await ensureWorkspace(database)
    for (const id of ["file_read", "file_found"]) await addFile(database, id)
    const staged = async (fileId: string, generation: number) => {
      const [made] = await reserve(database, [{ fileId, generation, count: 1 }], "node_1")
      await markStaged(database, [made!])
      return made!
    }
    const versionsOf = (generation: number) => [
      { fileId: "file_read", generation },
      { fileId: "file_found", generation },
    ]
    await staged("file_found", 1)
    await database.transaction().execute(trx => publishGenerations(trx, versionsOf(1).slice(1)))
    await database.updateTable("files").set({ generation: 2 }).execute()
    const newer = await Promise.all(versionsOf(2).map(({ fileId }) => staged(fileId, 2)))
    const late = await staged("file_read", 1)
    await buryOrphansOf(database, ["file_read", "file_found"])
    expect((await deadGenerations(database, 0, 10)).map(({ id }) => id)).toEqual([late.id])
    await database.transaction().execute(trx => publishGenerations(trx, versionsOf(2)))
    await buryOrphans(database)
    const left = await database.selectFrom("generations").select("id").where("state", "=", "live").execute()
    expect(left.map(({ id }) => id).toSorted()).toEqual(newer.map(({ id }) => id).toSorted())
  })

  test("ids of generations go on behind those that were brought in from elsewhere", async () => {
    const database = await open()
    const brought = { file_id: "file_x", generation: 1, first_chunk: 1, last_chunk: 1, state: "live" } as const
    await database
      .insertInto("generations")
      .values({ id: 1_000, ...brought })
      .execute()
    await continueIds(database)
    await continueIds(database)
    const [made] = await reserve(database, [{ fileId: "file_y", generation: 1, count: 1 }], "node_1")
    expect(made!.id).toBeGreaterThan(1_000)
  })

  test("a repeated request gets what the first one noted, another one under its key is refused", async () => {
    const database = await open()
    const idempotency = new Idempotency(database)
    const request = { workspaceId: "ws_a", operation: "upload", key: "k", hash: "h" } as const
    const once = (wanted: typeof request | (Omit<typeof request, "hash"> & { hash: string })) =>
      idempotency.once(
        wanted,
        async () => {
          await note(database, wanted, "äöü")
          return "first"
        },
        async noted => `again ${noted}`,
      )
    expect(await Promise.all([once(request), once(request)])).toEqual(["first", "again äöü"])
    expect((await rejection(once({ ...request, hash: "other" }))).message).toContain("another request")
    expect((await rejection(note(database, request, "twice"))).message).not.toBe("")
  })
})
