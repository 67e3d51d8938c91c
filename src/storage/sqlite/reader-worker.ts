/** The connection that reads in a thread of its own. One question after the other. */
import { Database as Sqlite } from "bun:sqlite"
import { serveThread } from "../../threads/thread-side.ts"
import type { ReaderTasks } from "./reader.ts"
import { BUSY_TIMEOUT_MS } from "./writer.ts"

let sqlite: Sqlite

serveThread<ReaderTasks>({
  open: path => {
    sqlite = new Sqlite(path, { readonly: true })
    sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    sqlite.run("PRAGMA temp_store = MEMORY") // no file outside the data directory
  },
  read: ({ text, values }) => {
    // Not kept: every filter has a text of its own.
    const statement = sqlite.prepare(text)
    try {
      return statement.all(...values)
    } finally {
      statement.finalize()
    }
  },
  close: () => {
    sqlite.close()
  },
})
