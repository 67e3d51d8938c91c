/**
 * In a cluster a node that changes something does not know who leads, and one that dies leaves things behind: so each node
 * looks by itself from time to time, and the one that leads sweeps the index and completes it.
 */
import { Trouble } from "../../log.ts"
import { buryAbandoned, buryOrphans } from "../../storage/chunks.ts"
import type { Database } from "../../storage/database.ts"
import type { CatchUp } from "./catch-up.ts"
import type { Membership } from "./membership.ts"
import type { Stage } from "./stage.ts"
import type { Sweep } from "./sweep.ts"

/** What was removed leaves the engine so soon. */
const EVERY_MS = 5_000
/** The whole index is held against the database: a hundred requests for a million files. */
const COMPLETE_EVERY_MS = 300_000

export interface RoundsOptions {
  db: Database
  members: Membership
  stage: Stage
  sweep: Sweep
  catchUp: CatchUp
}

export class Rounds {
  private closed = false
  private timer: Timer | undefined
  private running: Promise<void> = Promise.resolve()
  private completedAt = Number.NEGATIVE_INFINITY
  private readonly trouble = new Trouble({
    begins: "the index cannot be kept in order at present",
    ends: "the index is kept in order again",
    level: "warn",
  })

  constructor(
    private readonly options: RoundsOptions,
    private readonly everyMs = EVERY_MS,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.round().finally(() => {
        if (!this.closed) this.start()
      })
    }, this.everyMs).unref()
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.running
  }

  private async round(): Promise<void> {
    const { db, members, stage, sweep, catchUp } = this.options
    try {
      await stage.release()
      if (!members.isLeader()) {
        this.completedAt = Number.NEGATIVE_INFINITY
        return
      }
      await buryAbandoned(db, await members.living())
      await sweep.run()
      if (performance.now() - this.completedAt > COMPLETE_EVERY_MS) {
        this.completedAt = performance.now()
        await buryOrphans(db)
        catchUp.later(0)
      }
      this.trouble.clear()
    } catch (error) {
      this.trouble.note(error)
    }
  }
}
