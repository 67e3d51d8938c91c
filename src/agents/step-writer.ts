/**
 * Records the steps of one run with few commits, because each one waits for the disk: what begins and ends within
 * moments is one row written once, results that come together share a commit. A call that takes longer is on disk
 * as begun while it still runs.
 */
import type { StepRecorder } from "./calls.ts"
import type { BegunStep, RunStore, StepOutcome } from "./run-store.ts"

/** How long a call may go unrecorded: long enough for most tools to end in, too short to be missed by a reader. */
const BEGIN_DELAY_MS = 15

export class StepWriter implements StepRecorder {
  private count = 0
  private readonly begun = new Map<number, BegunStep>()
  private readonly ended = new Map<number, StepOutcome>()
  private timer: Timer | undefined
  private writing: Promise<void> = Promise.resolve()
  private flushing: Promise<void> | undefined

  /** @param written called after each commit */
  constructor(
    private readonly store: RunStore,
    private readonly runId: string,
    private readonly written: () => void,
  ) {}

  begin(calls: { id: string; name: string; arguments: unknown }[]): number[] {
    const startedAt = new Date().toISOString()
    this.timer ??= setTimeout(() => void this.flush().catch(() => {}), BEGIN_DELAY_MS) // an error is met again by `end`
    return calls.map(call => {
      const step = ++this.count
      this.begun.set(step, { ...call, startedAt })
      return step
    })
  }

  /** Settles when the result is stored. */
  end(step: number, outcome: StepOutcome): Promise<void> {
    this.ended.set(step, outcome)
    this.flushing ??= new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        this.flushing = undefined
        this.flush().then(resolve, reject)
      })
    })
    return this.flushing
  }

  /** Writes what is not yet written; one write at a time. */
  flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing = this.writing.catch(() => {}).then(() => this.write())
    return this.writing
  }

  private async write(): Promise<void> {
    const [begun, ended] = [new Map(this.begun), new Map(this.ended)]
    if (begun.size + ended.size === 0) return
    await this.store.saveSteps(this.runId, begun, ended)
    for (const step of begun.keys()) this.begun.delete(step)
    for (const step of ended.keys()) this.ended.delete(step)
    this.written()
  }
}
