/**
 * The one relational database: SQLite in the data directory (`sqlite/`), or the PostgreSQL of a cluster (`postgres/`); both
 * through Kysely. Keep transactions short: no await on anything but the database inside one.
 */
import { type Kysely, sql, type Transaction } from "kysely"
import { OperatorError } from "../errors.ts"
import { MIGRATIONS } from "./migrations/index.ts"
import type { Schema } from "./schema.ts"

export type Database = Kysely<Schema>
export type Trx = Transaction<Schema>
/** What a query can run on: the database itself or a transaction of it. */
export type Executor = Database | Trx

/** What is said of a database with a migration that this version does not know. */
export const writtenByNewer = (migration: string, what = "the data directory"): OperatorError =>
  new OperatorError(`${what} was written by a newer version of Carrel (it has the migration ${migration})`, {
    hint: "use that version, or restore a backup that this version made",
  })

export async function appliedMigrations(executor: Executor): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(executor)
  return rows.map(row => row.name)
}

/** True once every migration has run; part of readiness. */
export async function isMigrated(database: Database): Promise<boolean> {
  const applied = await appliedMigrations(database)
  return MIGRATIONS.every(migration => applied.includes(migration.name))
}

/** What a kind of database knows that Kysely has no words for. */
export interface DirectReads {
  changeMark(): number | undefined
  rows(text: string, values: readonly Value[]): unknown[] | Promise<unknown[]>
  apart(text: string, values: readonly Value[]): Promise<unknown[]>
}

export type Value = string | number | null

const directReads = new WeakMap<Database, DirectReads>()

/** Said once for each database that is opened. */
export const readDirectly = (database: Database, reads: DirectReads): void => void directReads.set(database, reads)

/** The same for a database that stands for another one, of which every row is first given to `opened`. */
export function keepDirectReads(of: Database, through: Database, opened: OpenRows): void {
  const { changeMark, rows, apart } = directReads.get(of)!
  readDirectly(through, {
    changeMark,
    rows: async (text, values) => opened((await rows(text, values)) as object[]),
    apart: async (text, values) => opened((await apart(text, values)) as object[]),
  })
}

type OpenRows = (rows: object[]) => Promise<object[]> | object[]

/**
 * A number that is another one after every commit, whoever made it: this process or a command beside it. What was read
 * holds as long as it stands still. A database that cannot tell has none: nothing of it may be kept.
 */
export const changeMark = (database: Database): number | undefined => directReads.get(database)!.changeMark()

/**
 * Rows of a query that is asked hundreds of times a second: building and compiling it would take longer than SQLite does,
 * which has them at once.
 * @param text SQL made of constants only, with `?` for each of `values`, which are what a caller controls
 */
export const readRows = async <Row>(database: Database, text: string, values: readonly Value[]): Promise<Row[]> =>
  (await directReads.get(database)!.rows(text, values)) as Row[]

/** The same for a query whose length a caller decides, such as one with a filter: nothing else waits while it is answered. */
export const readApart = async <Row>(database: Database, text: string, values: readonly Value[]): Promise<Row[]> =>
  (await directReads.get(database)!.apart(text, values)) as Row[]
