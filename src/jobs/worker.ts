/**
 * Runs the jobs of one task, several at a time, keeping each lease alive while its job runs. A disk in trouble is no
 * fault of a job: what it stops is handed back with no attempt counted, and nothing is leased until the pause is over.
 */
import { log } from "../log.ts"
import { jobSeconds } from "../metrics.ts"
import { type Job, type JobQueue, LEASE_MS } from "./queue.ts"

/** How soon a job becomes noticed whose back-off ended; new work is announced at once. */
const POLL_MS = 1_000
/** A disk in trouble is asked again after this. */
const TROUBLE_PAUSE_MS = 2_000
/** A job that the disk stopped lets others go first. */
const TROUBLE_WAIT_MS = 5_000

/** Does the job, including `complete` in its own transaction. `signal` aborts on a lost lease and on shutdown. */
export type JobHandler = (job: Job, signal: AbortSignal) => Promise<void>

export class JobWorker {
  private readonly running = new Map<Job, { abort: AbortController; done: Promise<void> }>()
  private stopping = false
  private wake: () => void = () => {}
  private loop: Promise<void> | undefined
  private forget: (() => void) | undefined
  /** The disk would not even take back these. */
  private readonly owed: { job: Job; waitMs: number }[] = []
  /** Set while the disk is in trouble, which is said once. */
  private troubled = false
  private pausedUntil = 0

  constructor(
    private readonly queue: JobQueue,
    private readonly task: string,
    private readonly concurrency: number,
    private readonly handle: JobHandler,
    /** Whether a job failed for the disk's sake alone. */
    private readonly isDisksFault: (error: unknown) => Promise<boolean> = async () => false,
  ) {}

  start(): void {
    this.forget = this.queue.onWork(() => this.wake())
    this.loop = this.run()
  }

  /** Jobs at work. */
  get active(): number {
    return this.running.size
  }

  /** Aborts what runs, hands it back and returns when all have let go. */
  async stop(): Promise<void> {
    this.stopping = true
    this.forget?.()
    this.wake()
    const tasks = [...this.running.values()]
    for (const { abort } of tasks) abort.abort(new Error("shutting down"))
    await Promise.allSettled(tasks.map(({ done }) => done))
    await this.loop
    await this.giveBackOwed().catch(() => {}) // free again at the next start
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const woken = new Promise<void>(resolve => {
        this.wake = resolve
      })
      const pause = await this.fill()
      if (this.stopping) return
      await Promise.race([woken, Bun.sleep(pause)])
    }
  }

  /** Leases until all places are taken or nothing is due; returns how long to wait then. */
  private async fill(): Promise<number> {
    try {
      await this.giveBackOwed()
      while (!this.stopping && this.running.size < this.concurrency && performance.now() >= this.pausedUntil) {
        const held = [...this.running.keys()].map(job => job.leaseToken)
        const job = await this.queue.lease(this.task, held)
        if (!job) break
        if (this.stopping)
          await this.queue.handBack(job) // the stop came while the disk took the lease
        else this.begin(job)
      }
      return POLL_MS
    } catch (error) {
      this.pause(error)
      return TROUBLE_PAUSE_MS
    }
  }

  private pause(error: unknown): void {
    this.pausedUntil = performance.now() + TROUBLE_PAUSE_MS
    if (!this.troubled) log.error("the disk is in trouble: jobs wait", { task: this.task, error })
    this.troubled = true
  }

  private resume(): void {
    if (this.troubled) log.info("the disk works again: jobs go on", { task: this.task })
    this.troubled = false
  }

  private async giveBackOwed(): Promise<void> {
    for (let owed = this.owed[0]; owed; owed = this.owed[0]) {
      await this.queue.handBack(owed.job, owed.waitMs)
      this.owed.shift()
    }
  }

  private begin(job: Job): void {
    const abort = new AbortController()
    const heartbeat = setInterval(async () => {
      const held = await this.queue.renew(job).catch(() => true) // a disk in trouble is not a lost lease
      if (!held) abort.abort(new Error("the lease was lost"))
    }, LEASE_MS / 3)
    const began = performance.now()
    const done = this.handle(job, abort.signal)
      .then(() => {
        this.resume()
        return "done"
      })
      .catch(error => this.settle(job, abort.signal, error))
      .then(outcome => jobSeconds.observe({ task: this.task, outcome }, (performance.now() - began) / 1000))
      .finally(() => {
        clearInterval(heartbeat)
        this.running.delete(job)
        this.wake()
      })
    this.running.set(job, { abort, done })
  }

  /** The handler threw: hand back on shutdown, else try again later. Handlers deal with final failures themselves. */
  private async settle(job: Job, signal: AbortSignal, error: unknown): Promise<"handed_back" | "retried"> {
    const waits = !signal.aborted && (await this.isDisksFault(error))
    if (waits) this.pause(error)
    const waitMs = waits ? TROUBLE_WAIT_MS : 0
    try {
      if (waits || signal.aborted) {
        await this.queue.handBack(job, waitMs)
        return "handed_back"
      }
      log.warn("job failed", { task: job.task, subject: job.subject, attempt: job.attempts, error })
      await this.queue.retryLater(job, String(error))
      return "retried"
    } catch (failure) {
      this.pause(failure)
      this.owed.push({ job, waitMs })
      return "handed_back"
    }
  }
}
