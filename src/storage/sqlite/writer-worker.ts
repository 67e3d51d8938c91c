/** The connection that writes, in a thread of its own. One request after the other, in the order in which they came. */
import { Database as Sqlite } from "bun:sqlite"
import { type Failure, failureOf, serveThread } from "../../threads/thread-side.ts"
import { BUSY_TIMEOUT_MS, COMMIT, EMPTY_LOG, ROLLBACK, type WriterTasks, type Written } from "./writer.ts"

/** Longest wait for readers before the log is emptied another time. */
const READERS_MS = 100

let sqlite: Sqlite

serveThread<WriterTasks>({
  open: path => {
    sqlite = open(path)
  },
  run: ({ sql, parameters }) => {
    const began = performance.now()
    const outcome = attempt(() => write(sqlite, sql, parameters))
    return { ...outcome, tookMs: performance.now() - began }
  },
  close: () => {
    sqlite.close()
  },
})

function attempt(act: () => Written): { written: Written } | { failure: Failure } {
  try {
    return { written: act() }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

function open(path: string): Sqlite {
  const opened = new Sqlite(path, { create: true, strict: false })
  opened.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  opened.run("PRAGMA journal_mode = WAL")
  opened.run("PRAGMA synchronous = FULL") // a commit that was acknowledged survives power loss
  opened.run("PRAGMA secure_delete = ON") // what is deleted is overwritten
  opened.run("PRAGMA foreign_keys = ON")
  opened.run("PRAGMA temp_store = MEMORY") // no file outside the data directory
  return opened
}

/** Statements are cached by Bun per SQL text. */
function write(database: Sqlite, sql: string, parameters: readonly unknown[]): Written {
  // A disk in trouble makes SQLite roll back by itself; the error that tells of it must not be lost for another.
  if (sql === ROLLBACK && !database.inTransaction) return { rows: [], changes: 0, lastInsertRowid: 0, committed: false }
  if (sql === EMPTY_LOG) return emptyLog(database)
  const statement = database.query(sql)
  if (statement.columnNames.length > 0) {
    const rows = statement.all(...(parameters as never[]))
    return { rows, changes: 0, lastInsertRowid: 0, committed: rows.length > 0 && !database.inTransaction }
  }
  const { changes, lastInsertRowid } = statement.run(...(parameters as never[]))
  const committed = (changes > 0 || sql === COMMIT) && !database.inTransaction
  return { rows: [], changes, lastInsertRowid: Number(lastInsertRowid), committed }
}

/** Whoever writes waits meanwhile, so it gives up soon: a backup reads for minutes. */
function emptyLog(database: Sqlite): Written {
  database.run(`PRAGMA busy_timeout = ${READERS_MS}`)
  try {
    return { rows: database.query(EMPTY_LOG).all(), changes: 0, lastInsertRowid: 0, committed: false }
  } finally {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}
