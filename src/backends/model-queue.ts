/**
 * Bounds how much one model is asked at the same time and how much may wait for it. Waiting calls are told their
 * position whenever it changes.
 */
import { AppError } from "../errors.ts"

export interface QueueLimits {
  /** Requests sent to one model at the same time; its server shares them out further. */
  parallel: number
  /** Requests that wait for one model; one more is refused as `overloaded`. */
  waiting: number
}

interface Waiting {
  start(): void
  moved(): void
}

interface Line {
  running: number
  waiting: Waiting[]
}

/** Seconds after which asking again makes sense. */
const RETRY_AFTER_S = 5

export class ModelQueue {
  private readonly lines = new Map<string, Line>()

  constructor(private readonly limits: QueueLimits) {}

  /**
   * Yields the position in the line (1 = next) while waiting, and ends when it is this call's turn. Whoever iterated
   * to the end must call `release` once; one who stops before that has left the line.
   * @throws AppError overloaded; the signal's reason
   */
  async *enter(model: string, signal: AbortSignal): AsyncGenerator<number, void> {
    const line = this.lines.get(model) ?? { running: 0, waiting: [] }
    this.lines.set(model, line)
    if (line.running < this.limits.parallel) {
      line.running++
      return
    }
    if (line.waiting.length >= this.limits.waiting)
      throw new AppError("overloaded", {
        message: "too many requests already wait for this model",
        retryAfter: RETRY_AFTER_S,
      })
    let started = false
    let wake = Promise.withResolvers<void>()
    const place: Waiting = {
      start: () => {
        started = true
        wake.resolve()
      },
      moved: () => wake.resolve(),
    }
    const onAbort = () => wake.resolve()
    signal.addEventListener("abort", onAbort)
    line.waiting.push(place)
    let taken = false
    try {
      for (let last = 0; !started; ) {
        signal.throwIfAborted()
        const position = line.waiting.indexOf(place) + 1
        if (position !== last) yield position
        last = position
        if (started) break
        await wake.promise
        wake = Promise.withResolvers<void>()
      }
      signal.throwIfAborted()
      taken = true
    } finally {
      signal.removeEventListener("abort", onAbort)
      if (!taken) this.leave(model, line, place, started)
    }
  }

  release(model: string): void {
    const line = this.lines.get(model)
    if (!line) return
    const next = line.waiting.shift()
    if (next) {
      next.start() // it takes over the place of the one that ended
      for (const waiting of line.waiting) waiting.moved()
    } else if (--line.running === 0) this.lines.delete(model)
  }

  private leave(model: string, line: Line, place: Waiting, started: boolean): void {
    if (started) {
      this.release(model)
      return
    }
    line.waiting = line.waiting.filter(other => other !== place)
    for (const waiting of line.waiting) waiting.moved()
  }
}
