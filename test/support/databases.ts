/** Both kinds of database, for what must be alike on both. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Database } from "../../src/storage/database.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { postgres } from "./engines.ts"

export interface DatabaseKind {
  name: string
  /** An empty one; the end of the stack removes it. */
  open(stack: AsyncDisposableStack): Promise<Database>
}

/** To be awaited at the top of the file: SQLite, and PostgreSQL where the machine can run it. */
export async function databases(): Promise<DatabaseKind[]> {
  const server = await postgres()
  return [{ name: "SQLite", open: openInFolder }, ...(server ? [{ name: "PostgreSQL", open: inSchemaOf(server) }] : [])]
}

async function openInFolder(stack: AsyncDisposableStack): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), "carrel-database-"))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const database = await openSqlite(folder)
  stack.defer(() => database.destroy())
  return database
}

/** Each has a schema of its own: quicker than a database. */
const inSchemaOf =
  (server: string): DatabaseKind["open"] =>
  async stack => {
    const database = await openPostgres(await emptySchema(server))
    stack.defer(() => database.destroy())
    return database
  }

/** URL of a new schema in the database, to be opened several times where several nodes are needed. */
export async function emptySchema(server: string): Promise<string> {
  const name = `s${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const sql = new Bun.SQL(server, { max: 1 })
  await sql.unsafe(`create schema ${name}`).finally(() => sql.close())
  const url = new URL(server)
  url.searchParams.set("options", `-csearch_path=${name}`)
  return url.href
}
