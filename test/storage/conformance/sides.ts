/** The two databases that every store is to do the same on. */
import { afterAll, describe } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setLogLevel } from "../../../src/log.ts"
import type { Database } from "../../../src/storage/database.ts"
import { openPostgres } from "../../../src/storage/postgres/open.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import { emptySchema, postgres } from "../../support/engines.ts"

/** Opens a new, empty database, which is closed after the file. */
export type Open = () => Promise<Database>

setLogLevel("error")
/** In a language whose order of letters is not that of their code points. */
const server = await postgres("de-DE")
const directory = mkdtempSync(join(tmpdir(), "carrel-conformance-"))
const opened: Database[] = []
afterAll(async () => {
  await Promise.all(opened.map(database => database.destroy()))
  rmSync(directory, { recursive: true, force: true })
})

const kept = async (opening: Promise<Database>): Promise<Database> => {
  const database = await opening
  opened.push(database)
  return database
}

export const SIDES: Record<string, Open | undefined> = {
  SQLite: () => kept(openSqlite(mkdtempSync(join(directory, "d-")))),
  PostgreSQL: server ? async () => kept(openPostgres(await emptySchema(server), { poolSize: 4 })) : undefined,
}

/** Runs the suite for each; where there is no PostgreSQL it is skipped there. */
export function onBoth(suite: (open: Open) => void): void {
  for (const [name, open] of Object.entries(SIDES))
    describe.skipIf(!open)(`on ${name}:`, () => suite(open ?? (() => Promise.reject(new Error("skipped")))))
}
