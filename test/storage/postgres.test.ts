/** A PostgreSQL as our database: what it refuses to open, and what it does when the server does not answer. */
import { describe, expect, test } from "bun:test"
import { sql } from "kysely"
import { EngineError, OperatorError } from "../../src/errors.ts"
import { openCluster, sharesContract } from "../../src/nodes/cluster.ts"
import { type Database, isMigrated } from "../../src/storage/database.ts"
import { MIGRATIONS } from "../../src/storage/migrations/index.ts"
import type { Migration } from "../../src/storage/migrations/migration.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { emptySchema, postgres } from "../support/engines.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

const server = await postgres()
const changed = (url: string, change: (url: URL) => unknown): string => {
  const copy = new URL(url)
  change(copy)
  return copy.href
}
const empty = () => emptySchema(server!)
async function inServer(statement: string, url = server!): Promise<unknown[]> {
  const client = new Bun.SQL(
    changed(url, each => each.searchParams.delete("options")),
    { max: 1 },
  )
  return client.unsafe(statement).finally(() => client.close())
}
const schemaOf = (url: string): string => new URL(url).searchParams.get("options")!.split("=")[1]!
const tablesOf = async (url: string): Promise<unknown[]> =>
  inServer(`select table_name from information_schema.tables where table_schema = '${schemaOf(url)}' order by 1`)
const NEXT: Migration = {
  name: "9999-next",
  sqlite: async () => {},
  postgres: async executor => void (await sql`create table shelves (id text primary key)`.execute(executor)),
}

const SECRET = "s".repeat(64)

describe.skipIf(!server)("opening a PostgreSQL database", () => {
  test("makes all tables in an empty one, once, however many nodes start together", async () => {
    const url = await empty()
    const nodes = await Promise.all([1, 2, 3, 4].map(() => openPostgres(url)))
    for (const node of nodes) expect(await isMigrated(node)).toBe(true)
    const applied = await sql<{ name: string }>`select name from migrations order by name`.execute(nodes[0]!)
    expect(applied.rows.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name))
    for (const node of nodes) await node.destroy()
  })

  test("brings one of an older version forward", async () => {
    const url = await empty()
    await (await openPostgres(url)).destroy()
    const newer = await openPostgres(url, {}, [...MIGRATIONS, NEXT])
    expect((await sql`select * from shelves`.execute(newer)).rows).toEqual([])
    await newer.destroy()
  })

  test("refuses one of a newer version and leaves it as it is", async () => {
    const url = await empty()
    await (await openPostgres(url, {}, [...MIGRATIONS, NEXT])).destroy()
    const before = await tablesOf(url)
    const error = await rejection(openPostgres(url))
    expect(error).toBeInstanceOf(OperatorError)
    expect(error.message).toContain("written by a newer version of Carrel (it has the migration 9999-next)")
    expect(await tablesOf(url)).toEqual(before)
  })

  test("of a cluster that a newer version joined serves an older node beside it", async () => {
    const url = await empty()
    const newer = await openPostgres(url, {}, [...MIGRATIONS, NEXT])
    await openCluster(newer, SECRET)
    const older = await openPostgres(url, { mayBeNewer: sharesContract })
    expect(await older.selectFrom("files").select("id").execute()).toEqual([])
    await newer.updateTable("cluster").set({ contract: 1_000 }).execute()
    const error = await rejection(openPostgres(url, { mayBeNewer: sharesContract }))
    expect(error.message).toContain("written by a newer version of Carrel")
    for (const each of [newer, older]) await each.destroy()
  })

  for (const [whose, tables] of Object.entries({
    "of something else": ["create table orders (id bigint)"],
    "of something that calls its migrations as we do": ["create table migrations (id bigint, name text)"],
    "of something whose migrations look like ours": ["create table migrations (name text, applied_at text)"],
  }))
    test(`refuses one with tables ${whose} and writes nothing`, async () => {
      const url = await empty()
      for (const table of tables) await inServer(table.replace("table ", `table ${schemaOf(url)}.`))
      const before = await tablesOf(url)
      const error = await rejection(openPostgres(url))
      expect(error).toBeInstanceOf(OperatorError)
      expect(error.message).toContain("holds tables that are not Carrel's")
      expect(await tablesOf(url)).toEqual(before)
    })

  test("refuses one in another encoding", async () => {
    const name = `l${crypto.randomUUID().replaceAll("-", "")}`
    await inServer(`create database ${name} encoding 'LATIN1' locale 'C' template template0`)
    const error = await rejection(openPostgres(changed(server!, url => Object.assign(url, { pathname: name }))))
    await inServer(`drop database ${name} with (force)`)
    expect(error).toBeInstanceOf(OperatorError)
    expect(error.message).toContain("LATIN1")
  })

  test("names wrong credentials and a missing database without showing a password", async () => {
    const wrong = await rejection(openPostgres(changed(server!, url => Object.assign(url, { password: "wrong-one" }))))
    const missing = await rejection(openPostgres(changed(server!, url => Object.assign(url, { pathname: "/nowhere" }))))
    for (const error of [wrong, missing]) {
      expect(error).toBeInstanceOf(OperatorError)
      expect(`${error.message} ${(error as OperatorError).hint}`).not.toContain("wrong-one")
    }
    expect(wrong.message).toContain("refuses the credentials")
    expect(missing.message).toContain("no such database")
  })

  test("takes the password from a file, read anew for each connection", async () => {
    const url = await empty()
    const { password, username } = new URL(url)
    const file = `${process.env.TMPDIR ?? "/tmp"}/carrel-password-${crypto.randomUUID()}`
    await Bun.write(file, `${password}\n`)
    const byFile = changed(url, each => {
      each.password = ""
      each.searchParams.set("password_file", file)
    })
    await (await openPostgres(byFile)).destroy()
    await Bun.write(file, `# ours\nelsewhere:*:*:*:no\n*:*:*:${username}:${password}\n`)
    const byPassfile = byFile.replace("password_file", "passfile")
    await (await openPostgres(byPassfile)).destroy()
    const open = await openPostgres(byPassfile, { poolSize: 1 })
    await Bun.write(file, "wrong")
    expect((await rejection(openPostgres(byFile))).message).toContain("refuses the credentials")
    await rejection(sql`select pg_terminate_backend(pg_backend_pid())`.execute(open))
    expect(await rejection(sql`select 1`.execute(open))).toBeInstanceOf(EngineError)
    await open.destroy()
    await Bun.file(file).delete()
  })

  test("that nobody serves fails as an engine that cannot be reached", async () => {
    const error = await rejection(openPostgres("postgres://carrel:x@127.0.0.1:9/carrel", { connectTimeoutMs: 1_000 }))
    expect(error).toBeInstanceOf(EngineError)
  })
})

describe.skipIf(!server)("a PostgreSQL database", () => {
  const withDatabase = async (work: (database: Database, url: string) => Promise<void>, queryTimeoutMs = 15_000) => {
    const url = await empty()
    const database = await openPostgres(url, { queryTimeoutMs, poolSize: 2 })
    await work(database, url).finally(() => database.destroy())
  }

  test("gives counts, sums and ids as numbers", () =>
    withDatabase(async database => {
      const { rows } = await sql`select 3::bigint as big, sum(n) as sum, 0.5::double precision as half
        from (values (1::bigint), (2)) as t(n)`.execute(database)
      expect(rows).toEqual([{ big: 3, sum: 3, half: 0.5 }])
    }))

  test("keeps a text with a zero in it, with a mark in its place", () =>
    withDatabase(async database => {
      const { rows } = await sql`select ${"a\0b"}::text as text`.execute(database)
      expect(rows).toEqual([{ text: "a\uFFFDb" }])
    }))

  test("notices a server that hangs, and asks on another connection afterwards", () =>
    withDatabase(async database => {
      const hung = [1, 2].map(() => rejection(sql`select pg_sleep(20)`.execute(database)))
      for (const error of await Promise.all(hung)) expect(error).toBeInstanceOf(EngineError)
      expect((await sql`select 1 as one`.execute(database)).rows).toEqual([{ one: 1 }])
    }, 500))

  test("that hangs within a transaction keeps nothing of it, and gives it up itself", () =>
    withDatabase(async database => {
      const work = database.transaction().execute(async trx => {
        await sql`insert into setup_tokens values ('t', '')`.execute(trx)
        await sql`select pg_sleep(20) as "in a transaction"`.execute(trx)
      })
      expect(await rejection(work)).toBeInstanceOf(EngineError)
      expect(await database.selectFrom("setup_tokens").selectAll().execute()).toEqual([])
      const asleep = `select from pg_stat_activity where state = 'active' and query like '%pg_sleep%in a transaction%'
        and pid <> pg_backend_pid()`
      await until(async () => (await inServer(asleep)).length === 0)
    }, 500))

  test("goes on, on other connections, when another server takes the changes again", () =>
    withDatabase(async (database, url) => {
      const name = new URL(url).pathname.slice(1)
      const end = `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = '${name}'`
      const write = () => database.insertInto("setup_tokens").values({ token_hash: "t", created_at: "" }).execute()
      await inServer(`alter database ${name} set default_transaction_read_only = on`)
      await inServer(end)
      await until(async () => (await sql`select 1`.execute(database).catch(() => undefined)) !== undefined)
      for (let i = 0; i < 3; i++) expect(await rejection(write())).toBeInstanceOf(EngineError)
      await inServer(`set transaction read write; alter database ${name} reset default_transaction_read_only`)
      await write()
    }))

  test("goes on after its connections were ended by the server, at work and idle", () =>
    withDatabase(async (database, url) => {
      const asleep = rejection(sql`select pg_sleep(20)`.execute(database))
      await sql`select 1`.execute(database) // a second connection, idle from now on
      await inServer(`select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and datname = '${new URL(url).pathname.slice(1)}'`)
      expect(await asleep).toBeInstanceOf(EngineError)
      await Bun.sleep(50)
      expect((await sql`select 1 as one`.execute(database)).rows).toEqual([{ one: 1 }])
    }))
})
