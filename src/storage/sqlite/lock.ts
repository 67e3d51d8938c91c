/** One daemon per data directory: an exclusive SQLite lock, which the system drops with the process, however it ends. */
import { SQLiteError, Database as Sqlite } from "bun:sqlite"
import { accessSync, closeSync, constants, fsyncSync, mkdirSync, openSync, rmSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../errors.ts"
import { DataDirectoryError, exists, needAccess } from "../access.ts"

/** How long a start waits for a command that just looks whether a daemon runs. */
const LOOK_MS = 1_000

/** @throws AppError conflict when another daemon holds it; DataDirectoryError when nothing can be written there */
export function lockDirectory(dataDirectory: string): { release(): void } {
  const sqlite = openLock(dataDirectory)
  try {
    sqlite.exec(`PRAGMA busy_timeout = ${LOOK_MS}`)
    sqlite.exec("PRAGMA journal_mode = DELETE")
    sqlite.exec("BEGIN EXCLUSIVE")
  } catch (cause) {
    sqlite.close()
    if (!isBusy(cause)) throw cause
    throw new AppError("conflict", { message: `another Carrel is running on ${dataDirectory}`, cause })
  }
  return {
    release() {
      sqlite.exec("ROLLBACK")
      sqlite.close()
    },
  }
}

/** Whether a daemon, or a command that needs it stopped, holds the directory now. @throws DataDirectoryError */
export function isHeld(dataDirectory: string): boolean {
  const path = join(dataDirectory, "lock")
  if (!exists(path)) return false
  needAccess(path)
  const sqlite = new Sqlite(path, { readonly: true })
  try {
    sqlite.query("select 1 from sqlite_master").all()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    sqlite.close()
  }
}

/** Another connection holds what is asked for. */
const isBusy = (error: unknown): boolean =>
  error instanceof SQLiteError && (error.code === "SQLITE_BUSY" || error.code === "SQLITE_LOCKED")

/** A file system that turned read-only after an error still says that it may be written. */
function writeSomething(path: string): void {
  const file = openSync(path, "w", 0o600)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

function openLock(dataDirectory: string): Sqlite {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    accessSync(dataDirectory, constants.R_OK | constants.W_OK)
    writeSomething(join(dataDirectory, `write-test-${process.pid}`))
    return new Sqlite(join(dataDirectory, "lock"), { create: true })
  } catch (cause) {
    const reason = (cause as { code?: string }).code ?? String(cause)
    throw new DataDirectoryError(`the data directory ${dataDirectory} cannot be written (${reason})`, {
      hint: "make it a writable directory of the user that runs Carrel, or name another with --data",
      cause,
    })
  }
}
