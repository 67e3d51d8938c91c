/**
 * A connection that reads in a thread of its own, for questions whose length a caller decides: filters, counts over a whole
 * library. They wait for each other, and nothing else waits for them. The thread begins with the first question.
 */
import { ThreadClient } from "../../threads/thread-client.ts"
import type { Value } from "../database.ts"

export interface ReaderTasks {
  open: { ask: string; answer: undefined }
  read: { ask: { text: string; values: readonly Value[] }; answer: unknown[] }
  close: { ask: undefined; answer: undefined }
}

export class Reader {
  private thread: ThreadClient<ReaderTasks> | undefined

  constructor(private readonly path: string) {}

  read(text: string, values: readonly Value[]): Promise<unknown[]> {
    return this.open().ask("read", { text, values })
  }

  async close(): Promise<void> {
    const { thread } = this
    this.thread = undefined
    await thread?.ask("close", undefined).catch(() => {}) // a thread that failed has nothing left to close
    await thread?.close()
  }

  /** One that died is followed by another. */
  private open(): ThreadClient<ReaderTasks> {
    if (this.thread && !this.thread.ended) return this.thread
    const what = "the thread that reads the database"
    const thread = new ThreadClient<ReaderTasks>({ entry: "storage/sqlite/reader-worker", what })
    this.thread = thread
    thread.ask("open", this.path).catch(() => {}) // the question that follows tells of it
    return thread
  }
}
