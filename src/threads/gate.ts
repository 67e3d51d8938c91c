/**
 * Bounds how much of one kind of work goes at once, and how much may wait for it. What waits is served in turn between
 * keys, so that one key with a hundred pieces of work delays another key's first by one piece only; within a key the oldest
 * goes first. Unless told otherwise, of several places one key never holds the last: whoever comes next finds it free,
 * however long the others' work takes.
 *
 * Work in the background (`background.ts`) goes when nobody else waits, and leaves one place free for whoever comes next.
 */
import { AppError } from "../errors.ts"
import { isInBackground } from "./background.ts"
import { orAbort } from "./or-abort.ts"

export interface Ticket {
  /** Settles when the work may go; rejects when the signal aborts first. */
  turn(signal: AbortSignal): Promise<void>
  /** Place in the key's line whenever it changes, 1 = next; ends when the work may go. @throws the reason of the signal */
  positions(signal: AbortSignal): AsyncGenerator<number, void>
  /** To be called once in any case; lets the next one go. */
  leave(): void
}

/** One line per key; a Map keeps the order in which keys are served: a served key goes to the end. */
type Lines = Map<string, Waiting[]>

interface Waiting {
  /** Where it stands. */
  lines: Lines
  places: number
  go: PromiseWithResolvers<void>
  /** Resolved whenever the line moves. */
  moved: PromiseWithResolvers<void>
}

export interface GateOptions {
  /** Work at the same time. */
  places: number
  /** What one key may hold of them; all but one by default, and one at least. */
  placesPerKey?: number
  /** Work that may wait; more is refused. */
  waiting: number
  /** What of one key may wait; as much as in all by default. */
  waitingPerKey?: number
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
  private readonly lines: Lines = new Map()
  /** Not counted among what waits: whoever brings it bounds it. */
  private readonly background: Lines = new Map()

  constructor(private readonly options: GateOptions) {
    this.placesPerKey = options.placesPerKey ?? Math.max(1, options.places - 1)
  }

  get load(): { running: number; waiting: number } {
    return { running: this.running, waiting: this.waitingCount }
  }

  /**
   * @param places what this work takes of them, where pieces differ in size
   * @throws AppError overloaded when too many wait already
   */
  enter(key: string, places = 1): Ticket {
    const lines = isInBackground() ? this.background : this.lines
    if (this.hasRoom(key, places, lines)) {
      this.hold(key, places)
      return this.ticket(key, places)
    }
    const line = lines.get(key) ?? []
    const { waiting: most, waitingPerKey = most, refusal: message, retryAfterSeconds: retryAfter } = this.options
    const isRefused = this.waitingCount >= most || line.length >= waitingPerKey
    if (most === 0 || (lines === this.lines && isRefused)) throw new AppError("overloaded", { message, retryAfter })
    const waiting: Waiting = { lines, places, go: Promise.withResolvers(), moved: Promise.withResolvers() }
    lines.set(key, [...line, waiting])
    this.count(lines, 1)
    return this.ticket(key, places, waiting)
  }

  private ticket(key: string, places: number, waiting?: Waiting): Ticket {
    let left = false
    return {
      turn: signal => orAbort(waiting?.go.promise ?? Promise.resolve(), signal),
      positions: signal => this.positions(key, waiting, signal),
      leave: () => {
        if (left) return
        left = true
        if (waiting && this.remove(key, waiting)) return
        this.letGo(key, places)
        this.serveNext()
      },
    }
  }

  private async *positions(
    key: string,
    waiting: Waiting | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<number, void> {
    for (let last = 0; ; ) {
      signal.throwIfAborted()
      const position = waiting ? (waiting.lines.get(key)?.indexOf(waiting) ?? -1) + 1 : 0
      if (position === 0) return
      const { promise: moved } = waiting!.moved
      if (position !== last) yield position
      last = position
      await orAbort(moved, signal)
    }
  }

  /** @returns false when it no longer waits */
  private remove(key: string, waiting: Waiting): boolean {
    const { lines } = waiting
    const line = lines.get(key)
    if (!line?.includes(waiting)) return false
    this.count(lines, -1)
    const rest = line.filter(other => other !== waiting)
    if (rest.length > 0) lines.set(key, rest)
    else lines.delete(key)
    tellMoved(rest)
    return true
  }

  private serveNext(): void {
    while (this.serve(this.lines) || this.serve(this.background));
  }

  /** @returns whether the next of these lines may go now */
  private serve(lines: Lines): boolean {
    const next = [...lines].find(([key, [first]]) => this.hasRoom(key, first!.places, lines))
    if (!next) return false
    const [key, [waiting, ...rest]] = next
    lines.delete(key)
    if (rest.length > 0) lines.set(key, rest)
    this.count(lines, -1)
    this.hold(key, waiting!.places)
    waiting!.go.resolve()
    tellMoved([waiting!, ...rest])
    return true
  }

  private count(lines: Lines, change: 1 | -1): void {
    if (lines === this.lines) this.waitingCount += change
  }

  private hasRoom(key: string, places: number, lines: Lines): boolean {
    const isYielding = lines === this.background && this.running > 0
    const forOthers = (all: number) => (isYielding && all > 1 ? 1 : 0)
    const { places: all } = this.options
    const held = (this.held.get(key) ?? 0) + places
    return this.running + places <= all - forOthers(all) && held <= this.placesPerKey - forOthers(this.placesPerKey)
  }

  private hold(key: string, places: number): void {
    this.running += places
    this.held.set(key, (this.held.get(key) ?? 0) + places)
  }

  private letGo(key: string, places: number): void {
    this.running -= places
    const left = this.held.get(key)! - places
    if (left > 0) this.held.set(key, left)
    else this.held.delete(key)
  }
}

function tellMoved(line: Waiting[]): void {
  for (const waiting of line) {
    waiting.moved.resolve()
    waiting.moved = Promise.withResolvers()
  }
}
