/** Records the steps of one run; results that come together share a commit, because each commit waits for the disk. */
import type { StepRecorder } from "./calls.ts"
import type { RunStore, StepOutcome } from "./run-store.ts"

export class StepWriter implements StepRecorder {
  private pending = new Map<number, StepOutcome>()
  private flushing: Promise<void> | undefined

  /** @param written called after each commit */
  constructor(
    private readonly store: RunStore,
    private readonly runId: string,
    private readonly written: () => void,
  ) {}

  async begin(calls: { id: string; name: string; arguments: unknown }[]): Promise<number[]> {
    const indices = await this.store.beginSteps(this.runId, calls)
    this.written()
    return indices
  }

  end(index: number, outcome: StepOutcome): Promise<void> {
    this.pending.set(index, outcome)
    this.flushing ??= new Promise<void>((resolve, reject) => {
      setImmediate(() => this.flush().then(resolve, reject))
    })
    return this.flushing
  }

  private async flush(): Promise<void> {
    const outcomes = this.pending
    this.pending = new Map()
    this.flushing = undefined
    await this.store.endSteps(this.runId, outcomes)
    this.written()
  }
}
