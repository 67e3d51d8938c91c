/**
 * What nodes that share a database go by: its clock, and turns at what is read and then written. With SQLite there is one
 * process: its own clock will do, and its transactions take turns by themselves.
 */
import { type RawBuilder, sql } from "kysely"
import type { Database, Executor } from "./database.ts"
import { isPostgres } from "./words.ts"

const FORM = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'

/** What the clock shows `afterMs` from now, as ISO-8601, to stand in a statement. */
export const timeOf = (executor: Executor, afterMs = 0): RawBuilder<string> =>
  isPostgres(executor)
    ? sql<string>`to_char((statement_timestamp() + ${sql.lit(afterMs)} * interval '1 millisecond') at time zone 'UTC',
        ${sql.lit(FORM)})`
    : sql<string>`${new Date(Date.now() + afterMs).toISOString()}`

/** Key of what is decided by looking at all users and all memberships, such as who is the last administrator. */
export const PEOPLE = "people"

/**
 * To be called first in a transaction that reads what it then decides by: others with one of the same keys wait until it
 * ends. Without it, two that run at the same time would not see each other on PostgreSQL. On SQLite transactions never do.
 * @param keys ids of the workspaces or conversations that it is about, or a word for what all share
 */
export async function inOrder(trx: Executor, ...keys: string[]): Promise<void> {
  if (!isPostgres(trx)) return
  // In an order that all have in common, so that two which share several do not wait for each other.
  const sorted = [...new Set(keys)].sort()
  await sql`select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${sorted}::text[]) as key`.execute(trx)
}

/** Carries out one statement that others of the same key wait for. */
export const inTurn = <T>(
  database: Database,
  key: string,
  statement: (executor: Executor) => Promise<T>,
): Promise<T> =>
  isPostgres(database)
    ? database.transaction().execute(async trx => {
        await inOrder(trx, key)
        return statement(trx)
      })
    : statement(database)

/** Ends a `select` of rows to be changed: those that others have in hand at this moment are left for the next time. */
export const unlocked = (executor: Executor): RawBuilder<unknown> =>
  isPostgres(executor) ? sql`for update skip locked` : sql``
