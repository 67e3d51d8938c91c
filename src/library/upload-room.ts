/** Bounds on taking files in, so that neither open connections nor the queue grow without end. */
import { AppError } from "../errors.ts"
import { INDEX_FILE } from "../ingest/task.ts"
import type { JobQueue } from "../jobs/queue.ts"

export interface UploadLimits {
  /** Uploads received at the same time. */
  uploads: number
  /** Files that wait to be indexed; at that many, no more are taken in. */
  queuedFiles: number
}

/** Seconds after which asking again makes sense. */
const RETRY_UPLOAD_S = 5
const RETRY_QUEUE_S = 30

export class UploadRoom {
  private receiving = 0

  constructor(
    private readonly queue: JobQueue,
    private readonly limits: UploadLimits,
  ) {}

  /** Holds a place while `receive` runs. @throws AppError overloaded before it runs */
  async hold<T>(receive: () => Promise<T>): Promise<T> {
    if (this.receiving >= this.limits.uploads)
      throw new AppError("overloaded", { message: "too many uploads are under way", retryAfter: RETRY_UPLOAD_S })
    this.receiving++
    try {
      if ((await this.queue.count(INDEX_FILE)) >= this.limits.queuedFiles)
        throw new AppError("overloaded", {
          message: "too many files wait to be indexed",
          hint: "more readers (--index-workers) index faster; --max-queued-files lets more wait",
          retryAfter: RETRY_QUEUE_S,
        })
      return await receive()
    } finally {
      this.receiving--
    }
  }
}
