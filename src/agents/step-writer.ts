/**
 * Records the steps of one run beside its work: each commit waits for the disk, the run need not. What begins and ends
 * within moments is one row written once, results that come together share a commit, and a call that takes longer is
 * on disk as begun while it still runs.
 */

import type { Account } from "../account.ts"
import type { Guarded } from "../guarded.ts"
import type { StepCall, StepOutcome, StepRecorder } from "../tools/calls.ts"
import type { BegunStep } from "./run-rows.ts"
import type { RunStore } from "./run-store.ts"

/** How long a call may go unrecorded: long enough for most tools to end in, too short to be missed by a reader. */
const BEGIN_DELAY_MS = 15

export class StepWriter implements StepRecorder {
  private readonly begun = new Map<number, BegunStep>()
  private readonly ended = new Map<number, Guarded<StepOutcome>>()
  private timer: Timer | undefined
  private soon: NodeJS.Immediate | undefined
  private writing: Promise<void> = Promise.resolve()
  /** Why the last write failed; the run learns of it with its next step. */
  private failure: unknown

  /**
   * @param written called after each commit
   * @param count steps that there are already
   */
  constructor(
    private readonly store: RunStore,
    private readonly runId: string,
    private readonly account: Account,
    private readonly written: () => void,
    private count = 0,
  ) {}

  begin(calls: Guarded<StepCall>[]): number[] {
    if (this.failure) throw this.failure
    const startedAt = new Date().toISOString()
    this.timer ??= setTimeout(() => void this.flush().catch(() => {}), BEGIN_DELAY_MS)
    return calls.map(call => {
      const step = ++this.count
      this.begun.set(step, { call, startedAt })
      return step
    })
  }

  end(step: number, outcome: Guarded<StepOutcome>): void {
    this.ended.set(step, outcome)
    this.soon ??= setImmediate(() => void this.flush().catch(() => {}))
  }

  /** Settles when all is stored; one write at a time. */
  flush(): Promise<void> {
    clearTimeout(this.timer)
    clearImmediate(this.soon)
    this.timer = undefined
    this.soon = undefined
    this.writing = this.writing.catch(() => {}).then(() => this.write())
    return this.writing
  }

  private async write(): Promise<void> {
    const [begun, ended] = [new Map(this.begun), new Map(this.ended)]
    if (begun.size + ended.size === 0) return
    try {
      await this.store.saveSteps(this.runId, this.account, begun, ended)
    } catch (error) {
      this.failure = error
      throw error
    }
    for (const step of begun.keys()) this.begun.delete(step)
    for (const step of ended.keys()) this.ended.delete(step)
    this.written()
  }
}
