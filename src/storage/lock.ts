/** One daemon per data directory: an exclusive SQLite lock, which the system drops with the process, however it ends. */
import { Database as Sqlite } from "bun:sqlite"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../errors.ts"

/** @throws AppError conflict when another daemon holds it */
export function lockDirectory(dataDirectory: string): { release(): void } {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const sqlite = new Sqlite(join(dataDirectory, "lock"), { create: true })
  try {
    sqlite.exec("PRAGMA journal_mode = DELETE")
    sqlite.exec("BEGIN EXCLUSIVE")
  } catch (cause) {
    sqlite.close()
    if (!/locked|busy/i.test(String(cause))) throw cause
    throw new AppError("conflict", { message: `another Carrel runs on ${dataDirectory}`, cause })
  }
  return {
    release() {
      sqlite.exec("ROLLBACK")
      sqlite.close()
    },
  }
}
