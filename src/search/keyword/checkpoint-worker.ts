/** Copies the log of a SQLite file into the file itself. That waits for the disk, so a thread of its own does it. */
import { Database as Sqlite } from "bun:sqlite"
import type { CheckpointReply, CheckpointRequest } from "./checkpoints.ts"

/** Longest wait for a query that still reads from the log; what it reads is copied and cut another time. */
const READERS_MS = 200

declare const self: Worker

self.onmessage = ({ data: { path, cut } }: MessageEvent<CheckpointRequest>) => {
  let error: string | null = null
  let isCut = false
  try {
    const sqlite = new Sqlite(path, { readwrite: true, create: false })
    sqlite.run("pragma wal_checkpoint(passive)") // waits for the disk, and nobody waits for it
    if (cut) {
      sqlite.run(`pragma busy_timeout = ${READERS_MS}`)
      const result = sqlite.query("pragma wal_checkpoint(truncate)").get() as { busy: number }
      isCut = result.busy === 0
    }
    sqlite.close()
  } catch (cause) {
    error = String(cause)
  }
  self.postMessage({ error, isCut } satisfies CheckpointReply)
}
