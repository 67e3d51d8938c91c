import { describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { wholeOf } from "../../src/access/view.ts"
import { EventFeed, lastEvent } from "../../src/events/feed.ts"
import { emit } from "../../src/events/outbox.ts"
import { Pulse } from "../../src/events/pulse.ts"
import { forgetOld } from "../../src/events/sweep.ts"
import { EVENT_TYPES } from "../../src/events/types.ts"
import { continueEvents } from "../../src/storage/event-numbers.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"

describe.each(await databases())("the outbox on $name", ({ open }) => {
  test("holds events in the order in which they were written, and those of a failed transaction never", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await open(stack)
    const workspaceId = await ensureWorkspace(database)
    const write = (id: string, fails = false) =>
      database.transaction().execute(async trx => {
        await emit(
          trx,
          workspaceId,
          EVENT_TYPES.slice(0, 2).map(type => ({ type, data: { id } })),
        )
        if (fails) throw new Error("the change failed")
      })
    await write("file_1")
    expect(String(await rejection(write("file_2", true)))).toContain("the change failed")
    await write("file_3")
    const rows = await database.selectFrom("events").selectAll().orderBy("seq").execute()
    expect(rows.map(({ type, data }) => [type, JSON.parse(data).id])).toEqual([
      ["file.searchable", "file_1"],
      ["file.failed", "file_1"],
      ["file.searchable", "file_3"],
      ["file.failed", "file_3"],
    ])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(4)
  })

  test("leaves out data that is too large, not the change", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await open(stack)
    const workspaceId = await ensureWorkspace(database)
    await database
      .transaction()
      .execute(trx =>
        emit(trx, workspaceId, [{ type: "file.failed", data: { id: "file_1", text: "x".repeat(20_000) } }]),
      )
    const { data } = await database.selectFrom("events").selectAll().executeTakeFirstOrThrow()
    expect(JSON.parse(data)).toEqual({ id: "file_1", truncated: true })
  })

  test("goes on behind numbers that were brought in from elsewhere", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await open(stack)
    const workspaceId = await ensureWorkspace(database)
    const event = { id: "evt_1", workspace_id: workspaceId, type: "file.failed", data: "{}", created_at: ANCIENT }
    await database
      .insertInto("events")
      .values({ ...event, ...NOBODY, seq: 70_000 })
      .execute()
    await continueEvents(database)
    await database
      .transaction()
      .execute(trx => emit(trx, workspaceId, [{ type: "file.failed", data: { id: "file_1" } }]))
    expect(await lastEvent(database, workspaceId)).toBeGreaterThan(70_000)
  })

  test("is read through, however many of its events are none of the reader's", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await open(stack)
    const workspaceId = await ensureWorkspace(database)
    const write = (count: number, contextId: string) =>
      database.transaction().execute(trx =>
        emit(
          trx,
          workspaceId,
          Array.from({ length: count }, (_, at) => ({
            type: "file.deleted" as const,
            data: { id: `${contextId}_${at}` },
            seenBy: { context_id: contextId },
          })),
        ),
      )
    for (const [count, contextId] of [
      [5_000, "it"],
      [2, "hr"],
      [4_500, "it"],
      [1, "hr"],
    ] as const)
      await write(count, contextId)
    const feed = new EventFeed({ database, pulse: new Pulse(database), keptDays: 30 })
    const view = { ...wholeOf(workspaceId), contexts: ["hr"] }
    const { data, next } = await feed.page(view, { limit: 100 })
    expect(data.map(event => event.data.id)).toEqual(["hr_0", "hr_1", "hr_0"])
    expect(next).toBe(data[2]!.id)
    expect((await feed.page(view, { limit: 2 })).data).toEqual(data.slice(0, 2))
    const stop = new AbortController()
    const followed: string[] = []
    for await (const event of feed.follow(view, {}, stop.signal)) {
      followed.push(event.data.id)
      if (followed.length === 3) await write(1, "hr")
      if (followed.length === 4) stop.abort()
    }
    expect(followed).toEqual(["hr_0", "hr_1", "hr_0", "hr_0"])
  })

  test("forgets events that are older than they are kept", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await open(stack)
    const workspaceId = await ensureWorkspace(database)
    const old = { workspace_id: workspaceId, type: "file.failed", data: "{}", created_at: ANCIENT, ...NOBODY }
    await database
      .insertInto("events")
      .values(Array.from({ length: 2_500 }, (_, at) => ({ ...old, id: `evt_${at}` })))
      .execute()
    await database
      .transaction()
      .execute(trx => emit(trx, workspaceId, [{ type: "file.failed", data: { id: "file_1" } }]))
    expect(await forgetOld(database, 30)).toBe(2_500)
    expect(await database.selectFrom("events").select("subject").execute()).toEqual([{ subject: "file_1" }])
    await database.updateTable("events").set({ created_at: ANCIENT }).execute()
    // Who read on to it and missed nothing still shows it.
    expect(await forgetOld(database, 30)).toBe(0)
  })
})

const ANCIENT = "2020-01-01T00:00:00.000Z"
const NOBODY = { subject: null, context_id: null, acl: null, owner_id: null, maker: null, end_user: null }
