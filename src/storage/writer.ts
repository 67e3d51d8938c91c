/**
 * The one connection that writes, seen from the main thread. It lives in a thread of its own: a commit waits until the
 * disk has it, and on a disk that is slow, or hangs, nothing else is to wait with it.
 */
import { workerUrl } from "../native/self.ts"

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

export interface WriteFailure {
  name: string
  message: string
  code?: string
}

type Ask = { open: string } | { sql: string; parameters: readonly unknown[] } | { close: true }
export type WriteRequest = { id: number } & Ask

/** `tookMs`: what the thread was busy with it. */
export type WriteReply = { id: number; tookMs: number } & ({ written: Written } | { failure: WriteFailure })

/** The browser's types are in the way of Bun's. */
type BunWorker = Worker & { ref(): void; unref(): void }

interface Waiting {
  resolve(written: Written): void
  reject(error: Error): void
}

export class Writer {
  private readonly worker = new Worker(workerUrl("storage/writer-worker")) as BunWorker
  private readonly waiting = new Map<number, Waiting>()
  private nextId = 1
  private failed: Error | undefined

  /** `tookMs` is told of each statement that made something durable, or tried to. */
  private constructor(private readonly committed: (tookMs: number) => void) {
    this.worker.unref()
    this.worker.onmessage = (event: MessageEvent<WriteReply>) => this.settle(event.data)
    this.worker.onerror = event => this.fail(event.message)
    this.worker.addEventListener("close", () => this.fail("the thread ended"))
  }

  /** Opens or creates the database. */
  static async open(path: string, committed: (tookMs: number) => void): Promise<Writer> {
    const writer = new Writer(committed)
    try {
      await writer.ask({ open: path })
    } catch (error) {
      writer.worker.terminate()
      throw error
    }
    return writer
  }

  run(sql: string, parameters: readonly unknown[] = []): Promise<Written> {
    return this.ask({ sql, parameters })
  }

  async close(): Promise<void> {
    await this.ask({ close: true }).catch(() => {}) // a thread that failed has nothing left to close
    this.failed ??= new Error("the database is closed")
    this.worker.terminate()
  }

  private ask(request: Ask): Promise<Written> {
    if (this.failed) return Promise.reject(this.failed)
    const id = this.nextId++
    if (this.waiting.size === 0) this.worker.ref() // a command must not end before its answer is there
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.worker.postMessage({ id, ...request } satisfies WriteRequest)
    })
  }

  private settle(reply: WriteReply): void {
    const waiting = this.waiting.get(reply.id)
    this.waiting.delete(reply.id)
    if (this.waiting.size === 0) this.worker.unref()
    if ("failure" in reply) {
      const { message, ...rest } = reply.failure
      this.committed(reply.tookMs) // one that failed has waited for the disk as well
      waiting?.reject(Object.assign(new Error(message), rest))
    } else {
      if (reply.written.committed) this.committed(reply.tookMs)
      waiting?.resolve(reply.written)
    }
  }

  private fail(reason: string): void {
    if (this.failed) return
    this.failed = new Error(`the thread that writes the database failed: ${reason}`)
    for (const { reject } of this.waiting.values()) reject(this.failed)
    this.waiting.clear()
  }
}
