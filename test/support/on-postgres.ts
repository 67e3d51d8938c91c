/**
 * `CARREL_TEST_DATABASE=postgres`: tests of this process that open the database of a data directory get a PostgreSQL one, a
 * schema for each directory, so that the same tests say the same of both. Not to be run so is what looks for passages, because
 * search reads SQLite itself; what starts a daemon as a process, which has a database of its own; and what sets the clock of
 * the process, because jobs go by the database's.
 */
import { afterAll, mock } from "bun:test"
import type { Database } from "../../src/storage/database.ts"
import { MIGRATIONS } from "../../src/storage/migrations/index.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import * as sqlite from "../../src/storage/sqlite/open.ts"
import { emptySchema, postgres } from "./engines.ts"

const url = await postgres()
if (!url) throw new Error("CARREL_TEST_DATABASE=postgres: there is no PostgreSQL to test with")
const opened: Database[] = []
const schemas = new Map<string, Promise<string>>()

mock.module("../../src/storage/sqlite/open.ts", () => ({ ...sqlite, openSqlite }))
afterAll(() => Promise.all(opened.map(database => database.destroy())))

async function openSqlite(dataDirectory: string, migrations = MIGRATIONS): Promise<Database> {
  const schema = schemas.get(dataDirectory) ?? emptySchema(url!)
  schemas.set(dataDirectory, schema)
  const database = await openPostgres(await schema, { poolSize: 4 }, migrations)
  opened.push(database)
  return database
}
