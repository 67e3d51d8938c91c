/** Copies the log of a SQLite file into the file itself. That waits for the disk, so a thread of its own does it. */
import { Database as Sqlite } from "bun:sqlite"
import type { CheckpointReply } from "./checkpoints.ts"

declare const self: Worker

self.onmessage = (event: MessageEvent<string>) => {
  let error: string | null = null
  try {
    const sqlite = new Sqlite(event.data, { readwrite: true, create: false })
    sqlite.run("pragma wal_checkpoint(passive)")
    sqlite.close()
  } catch (cause) {
    error = String(cause)
  }
  self.postMessage({ error } satisfies CheckpointReply)
}
