/**
 * Bounds how much of one kind of work goes at once. What waits is served in turn between keys, so that one key with a
 * hundred pieces of work delays another key's first by one piece only; within a key the oldest goes first. Of several
 * places one key never holds the last: whoever comes next finds it free, however long the others' work takes.
 */
import { AppError } from "../errors.ts"
import { orAbort } from "./or-abort.ts"

export interface Ticket {
  /** Settles when the run may go; rejects when the signal aborts first. */
  turn(signal: AbortSignal): Promise<void>
  /** To be called once in any case; lets the next one go. */
  leave(): void
}

interface Waiting {
  go: () => void
}

export interface GateOptions {
  /** Work at the same time; of several, one key holds all but one at most. */
  places: number
  /** Work that may wait; more is refused. */
  waiting: number
  /** What the refused are told. */
  refusal: string
  /** A guess of how long a place takes to become free. */
  retryAfterSeconds: number
}

export class Gate {
  private running = 0
  /** Places held, key by key. */
  private readonly held = new Map<string, number>()
  private readonly placesPerKey: number
  private waitingCount = 0
  /** One line per key; a Map keeps the order in which keys are served: a served key goes to the end. */
  private readonly lines = new Map<string, Waiting[]>()

  constructor(private readonly options: GateOptions) {
    this.placesPerKey = Math.max(1, options.places - 1)
  }

  get load(): { running: number; waiting: number } {
    return { running: this.running, waiting: this.waitingCount }
  }

  /** @throws AppError overloaded when too many wait already */
  enter(key: string): Ticket {
    if (this.running < this.options.places && this.mayHoldMore(key)) {
      this.hold(key)
      return this.ticket(key, undefined, Promise.resolve())
    }
    if (this.waitingCount >= this.options.waiting)
      throw new AppError("overloaded", {
        message: this.options.refusal,
        retryAfter: this.options.retryAfterSeconds,
      })
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = { go: resolve }
    this.lines.set(key, [...(this.lines.get(key) ?? []), waiting])
    this.waitingCount++
    return this.ticket(key, waiting, promise)
  }

  private ticket(key: string, waiting: Waiting | undefined, go: Promise<void>): Ticket {
    let left = false
    return {
      turn: signal => orAbort(go, signal),
      leave: () => {
        if (left) return
        left = true
        if (waiting && this.remove(key, waiting)) return
        this.letGo(key)
        this.serveNext()
      },
    }
  }

  /** @returns false when it no longer waits */
  private remove(key: string, waiting: Waiting): boolean {
    const line = this.lines.get(key)
    if (!line?.includes(waiting)) return false
    const rest = line.filter(other => other !== waiting)
    if (rest.length > 0) this.lines.set(key, rest)
    else this.lines.delete(key)
    this.waitingCount--
    return true
  }

  private serveNext(): void {
    const next = [...this.lines].find(([key]) => this.mayHoldMore(key))
    if (!next) return
    const [key, [waiting, ...rest]] = next
    this.lines.delete(key)
    if (rest.length > 0) this.lines.set(key, rest)
    this.waitingCount--
    this.hold(key)
    waiting!.go()
  }

  private mayHoldMore(key: string): boolean {
    return (this.held.get(key) ?? 0) < this.placesPerKey
  }

  private hold(key: string): void {
    this.running++
    this.held.set(key, (this.held.get(key) ?? 0) + 1)
  }

  private letGo(key: string): void {
    this.running--
    const left = this.held.get(key)! - 1
    if (left > 0) this.held.set(key, left)
    else this.held.delete(key)
  }
}
