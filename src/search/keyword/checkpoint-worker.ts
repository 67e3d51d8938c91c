/** Copies the log of a SQLite file into the file itself. That waits for the disk, so a thread of its own does it. */
import { Database as Sqlite } from "bun:sqlite"
import { serveThread } from "../../threads/thread-side.ts"
import type { CheckpointTasks } from "./checkpoints.ts"

/** Longest wait for a query that still reads from the log; what it reads is copied and cut another time. */
const READERS_MS = 200

serveThread<CheckpointTasks>({
  copy({ path, cut }) {
    const sqlite = new Sqlite(path, { readwrite: true, create: false })
    try {
      sqlite.run("pragma wal_checkpoint(passive)") // waits for the disk, and nobody waits for it
      if (!cut) return { isCut: false }
      sqlite.run(`pragma busy_timeout = ${READERS_MS}`)
      const result = sqlite.query("pragma wal_checkpoint(truncate)").get() as { busy: number }
      return { isCut: result.busy === 0 }
    } finally {
      sqlite.close()
    }
  },
})
