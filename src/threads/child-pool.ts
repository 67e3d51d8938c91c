/**
 * Fenced children of one kind: at most so many at once, started when there is work, kept warm for a while after it. What
 * waits for one is served in turn between keys. A child serves one key only: one that was taken over learns nothing of
 * another workspace.
 */
import { type AskOptions, ChildEnded, FencedChild } from "./fenced-child.ts"
import { Gate, type GateOptions } from "./gate.ts"

export interface ChildPoolOptions extends GateOptions {
  /** Argument vector of a child, see `fencedCommand`. */
  command: string[]
  /** A child ends after so many answers, because libraries leak. */
  answersPerChild: number
  keepWarmMs: number
  /** A child that holds more is not kept warm; unbounded where absent. */
  maxWarmBytes?: number
}

interface Rest {
  key: string
  timers: Timer[]
}

/** Nobody waits for a child that rests, and so nobody watches it closely. */
const REST_LOOK_MS = 1_000

export class ChildPool<Ask, Answer, Progress = never> {
  private readonly gate: Gate
  /** Those that rest, the longest first. */
  private readonly idle = new Map<FencedChild<Ask, Answer, Progress>, Rest>()
  private readonly all = new Set<FencedChild<Ask, Answer, Progress>>()
  private stopped = false

  constructor(private readonly options: ChildPoolOptions) {
    this.gate = new Gate(options)
  }

  /**
   * @param key who asks, a workspace: keys share the places fairly
   * @throws AppError overloaded; ChildEnded; the reason of the signal
   */
  ask(ask: Ask, key: string, options: AskOptions<Progress>): Promise<Answer> {
    return this.use(key, options.signal, child => child.ask(ask, options))
  }

  /**
   * Lends a child for one piece of work.
   * @param of what the child is for, where one is not for all that its key asks: it serves nothing else
   * @throws as `ask` does, and what `work` throws
   */
  async use<T>(
    key: string,
    signal: AbortSignal,
    work: (child: FencedChild<Ask, Answer, Progress>) => Promise<T>,
    of = key,
  ): Promise<T> {
    const ticket = this.gate.enter(key)
    try {
      await ticket.turn(signal)
      if (this.stopped) throw stopped()
      const child = this.take(of)
      try {
        return await work(child)
      } catch (error) {
        throw this.stopped && error instanceof ChildEnded ? stopped() : error
      } finally {
        this.release(child, of)
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

  private take(key: string): FencedChild<Ask, Answer, Progress> {
    const known = [...this.idle].findLast(([child, rest]) => rest.key === key && !child.ended)?.[0]
    if (known) {
      this.wake(known)
      return known
    }
    const [longest] = this.idle.keys()
    if (longest && this.all.size >= this.options.places) void this.end(longest)
    const child = new FencedChild<Ask, Answer, Progress>(this.options.command)
    this.all.add(child)
    void child.exited.then(() => this.end(child))
    return child
  }

  private release(child: FencedChild<Ask, Answer, Progress>, key: string): void {
    const { answersPerChild, maxWarmBytes = Number.POSITIVE_INFINITY } = this.options
    if (child.ended || this.stopped || child.asked >= answersPerChild || child.memoryBytes > maxWarmBytes) {
      void this.end(child)
      return
    }
    const timers = [
      setTimeout(() => void this.end(child), this.options.keepWarmMs),
      setInterval(() => child.isTooLarge && void this.end(child), REST_LOOK_MS),
    ]
    for (const timer of timers) timer.unref()
    this.idle.set(child, { key, timers })
  }

  private wake(child: FencedChild<Ask, Answer, Progress>): void {
    for (const timer of this.idle.get(child)?.timers ?? []) clearTimeout(timer)
    this.idle.delete(child)
  }

  private async end(child: FencedChild<Ask, Answer, Progress>): Promise<void> {
    this.wake(child)
    this.all.delete(child)
    if (!child.ended) await child.kill()
  }
}

const stopped = () => new ChildEnded("stopped", "the child processes are stopped")
