import { Database as Sqlite } from "bun:sqlite"
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { MIGRATIONS } from "../../src/storage/migrations/index.ts"
import { onBoth, runStatements } from "../../src/storage/migrations/migration.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { rejection } from "../support/rejection.ts"

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "carrel-upgrade-"))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const NEXT = onBoth("9999-next", "create table shelves (id text primary key)")
const COPY = "carrel.db.before-9999-next"

const copies = () => readdirSync(data).filter(name => name.includes("before"))
const holdsTable = (file: string, table: string) => {
  const sqlite = new Sqlite(join(data, file))
  const row = sqlite.query("select name from sqlite_master where name = ?").get(table)
  sqlite.close()
  return row !== null
}

describe("opening an installation", () => {
  test("of an older version copies its database before it is migrated", async () => {
    await (await openSqlite(data)).destroy()
    await (await openSqlite(data, [...MIGRATIONS, NEXT])).destroy()
    expect(copies()).toEqual([COPY])
    expect(statSync(join(data, COPY)).mode & 0o777).toBe(0o600)
    expect(["files", "shelves"].map(table => holdsTable(COPY, table))).toEqual([true, false])
    expect(["files", "shelves"].map(table => holdsTable("carrel.db", table))).toEqual([true, true])
  })

  test("keeps the first copy where a migration fails and is tried again", async () => {
    await (await openSqlite(data)).destroy()
    const failing = { ...NEXT, sqlite: () => Promise.reject(new Error("no")) }
    expect((await rejection(openSqlite(data, [...MIGRATIONS, failing]))).message).toBe("no")
    const { ino } = statSync(join(data, COPY))
    await (await openSqlite(data, [...MIGRATIONS, NEXT])).destroy()
    expect(copies()).toEqual([COPY])
    expect(statSync(join(data, COPY)).ino).toBe(ino)
  })

  test("that is new, or of the same version, copies nothing", async () => {
    for (let i = 0; i < 2; i++) await (await openSqlite(data)).destroy()
    expect(copies()).toEqual([])
  })

  test("keeps the Idempotency-Keys of runs", async () => {
    const older = MIGRATIONS.findIndex(({ name }) => name === "0014-run-repetitions")
    const before = await openSqlite(data, MIGRATIONS.slice(0, older))
    const workspace_id = await ensureWorkspace(before, "default")
    await runStatements(
      before,
      `insert into agent_runs (id, workspace_id, key_id, status, task, model, request, started_at, deadline_at,
         event_count, idempotency_key, request_hash)
       values ('run_1', '${workspace_id}', 'key_1', 'completed', 't', 'm', '{}', '${new Date().toISOString()}', '', 1, 'k1', 'h1')`,
    )
    await before.destroy()
    const database = await openSqlite(data)
    const repetition = { workspaceId: workspace_id, operation: "run", key: "k1", hash: "h1" } as const
    const answer = await new Idempotency(database).once(
      repetition,
      async () => "another run",
      async noted => noted,
    )
    expect(answer).toBe("run_1")
    await database.destroy()
  })

  test("ends all but the newest of the replies that a conversation was left with unfinished", async () => {
    const older = MIGRATIONS.findIndex(({ name }) => name === "0018-one-reply")
    const before = await openSqlite(data, MIGRATIONS.slice(0, older))
    const workspace_id = await ensureWorkspace(before, "default")
    const reply = (id: string, position: number) =>
      `('${id}', 'conv_1', ${position}, 'assistant', 'part', '[]', '[]', '${new Date().toISOString()}')`
    await runStatements(
      before,
      `insert into conversations (id, workspace_id, title, model, settings, created_at, updated_at)
         values ('conv_1', '${workspace_id}', 't', 'm', '{}', '', '');
       insert into messages (id, conversation_id, position, role, content, citations, sources, created_at)
         values ${[reply("msg_1", 1), reply("msg_2", 2), reply("msg_3", 3)].join(", ")}`,
    )
    await before.destroy()
    const database = await openSqlite(data)
    const rows = await database
      .selectFrom("messages")
      .select(["finish_reason", "content"])
      .orderBy("position")
      .execute()
    expect(rows.map(row => row.finish_reason)).toEqual(["error", "error", null])
    expect(rows.every(({ content }) => content === "part")).toBe(true)
    await database.destroy()
  })

  test("of a newer version is refused and left as it is", async () => {
    await (await openSqlite(data, [...MIGRATIONS, NEXT])).destroy()
    expect((await rejection(openSqlite(data))).message).toContain(
      "written by a newer version of Carrel (it has the migration 9999-next)",
    )
    expect(copies()).toEqual([])
  })
})
