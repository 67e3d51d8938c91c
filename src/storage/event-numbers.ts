import { sql } from "kysely"
import type { Database } from "./database.ts"
import { isPostgres } from "./words.ts"

/** New events are numbered on behind those that were brought in with their numbers; SQLite sees to that by itself. */
export async function continueEvents(database: Database): Promise<void> {
  const counter = sql`pg_get_serial_sequence('events', 'seq')`
  if (isPostgres(database))
    await sql`select setval(${counter}, greatest(nextval(${counter}), (select max(seq) from events)))`.execute(database)
}
