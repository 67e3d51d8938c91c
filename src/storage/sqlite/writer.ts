/**
 * The one connection that writes, seen from the main thread. It lives in a thread of its own: a commit waits until the
 * disk has it, and on a disk that is slow, or hangs, nothing else is to wait with it.
 */
import { ThreadClient } from "../../threads/thread-client.ts"
import { errorOf, type Failure } from "../../threads/thread-side.ts"

/** Takes the write lock at once: a transaction that asks for it at its first change does not wait for another process. */
export const BEGIN = "begin immediate"
export const COMMIT = "commit"
export const ROLLBACK = "rollback"
/** Copies the log into the database and cuts it, unless somebody reads from it for long. */
export const EMPTY_LOG = "pragma wal_checkpoint(truncate)"
/** Longest wait for another process (the command line beside a daemon) that holds the write lock. */
export const BUSY_TIMEOUT_MS = 10_000

export interface Written {
  rows: unknown[]
  changes: number
  lastInsertRowid: number
  /** Something was made durable. */
  committed: boolean
}

/** What the thread did, and how long it was busy with it: one that failed has waited for the disk as well. */
export type WriteOutcome = { tookMs: number } & ({ written: Written } | { failure: Failure })

export interface WriterTasks {
  open: { ask: string; answer: undefined }
  run: { ask: { sql: string; parameters: readonly unknown[] }; answer: WriteOutcome }
  close: { ask: undefined; answer: undefined }
}

export class Writer {
  private readonly thread = new ThreadClient<WriterTasks>({
    entry: "storage/sqlite/writer-worker",
    what: "the thread that writes the database",
  })

  /** `committed` is told how long each statement took that made something durable, or failed. */
  private constructor(private readonly committed: (tookMs: number) => void) {}

  /** Opens or creates the database. */
  static async open(path: string, committed: (tookMs: number) => void): Promise<Writer> {
    const writer = new Writer(committed)
    try {
      await writer.thread.ask("open", path)
    } catch (error) {
      await writer.thread.close()
      throw error
    }
    return writer
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<Written> {
    const outcome = await this.thread.ask("run", { sql, parameters })
    const failed = "failure" in outcome
    if (failed || outcome.written.committed) this.committed(outcome.tookMs)
    if (failed) throw errorOf(outcome.failure)
    return outcome.written
  }

  async close(): Promise<void> {
    await this.thread.ask("close", undefined).catch(() => {}) // a thread that failed has nothing left to close
    await this.thread.close()
  }
}
