/**
 * Fenced children of one kind: at most so many at once, started when there is work, kept warm for a while after it. What
 * waits for one is served in turn between keys.
 */
import { type AskOptions, FencedChild } from "./fenced-child.ts"
import { Gate, type GateOptions } from "./gate.ts"

export interface ChildPoolOptions extends GateOptions {
  /** Argument vector of a child, see `fencedCommand`. */
  command: string[]
  /** A child ends after so many answers: what one of them did to it should not reach all others. */
  answersPerChild: number
  keepWarmMs: number
}

export class ChildPool<Ask, Answer, Progress = never> {
  private readonly gate: Gate
  private readonly idle = new Map<FencedChild<Ask, Answer, Progress>, Timer>()
  private readonly all = new Set<FencedChild<Ask, Answer, Progress>>()
  private stopped = false

  constructor(private readonly options: ChildPoolOptions) {
    this.gate = new Gate(options)
  }

  /**
   * @param key who asks: keys share the places fairly
   * @throws AppError overloaded; ChildEnded; the reason of the signal
   */
  async ask(ask: Ask, key: string, options: AskOptions<Progress>): Promise<Answer> {
    const ticket = this.gate.enter(key)
    try {
      await ticket.turn(options.signal)
      if (this.stopped) throw new Error("the child processes are stopped")
      const child = this.take()
      try {
        return await child.ask(ask, options)
      } finally {
        this.release(child)
      }
    } finally {
      ticket.leave()
    }
  }

  /** Ends all children; what they work on fails. */
  async stop(): Promise<void> {
    this.stopped = true
    await Promise.all([...this.all].map(child => this.end(child)))
  }

  /** Process ids of the children there are. */
  get pids(): number[] {
    return [...this.all].map(child => child.pid)
  }

  private take(): FencedChild<Ask, Answer, Progress> {
    for (const [child, timer] of this.idle) {
      clearTimeout(timer)
      this.idle.delete(child)
      if (!child.ended) return child
      this.all.delete(child)
    }
    const child = new FencedChild<Ask, Answer, Progress>(this.options.command)
    this.all.add(child)
    return child
  }

  private release(child: FencedChild<Ask, Answer, Progress>): void {
    if (child.ended || this.stopped || child.asked >= this.options.answersPerChild) {
      void this.end(child)
      return
    }
    const timer = setTimeout(() => void this.end(child), this.options.keepWarmMs)
    timer.unref()
    this.idle.set(child, timer)
  }

  private async end(child: FencedChild<Ask, Answer, Progress>): Promise<void> {
    clearTimeout(this.idle.get(child))
    this.idle.delete(child)
    this.all.delete(child)
    if (!child.ended) await child.kill()
  }
}
