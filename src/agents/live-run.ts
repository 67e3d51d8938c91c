/** A run of this process that has not ended; `abort` ends it, its reason is an Ending. */
import { Live } from "../grounding/live.ts"

export class LiveRun extends Live {
  /** Settles when the run's last row is written. */
  ended: Promise<void> = Promise.resolve()
  /** Blocking calls that wait for it. */
  waiting = 0
  /** True when it goes on with nobody waiting. */
  detached = false

  constructor(readonly id: string) {
    super()
  }
}
