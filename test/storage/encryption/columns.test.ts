/** Columns that are encrypted between Kysely and the database. `columns.ts` looks into Kysely's trees: when a version of Kysely changes them, these fail. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { type Database, readRows } from "../../../src/storage/database.ts"
import { keyringOf } from "../../../src/storage/encryption/keyring.ts"
import { unlock } from "../../../src/storage/encryption/unlock.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"

const directory = mkdtempSync(join(tmpdir(), "carrel-columns-"))
const at = "2026-01-01T00:00:00.000Z"
let plain: Database
let database: Database

beforeAll(async () => {
  const keyFile = join(directory, "key")
  writeFileSync(keyFile, "ab".repeat(32), { mode: 0o600 })
  plain = await openSqlite(directory)
  database = await unlock(plain, keyFile)
})
afterAll(async () => {
  await plain.destroy()
  rmSync(directory, { recursive: true, force: true })
})

const stored = async (name: string) =>
  (await plain.selectFrom("secrets").select("value").where("name", "=", name).executeTakeFirstOrThrow()).value
const clear = async (name: string) =>
  (await database.selectFrom("secrets").select("value").where("name", "=", name).executeTakeFirstOrThrow()).value

test("what is inserted, one row or several, is stored encrypted and read clear", async () => {
  await database.insertInto("secrets").values({ name: "one", value: "heron", created_at: at }).execute()
  await database
    .insertInto("secrets")
    .values([
      { name: "two", value: "grebe", created_at: at },
      { name: "three", value: sql<string>`'from ' || 'SQL'`, created_at: at },
    ])
    .execute()
  expect(await stored("one")).not.toContain("heron")
  expect(await stored("two")).not.toContain("grebe")
  expect([await clear("one"), await clear("two"), await clear("three")]).toEqual(["heron", "grebe", "from SQL"])
})

test("so is what updates and conflicts write, in a transaction as well", async () => {
  await database.transaction().execute(async trx => {
    await trx.updateTable("secrets").set({ value: "stork" }).where("name", "=", "one").execute()
    await trx
      .insertInto("secrets")
      .values({ name: "two", value: "unused", created_at: at })
      .onConflict(conflict => conflict.column("name").doUpdateSet({ value: "egret" }))
      .execute()
    expect((await trx.selectFrom("secrets").select("value").where("name", "=", "two").execute())[0]!.value).toBe(
      "egret",
    )
  })
  expect([await stored("one"), await stored("two")].join()).not.toMatch(/stork|egret|unused/)
  expect([await clear("one"), await clear("two")]).toEqual(["stork", "egret"])
})

test("rows of SQL as it is given come clear too, under whatever name", async () => {
  const { rows } = await sql<{ told: string }>`select value as told from secrets where name = 'one'`.execute(database)
  expect(rows).toEqual([{ told: "stork" }])
  expect(await readRows<object>(database, "select value from secrets where name = ?", ["two"])).toEqual([
    { value: "egret" },
  ])
})

test("a changed value is an error, and a foreign text that begins alike is left as it is", async () => {
  const value = await stored("one")
  const flipped = `${value.slice(0, -6)}${value.at(-6) === "A" ? "B" : "A"}${value.slice(-5)}`
  await plain.updateTable("secrets").set({ value: flipped }).where("name", "=", "one").execute()
  expect(clear("one")).rejects.toThrow()
  await plain.insertInto("workspaces").values({ id: "ws_1", name: "\u0001e:records:AAAA", created_at: at }).execute()
  const [workspace] = await database.selectFrom("workspaces").select("name").where("id", "=", "ws_1").execute()
  expect(workspace!.name).toBe("\u0001e:records:AAAA")
})

test("each workspace has a key of its own", async () => {
  await plain.insertInto("workspaces").values({ id: "ws_2", name: "two", created_at: at }).execute()
  const [one, two] = [await keyringOf(database).ofWorkspace("ws_1"), await keyringOf(database).ofWorkspace("ws_2")]
  expect(one.key.equals(two.key)).toBe(false)
  expect(await keyringOf(database).ofWorkspace("ws_1")).toBe(one)
})
