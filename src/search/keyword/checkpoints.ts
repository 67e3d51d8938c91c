/**
 * Keeps the log of the keyword index short without the search worker waiting for the disk: a thread of its own copies it,
 * indexing and merging pause meanwhile, queries go on. SQLite would do it within the commit that makes the log too
 * long, and hold up every query: 344 ms beside a compaction of vectors, seconds on a slow disk.
 *
 * Whatever is written during a checkpoint is as safe as ever; the pause only lets the log be copied whole, after which
 * SQLite begins it anew.
 */
import { statSync } from "node:fs"
import { Trouble } from "../../log.ts"
import { ThreadClient } from "../../threads/thread-client.ts"

/** Length of the log at which it is copied: 4 MB, as SQLite has it. */
const LOG_BYTES = 4 * 2 ** 20
/** A thread without work ends after this. */
const IDLE_MS = 10_000
/** A disk in trouble is asked again after this. */
const RETRY_MS = 2_000
/** Longest wait at the end for a disk that hangs. */
const CLOSE_MS = 2_000

export interface CheckpointTasks {
  /** Copies the log into the file, and cuts it where that is asked and nobody reads from it. */
  copy: { ask: { path: string; cut: boolean }; answer: { isCut: boolean } }
}

export class Checkpoints {
  private thread: ThreadClient<CheckpointTasks> | undefined
  private underWay: Promise<void> | undefined
  private readonly trouble = new Trouble({
    begins: "the log of the keyword index cannot be copied; it grows meanwhile",
  })
  private retryAt = 0
  private isCut = false
  private idle: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly path: string) {}

  /** Resolves when none is under way; begins one when the log is long. Never rejects. */
  async settled(): Promise<void> {
    if (!this.underWay && performance.now() >= this.retryAt && this.logBytes() > LOG_BYTES) this.begin({ cut: false })
    await this.underWay
  }

  /**
   * Copies the log whatever its length and cuts it, so that nothing of what was removed stays in it. Never rejects.
   * @returns false when somebody read from it, or the disk is in trouble: it is to be cut another time
   */
  async cut(): Promise<boolean> {
    await this.underWay
    if (this.logBytes() === 0) return true
    this.isCut = false
    this.begin({ cut: true })
    await this.underWay
    return this.isCut
  }

  private begin(how: { cut: boolean }): void {
    this.underWay = this.run(how)
      .then(() => {
        this.trouble.clear()
      })
      .catch(error => {
        this.trouble.note(error)
        this.retryAt = performance.now() + RETRY_MS
      })
      .finally(() => {
        this.underWay = undefined
      })
  }

  /** Waits for one under way, if not for long. */
  async close(): Promise<void> {
    clearTimeout(this.idle)
    await this.thread?.close(CLOSE_MS)
  }

  private async run({ cut }: { cut: boolean }): Promise<void> {
    clearTimeout(this.idle)
    if (!this.thread || this.thread.ended)
      this.thread = new ThreadClient({
        entry: "search/keyword/checkpoint-worker",
        what: "the thread that copies the log of the keyword index",
      })
    const { thread } = this
    try {
      const { isCut } = await thread.ask("copy", { path: this.path, cut })
      this.isCut = isCut
    } finally {
      this.idle = setTimeout(() => void thread.close(), IDLE_MS)
    }
  }

  logBytes(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
}
