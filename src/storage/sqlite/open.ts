/** `<data>/carrel.db`: SQLite through Kysely. What writes takes turns; reads see what is committed and wait for nobody. */
import { Database as Sqlite } from "bun:sqlite"
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Kysely, sql } from "kysely"
import { commitSeconds } from "../../metrics.ts"
import { appliedMigrations, type Database, readDirectly, writtenByNewer } from "../database.ts"
import { MIGRATIONS } from "../migrations/index.ts"
import type { Migration } from "../migrations/migration.ts"
import type { Schema } from "../schema.ts"
import { dialect } from "./dialect.ts"
import { Reader } from "./reader.ts"
import { BUSY_TIMEOUT_MS, Writer } from "./writer.ts"

const recordsIn = (dataDirectory: string): string => join(dataDirectory, "carrel.db")

/** Whether an installation of one machine lies there. */
export const hasRecords = (dataDirectory: string): boolean => existsSync(recordsIn(dataDirectory))

/**
 * Opens or creates the database and migrates it forward.
 * @throws OperatorError when the data directory was written by a newer version.
 */
export async function openSqlite(
  dataDirectory: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Database> {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const path = recordsIn(dataDirectory)
  const created = !existsSync(path)
  const writer = await Writer.open(path, tookMs => commitSeconds.observe(tookMs / 1000))
  if (created) chmodSync(path, 0o600)
  const reader = new Sqlite(path)
  reader.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  reader.run("PRAGMA temp_store = MEMORY") // no file outside the data directory
  reader.run("PRAGMA query_only = ON")
  const apart = new Reader(path)
  const database = new Kysely<Schema>({ dialect: dialect({ writer, reader, apart }) })
  const version = reader.query<{ data_version: number }, []>("PRAGMA data_version")
  readDirectly(database, {
    changeMark: () => version.get()!.data_version, // takes 2 µs: SQLite looks at shared memory only
    rows: (text, values) => reader.query(text).all(...values),
    apart: (text, values) => apart.read(text, values),
  })
  try {
    await migrate(database, path, migrations)
  } catch (error) {
    await database.destroy()
    throw error
  }
  return database
}

/**
 * Brings the schema forward, each migration in a transaction of its own; a second process waits for the first. An
 * installation that is upgraded is copied first, to `carrel.db.before-<migration>` beside its database.
 */
async function migrate(database: Database, path: string, migrations: readonly Migration[]): Promise<void> {
  await sql`create table if not exists migrations (name text primary key, applied_at text not null)`.execute(database)
  const known = new Set(migrations.map(migration => migration.name))
  const applied = await appliedMigrations(database)
  for (const name of applied) if (!known.has(name)) throw writtenByNewer(name)
  const pending = migrations.find(({ name }) => !applied.includes(name))
  if (pending && applied.length > 0) await copyBefore(database, path, pending.name)
  for (const migration of migrations)
    await database.transaction().execute(async trx => {
      // Taking the write lock first makes a second process wait here and then see this migration as done.
      await sql`update migrations set applied_at = applied_at where name = ''`.execute(trx)
      if ((await appliedMigrations(trx)).includes(migration.name)) return
      await migration.sqlite(trx)
      await sql`insert into migrations (name, applied_at) values (${migration.name}, ${new Date().toISOString()})`.execute(
        trx,
      )
    })
}

/**
 * A consistent copy, complete or not there. A process that comes second finds it and leaves it alone, so that it keeps
 * what was there before the first attempt.
 */
async function copyBefore(database: Database, path: string, migration: string): Promise<void> {
  const copy = `${path}.before-${migration}`
  if (existsSync(copy)) return
  const temporary = `${copy}.${process.pid}`
  rmSync(temporary, { force: true })
  try {
    await sql`vacuum into ${temporary}`.execute(database)
    chmodSync(temporary, 0o600)
    renameSync(temporary, copy)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** A copy serves to undo an upgrade; it also holds what was deleted since. */
const COPY_KEPT_MS = 7 * 24 * 3_600_000

/** Removes the copies of former upgrades once they are a week old. */
export function removeOldCopies(dataDirectory: string): void {
  for (const path of copiesOfUpgrades(dataDirectory))
    if (Date.now() - statSync(path).mtimeMs > COPY_KEPT_MS) rmSync(path)
}

/** Their paths. */
export const copiesOfUpgrades = (dataDirectory: string): string[] =>
  readdirSync(dataDirectory)
    .filter(name => name.startsWith("carrel.db.before-"))
    .map(name => join(dataDirectory, name))
