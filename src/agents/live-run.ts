/** A run of this process that has not ended; `abort` ends it, its reason is an Ending. */

import { Live } from "../grounding/live.ts"
import type { Ticket } from "../threads/gate.ts"
import { Ending } from "./endings.ts"
import { Pace } from "./pace.ts"

export class LiveRun extends Live {
  /** Settles when the run's last row is written. */
  ended: Promise<void> = Promise.resolve()
  /** Blocking calls that wait for it. */
  waiting = 0
  /** True when it goes on with nobody waiting. */
  detached = false

  /** Settles once it has waited for a person: nobody waits for it on an open connection from then on. */
  readonly parked: Promise<void>
  /** Its place and its time. */
  readonly pace: Pace
  private readonly parking = Promise.withResolvers<void>()

  /** @param leftMs how long it may go */
  constructor(
    readonly id: string,
    ticket: Ticket,
    leftMs: number,
    enter: () => Ticket,
  ) {
    super()
    this.parked = this.parking.promise
    this.pace = new Pace(ticket, leftMs, enter, () => this.abort.abort(new Ending("timeout")))
  }

  /** It waits for a person, and goes on by itself. */
  park(): void {
    this.detached = true
    this.parking.resolve()
    this.notify()
  }
}
