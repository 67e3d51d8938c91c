/** Measures how long a file stays in each stage of indexing. */
import { stageSeconds } from "../metrics.ts"

export class StageClock {
  private stage: string | undefined
  private since = 0

  /** The stage that goes on from now; the same one again changes nothing. */
  enter(stage: string): void {
    if (stage === this.stage) return
    this.end()
    this.stage = stage
    this.since = performance.now()
  }

  end(): void {
    if (this.stage !== undefined) stageSeconds.observe({ stage: this.stage }, (performance.now() - this.since) / 1000)
    this.stage = undefined
  }
}
