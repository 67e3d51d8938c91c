import { describe, expect, test } from "bun:test"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { forgetOld } from "../../src/events/sweep.ts"
import { tellOfKeys, tellOfStorage } from "../../src/events/watch.ts"
import type { Database } from "../../src/storage/database.ts"
import { databases } from "../support/databases.ts"

const DAY_MS = 24 * 3_600_000
const told = async (database: Database) =>
  (await database.selectFrom("events").select(["type", "data"]).orderBy("seq").execute()).map(({ type, data }) => ({
    type,
    ...JSON.parse(data),
  }))

describe.each(await databases())("what comes is told ahead, on $name", ({ open }) => {
  test("a key seven days and one day before it expires, once each", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await open(stack)
    const workspaceId = await ensureWorkspace(database)
    const keys = new ApiKeys(database)
    const expiring = (days: number | null) =>
      keys.create(workspaceId, {
        name: "key",
        ...(days === null ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
      })
    await expiring(null)
    await expiring(8)
    const gone = await expiring(6)
    await database
      .updateTable("api_keys")
      .set({ expires_at: "2020-01-01T00:00:00.000Z" })
      .where("id", "=", gone.id)
      .execute()
    const { id } = await expiring(6)
    for (let look = 0; look < 3; look++) await tellOfKeys(database)
    expect(await told(database)).toMatchObject([{ type: "key.expiring", id }])
    const soon = new Date(Date.now() + DAY_MS / 2).toISOString()
    await database.updateTable("api_keys").set({ expires_at: soon }).where("id", "=", id).execute()
    for (let look = 0; look < 3; look++) await tellOfKeys(database)
    await forgetOld(database, 1)
    await tellOfKeys(database)
    expect(await told(database)).toMatchObject([{ id }, { type: "key.expiring", id, expires_at: soon }])
  })

  test("a disk that fills, once in each workspace until there was enough space again", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await open(stack)
    for (const name of ["default", "other"]) await ensureWorkspace(database, name)
    const at = (free: number) =>
      tellOfStorage(database, { id: "storage", directory: "/", lowBytes: 1_000, free: async () => free })
    const count = async () => (await told(database)).length
    await at(5_000)
    expect(await count()).toBe(0)
    for (const free of [999, 500, 1_050, 999]) await at(free)
    expect(await told(database)).toMatchObject(Array(2).fill({ type: "storage.low", free_bytes: 999 }))
    for (const free of [1_200, 999, 998]) await at(free)
    expect(await count()).toBe(4)
  })
})
