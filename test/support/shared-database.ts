/** The migrated database of a cluster for one test file; undefined where the machine cannot run it. */
import { afterAll } from "bun:test"
import type { Database } from "../../src/storage/database.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { postgres } from "./engines.ts"

export async function sharedDatabase(): Promise<Database | undefined> {
  const url = await postgres()
  if (!url) return undefined
  const database = await openPostgres(url)
  afterAll(() => database.destroy())
  return database
}
