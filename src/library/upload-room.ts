/** Bounds on taking files in, so that neither open connections nor the queue grow without end. */
import { AppError } from "../errors.ts"
import { INDEX_FILE } from "../ingest/task.ts"
import type { JobQueue } from "../jobs/queue.ts"
import { Gate } from "../threads/gate.ts"

export interface UploadLimits {
  /** Uploads received at the same time. */
  uploads: number
  /** Files that wait to be indexed; at that many, no more are taken in. */
  queuedFiles: number
}

/** What one key may hold of the places. */
const SHARE = 3 / 4
/** With so many of the places taken others may soon be refused; well below what one key holds, so that one that leaves ends no crowd. */
const CROWDED = 1 / 2
/** Seconds after which asking again makes sense. */
const RETRY_UPLOAD_S = 5
const RETRY_QUEUE_S = 30

export class UploadRoom {
  private readonly gate: Gate

  constructor(
    private readonly queue: JobQueue,
    private readonly limits: UploadLimits,
  ) {
    this.gate = new Gate({
      places: limits.uploads,
      placesPerKey: Math.ceil(limits.uploads * SHARE),
      waiting: 0,
      refusal: "too many uploads are under way",
      retryAfterSeconds: RETRY_UPLOAD_S,
    })
  }

  get isCrowded(): boolean {
    return this.gate.load.running >= this.limits.uploads * CROWDED
  }

  /** Holds a place of the key while `receive` runs. @throws AppError overloaded before it runs */
  async hold<T>(keyId: string, receive: () => Promise<T>): Promise<T> {
    const place = this.gate.enter(keyId)
    try {
      if ((await this.queue.count(INDEX_FILE)) >= this.limits.queuedFiles)
        throw new AppError("overloaded", {
          message: "too many files are waiting to be indexed",
          hint: "more readers (--index-workers) index faster; --max-queued-files lets more wait",
          retryAfter: RETRY_QUEUE_S,
        })
      return await receive()
    } finally {
      place.leave()
    }
  }
}
