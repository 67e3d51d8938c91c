import { describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { emit } from "../../src/events/outbox.ts"
import { EVENT_TYPES } from "../../src/events/types.ts"
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
})
