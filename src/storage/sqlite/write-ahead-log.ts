/**
 * Empties the database's log when it was written to. SQLite leaves what was written there until it begins the log anew,
 * which on a quiet day is never: a deleted text would stay in it.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { sql } from "kysely"
import type { Database } from "../database.ts"
import { EMPTY_LOG } from "./writer.ts"

const INTERVAL_MS = 10_000

/** @returns what ends it */
export function keepLogEmpty(database: Database, dataDirectory: string): () => void {
  const path = join(dataDirectory, "carrel.db-wal")
  let running = false
  const timer = setInterval(async () => {
    if (running || !statSync(path, { throwIfNoEntry: false })?.size) return
    running = true
    await emptyLog(database).catch(() => {}) // a disk in trouble says so to those who write; the log is emptied another time
    running = false
  }, INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** @returns false where somebody reads from it: it is to be emptied another time */
export async function emptyLog(database: Database): Promise<boolean> {
  const { rows } = await sql.raw<{ busy: number }>(EMPTY_LOG).execute(database)
  return rows[0]?.busy === 0
}
