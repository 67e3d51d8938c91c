/**
 * Runs the jobs of one task, several at a time in each lane, keeping each lease alive while its job runs. A disk or an engine in trouble is no
 * fault of a job: what it stops is handed back with no attempt counted, and nothing is leased until the pause is over. A job
 * that is stopped again and again while others are done is one that its store will never take: it counts as failed.
 */
import { log, Trouble } from "../log.ts"
import { jobSeconds } from "../metrics.ts"
import type { Lane } from "../storage/jobs.ts"
import { Lru } from "../threads/lru.ts"
import { LEASE_MS } from "./claim.ts"
import type { Job, JobQueue } from "./queue.ts"

/** How soon a job becomes noticed whose back-off ended; new work is announced at once. */
const POLL_MS = 1_000
/** A store in trouble is asked again after this. */
const TROUBLE_PAUSE_MS = 2_000
/** A job that a store stopped lets others go first. */
const TROUBLE_WAIT_MS = 5_000
/** A store that is in trouble for some requests alone, a full disk that takes short ones, may stop a job for a minute. */
const TROUBLE_WAITS = 12
/** Jobs whose waits are counted. */
const MAX_COUNTED = 1_000

/** A job at work. `signal` aborts on a lost lease and on shutdown. */
export interface LeasedJob extends Job {
  signal: AbortSignal
}

export interface JobFailure {
  job: LeasedJob
  error: unknown
}

/**
 * Does jobs that were leased together, including `complete` in its own transaction. `stopping` aborts on shutdown.
 * @returns those that are to be tried again; when it throws, all of them
 */
export type JobHandler = (jobs: readonly LeasedJob[], stopping: AbortSignal) => Promise<readonly JobFailure[]>

export interface LaneOptions {
  /** Leases at the same time. */
  concurrency: number
  /** Further ones for workspaces that have none at work: others' long jobs do not hold them up. None where absent. */
  guests?: number
  /** Jobs of one lease at most; fewer when no more are due: nothing waits for a group to fill. */
  group: number
  handle: JobHandler
}

export interface JobWorkerOptions {
  task: string
  /** In the order in which they lease. */
  lanes: Partial<Record<Lane, LaneOptions>>
  /** Whether a job failed for the sake of the disk or of an engine alone. */
  isStoresFault?: (error: unknown) => Promise<boolean>
  /** How often a store may stop a job while others are done. */
  waits?: number
  /** Whether jobs may be leased now; absent: always. */
  mayLease?: () => boolean
}

/** Jobs that were leased together. */
interface Group {
  lane: Lane
  handle: JobHandler
  jobs: LeasedJob[]
  stop: AbortController
  /** Looks at the leases, and aborts what was lost. */
  renew(): Promise<void>
  done: Promise<void>
}

export class JobWorker {
  private readonly running = new Set<Group>()
  private stopping = false
  private wake: () => void = () => {}
  private loop: Promise<void> | undefined
  private forget: (() => void) | undefined
  /** The store would not even take back these. */
  private readonly owed: { job: Job; waitMs: number }[] = []
  private readonly trouble: Trouble
  private pausedUntil = 0
  /** Jobs done by this worker. */
  private done = 0
  /** How often a store stopped a job, and what was done before. */
  private readonly stopped = new Lru<string, { times: number; doneBefore: number }>({ entries: MAX_COUNTED })
  private readonly isStoresFault: (error: unknown) => Promise<boolean>

  constructor(
    private readonly queue: JobQueue,
    private readonly options: JobWorkerOptions,
  ) {
    this.isStoresFault = options.isStoresFault ?? (async () => false)
    const says = { begins: "a store is in trouble: jobs wait", ends: "the store works again: jobs go on" }
    this.trouble = new Trouble({ ...says, level: "error" }, { task: options.task })
  }

  start(): void {
    this.forget = this.queue.onWork(() => this.wake())
    this.loop = this.run()
  }

  /** Aborts what runs, hands it back and returns when all have let go. */
  async stop(): Promise<void> {
    this.stopping = true
    this.forget?.()
    this.wake()
    const groups = [...this.running]
    for (const { stop } of groups) stop.abort(new Error("shutting down"))
    await Promise.allSettled(groups.map(({ done }) => done))
    await this.loop
    await this.giveBackOwed().catch(() => {}) // free again at the next start
  }

  /** Aborts what runs and hands it back, as far as it is still this node's; goes on leasing when it may. */
  interrupt(reason: Error): void {
    for (const { stop } of this.running) stop.abort(reason)
  }

  /** Whether a job about the subject is at work here. One that has lost its lease is told so at once. */
  async isAt(subject: string): Promise<boolean> {
    const groups = [...this.running].filter(({ jobs }) => jobs.some(job => job.subject === subject))
    await Promise.all(groups.map(group => group.renew()))
    return groups.length > 0
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
      for (const [lane, limits] of Object.entries(this.options.lanes) as [Lane, LaneOptions][])
        for (let left = this.places(lane, limits); left > 0; left = this.places(lane, limits)) {
          const held = [...this.running].map(({ jobs }) => jobs[0]!.leaseToken)
          const idleOnly = left <= (limits.guests ?? 0)
          const jobs = await this.queue.lease(this.options.task, lane, limits.group, { held, idleOnly })
          if (jobs.length === 0) break
          if (this.stopping)
            for (const job of jobs) await this.queue.handBack(job) // the stop came while the disk took the lease
          else this.begin(lane, limits.handle, jobs)
        }
      return POLL_MS
    } catch (error) {
      this.pause(error)
      return TROUBLE_PAUSE_MS
    }
  }

  /** How many are left, those for guests last. */
  private places(lane: Lane, { concurrency, guests = 0 }: LaneOptions): number {
    if (this.stopping || performance.now() < this.pausedUntil || this.options.mayLease?.() === false) return 0
    let taken = 0
    for (const group of this.running) if (group.lane === lane) taken++
    return concurrency + guests - taken
  }

  private pause(error: unknown): void {
    this.pausedUntil = performance.now() + TROUBLE_PAUSE_MS
    this.trouble.note(error)
  }

  private async giveBackOwed(): Promise<void> {
    for (let owed = this.owed[0]; owed; owed = this.owed[0]) {
      await this.queue.handBack(owed.job, owed.waitMs)
      this.owed.shift()
    }
  }

  private begin(lane: Lane, handle: JobHandler, leased: Job[]): void {
    const stop = new AbortController()
    const losses = leased.map(() => new AbortController())
    const jobs = leased.map((job, i) => ({ ...job, signal: AbortSignal.any([stop.signal, losses[i]!.signal]) }))
    const renew = async () => {
      for (const [i, job] of jobs.entries()) {
        const held = await this.queue.renew(job).catch(() => true) // a disk in trouble is not a lost lease
        if (!held) losses[i]!.abort(new Error("the lease was lost"))
      }
    }
    const heartbeat = setInterval(renew, LEASE_MS / 3)
    const group: Group = { lane, handle, jobs, stop, renew, done: Promise.resolve() }
    group.done = this.work(group).finally(() => {
      clearInterval(heartbeat)
      this.running.delete(group)
      this.wake()
    })
    this.running.add(group)
  }

  private async work({ jobs, stop, handle }: Group): Promise<void> {
    const began = performance.now()
    const failures = await handle(jobs, stop.signal).catch(error => jobs.map(job => ({ job, error })))
    const failed = new Set<Job>()
    for (const { job, error } of failures) {
      failed.add(job)
      this.observe(await this.settle(job, error), began)
    }
    if (failed.size < jobs.length) this.trouble.clear()
    this.done += jobs.length - failed.size
    for (const job of jobs) if (!failed.has(job)) this.observe("done", began)
  }

  private observe(outcome: string, began: number): void {
    jobSeconds.observe({ task: this.options.task, outcome }, (performance.now() - began) / 1000)
  }

  private mayWait({ id }: Job): boolean {
    const { waits = TROUBLE_WAITS } = this.options
    const { times, doneBefore } = this.stopped.get(id) ?? { times: 0, doneBefore: this.done }
    if (times >= waits && this.done > doneBefore) return false
    this.stopped.set(id, { times: times + 1, doneBefore })
    return true
  }

  /** Handed back on shutdown, else tried again later. Handlers deal with final failures themselves. */
  private async settle(job: LeasedJob, error: unknown): Promise<"handed_back" | "retried"> {
    const waits = !job.signal.aborted && (await this.isStoresFault(error)) && this.mayWait(job)
    if (waits) this.pause(error)
    const waitMs = waits ? TROUBLE_WAIT_MS : 0
    try {
      if (waits || job.signal.aborted) {
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
