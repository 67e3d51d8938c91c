/**
 * The one relational database, `<data>/carrel.db`: SQLite through Kysely. What writes takes turns; reads see what is
 * committed and wait for nobody. Keep transactions short: no await on anything but the database inside one.
 */
import { type SQLQueryBindings, Database as Sqlite, type Statement } from "bun:sqlite"
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Kysely, sql, type Transaction } from "kysely"
import { OperatorError } from "../errors.ts"
import { commitSeconds } from "../metrics.ts"
import { dialect } from "./dialect.ts"
import { MIGRATIONS } from "./migrations/index.ts"
import type { Migration } from "./migrations/migration.ts"
import type { Schema } from "./schema.ts"
import { BUSY_TIMEOUT_MS, Writer } from "./writer.ts"

export type Database = Kysely<Schema>
export type Trx = Transaction<Schema>
/** What a query can run on: the database itself or a transaction of it. */
export type Executor = Database | Trx

/**
 * Opens or creates the database and migrates it forward.
 * @throws OperatorError when the data directory was written by a newer version.
 */
export async function openDatabase(
  dataDirectory: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Database> {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const path = join(dataDirectory, "carrel.db")
  const created = !existsSync(path)
  const writer = await Writer.open(path, tookMs => commitSeconds.observe(tookMs / 1000))
  if (created) chmodSync(path, 0o600)
  const reader = new Sqlite(path)
  reader.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  reader.run("PRAGMA temp_store = MEMORY") // no file outside the data directory
  reader.run("PRAGMA query_only = ON")
  const database = new Kysely<Schema>({ dialect: dialect({ writer, reader }) })
  readers.set(database, { sqlite: reader, version: reader.query("PRAGMA data_version") })
  try {
    await migrate(database, path, migrations)
  } catch (error) {
    await database.destroy()
    throw error
  }
  return database
}

/** What is said of a database with a migration that this version does not know. */
export const writtenByNewer = (migration: string): OperatorError =>
  new OperatorError(`the data directory was written by a newer version of Carrel (it has the migration ${migration})`, {
    hint: "use that version, or restore a backup that this version made",
  })

const readers = new WeakMap<Database, { sqlite: Sqlite; version: Statement<{ data_version: number }, []> }>()

/**
 * A number that is another one after every commit, whoever made it: this process or a command beside it. What was read
 * holds as long as it stands still. Takes 2 µs: SQLite looks at shared memory only.
 */
export const changeMark = (database: Database): number => readers.get(database)!.version.get()!.data_version

/**
 * Rows of a query that is asked hundreds of times a second: building and compiling it would take longer than SQLite does.
 * @param text SQL made of constants only; what a caller controls goes into `values`
 */
export const readRows = <Row>(database: Database, text: string, values: readonly SQLQueryBindings[]): Row[] =>
  readers
    .get(database)!
    .sqlite.query<Row, SQLQueryBindings[]>(text)
    .all(...values)

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
      await migration.up(trx)
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
  for (const name of readdirSync(dataDirectory)) {
    const path = join(dataDirectory, name)
    if (name.startsWith("carrel.db.before-") && Date.now() - statSync(path).mtimeMs > COPY_KEPT_MS) rmSync(path)
  }
}

async function appliedMigrations(executor: Executor): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(executor)
  return rows.map(row => row.name)
}

/** True once every migration has run; part of readiness. */
export async function isMigrated(database: Database): Promise<boolean> {
  const applied = await appliedMigrations(database)
  return MIGRATIONS.every(migration => applied.includes(migration.name))
}
