/**
 * Keeps the log of the keyword index short without the search worker waiting for the disk: a thread of its own copies it,
 * indexing and merging pause meanwhile, queries go on. SQLite would do it within the commit that makes the log too
 * long, and hold up every query: 344 ms beside a compaction of vectors, seconds on a slow disk.
 *
 * Whatever is written during a checkpoint is as safe as ever; the pause only lets the log be copied whole, after which
 * SQLite begins it anew.
 */
import { statSync } from "node:fs"
import { log } from "../../log.ts"
import { workerUrl } from "../../native/self.ts"

/** Length of the log at which it is copied: 4 MB, as SQLite has it. */
const LOG_BYTES = 4 * 2 ** 20
/** A thread without work ends after this. */
const IDLE_MS = 10_000
/** A disk in trouble is asked again after this. */
const RETRY_MS = 2_000
/** Longest wait at the end for a disk that hangs. */
const CLOSE_MS = 2_000

export interface CheckpointRequest {
  path: string
  /** The log is cut as well, not only copied. */
  cut: boolean
}

export interface CheckpointReply {
  error: string | null
  isCut?: boolean
}

export class Checkpoints {
  private worker: Worker | undefined
  private underWay: Promise<void> | undefined
  /** Said once until it works again. */
  private failing = false
  private retryAt = 0
  private isCut = false
  private idle: ReturnType<typeof setTimeout> | undefined
  private settle: (reply: CheckpointReply) => void = () => {}

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
        this.failing = false
      })
      .catch(error => {
        if (!this.failing) log.warn("the log of the keyword index cannot be copied; it grows meanwhile", { error })
        this.failing = true
        this.retryAt = performance.now() + RETRY_MS
      })
      .finally(() => {
        this.underWay = undefined
      })
  }

  /** Ended within a call of SQLite a thread could take the process with it: waits for one under way, if not for long. */
  async close(): Promise<void> {
    await Promise.race([this.underWay, Bun.sleep(CLOSE_MS)])
    this.end()
  }

  private end(): void {
    clearTimeout(this.idle)
    this.worker?.terminate()
    this.worker = undefined
  }

  private async run({ cut }: { cut: boolean }): Promise<void> {
    clearTimeout(this.idle)
    this.worker ??= this.startThread()
    const answer = Promise.withResolvers<CheckpointReply>()
    this.settle = answer.resolve
    this.worker.postMessage({ path: this.path, cut } satisfies CheckpointRequest)
    try {
      const { error, isCut } = await answer.promise
      if (error) throw new Error(error)
      this.isCut = isCut ?? false
      this.idle = setTimeout(() => this.end(), IDLE_MS)
    } catch (error) {
      this.end()
      throw error
    }
  }

  private startThread(): Worker {
    const worker = new Worker(workerUrl("search/keyword/checkpoint-worker"))
    const hear = (reply: CheckpointReply) => {
      if (this.worker === worker) this.settle(reply) // not of one that was ended when idle
    }
    worker.onmessage = (event: MessageEvent<CheckpointReply>) => hear(event.data)
    worker.onerror = event => hear({ error: event.message })
    // A thread may end without a word; indexing must not wait for it for ever.
    worker.addEventListener("close", () => hear({ error: "the thread ended" }))
    return worker
  }

  logBytes(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
}
