/** The place of a run among those that go, and its time. Neither counts while the run waits for a person. */
import { AppError } from "../errors.ts"
import type { Ticket } from "../threads/gate.ts"
import { pause } from "../threads/or-abort.ts"

/** How soon to ask again for a place where too many wait for one. */
const AGAIN_MS = 1_000

export class Pace {
  private timer: Timer | undefined
  private startedAt = 0
  /** What waits for a person. */
  private waiting = 0

  /**
   * @param leftMs how long the run may go from now on
   * @param enter asks for another place
   */
  constructor(
    private ticket: Ticket,
    private leftMs: number,
    private readonly enter: () => Ticket,
    private readonly onTimeout: () => void,
  ) {
    this.start()
  }

  /** It waits for a person. */
  get isPaused(): boolean {
    return this.waiting > 0
  }

  /** How long the run may still go. */
  get remainingMs(): number {
    return this.timer === undefined ? this.leftMs : this.leftMs - (performance.now() - this.startedAt)
  }

  /** Settles when the run may go. */
  turn(signal: AbortSignal): Promise<void> {
    return this.ticket.turn(signal)
  }

  /** The run goes on when all that it waits for is there and it has a place again. */
  async pausedFor<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.waiting++ === 0) {
      this.stop()
      this.ticket.leave()
    }
    try {
      return await work()
    } finally {
      if (--this.waiting === 0 && !signal.aborted) {
        this.start()
        await this.enterAgain(signal)
      }
    }
  }

  end(): void {
    this.stop()
    this.ticket.leave()
  }

  private async enterAgain(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        this.ticket = this.enter()
        return await this.ticket.turn(signal)
      } catch (error) {
        if (signal.aborted || !(error instanceof AppError)) throw error
        await pause(AGAIN_MS, signal)
      }
    }
  }

  private start(): void {
    // By the clock that nobody sets: one that steps forward meanwhile would end the run at its beginning.
    this.startedAt = performance.now()
    this.timer = setTimeout(this.onTimeout, Math.max(0, this.leftMs))
  }

  private stop(): void {
    if (this.timer === undefined) return
    clearTimeout(this.timer)
    this.leftMs = this.remainingMs
    this.timer = undefined
  }
}
