/**
 * What nodes that share a database go by: its clock, and turns at what is read and then written. With SQLite there is one
 * process: its own clock will do, and its transactions take turns by themselves.
 */
import { PostgresAdapter, type RawBuilder, sql } from "kysely"
import type { Executor } from "./database.ts"

const isPostgres = (executor: Executor): boolean => executor.getExecutor().adapter instanceof PostgresAdapter

/** What the clock shows `afterMs` from now, as ISO-8601, to stand in a statement. */
export const timeOf = (executor: Executor, afterMs = 0): RawBuilder<string> =>
  isPostgres(executor)
    ? sql<string>`to_char((clock_timestamp() + ${afterMs}::float8 * interval '1 millisecond') at time zone 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql<string>`${new Date(Date.now() + afterMs).toISOString()}`

/** Key of what is decided by looking at all users and all memberships, such as who is the last administrator. */
export const PEOPLE = "people"

/**
 * To be called first in a transaction that reads what it then decides by: others with the same key wait until it ends.
 * Without it, two that run at the same time would not see each other on PostgreSQL. On SQLite transactions never do.
 * @param key id of the workspace or conversation that it is about, or a word for what all share
 */
export async function inOrder(trx: Executor, key: string): Promise<void> {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx)
}
