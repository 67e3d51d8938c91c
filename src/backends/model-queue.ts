/**
 * Bounds how much one model is asked at the same time and how much may wait for it. Waiting calls are told their
 * position whenever it changes.
 */
import { AppError } from "../errors.ts"
import type { ChatPiece } from "./backend.ts"

export interface QueueLimits {
  /** Requests sent to one model at the same time; its server shares them out further. */
  parallel: number
  /** Requests that wait for one model; one more is refused as `overloaded`. */
  waiting: number
}

/** Bun sends 256 requests at the same time and holds further ones back unseen: some are left for lists and embeddings. */
const MAX_RUNNING = 224
/** Seconds after which asking again makes sense. */
const RETRY_AFTER_S = 5

interface Place {
  model: string
  started: boolean
  /** Tells the call that it may start or has moved up. */
  wake(): void
}

export class ModelQueue {
  private readonly running = new Map<string, number>()
  private runningCount = 0
  /** Of all models, in the order in which they came. */
  private waiting: Place[] = []

  constructor(private readonly limits: QueueLimits) {}

  /**
   * Yields the position in the line (1 = next) while waiting, and ends when it is this call's turn. Whoever iterated
   * to the end must call `release` once; one who stops before that has left the line.
   * @throws AppError overloaded; the signal's reason
   */
  async *enter(model: string, signal: AbortSignal): AsyncGenerator<number, void> {
    signal.throwIfAborted()
    if (this.hasRoom(model)) {
      this.count(model, 1)
      return
    }
    if (this.lineOf(model).length >= this.limits.waiting)
      throw new AppError("overloaded", {
        message: "too many requests already wait for this model",
        retryAfter: RETRY_AFTER_S,
      })
    let woken = Promise.withResolvers<void>()
    const place: Place = { model, started: false, wake: () => woken.resolve() }
    const onAbort = () => woken.resolve()
    signal.addEventListener("abort", onAbort)
    this.waiting.push(place)
    let entered = false
    try {
      for (let last = 0; !place.started; ) {
        signal.throwIfAborted()
        const position = this.lineOf(model).indexOf(place) + 1
        if (position !== last) yield position
        last = position
        if (place.started) break
        await woken.promise
        woken = Promise.withResolvers<void>()
      }
      signal.throwIfAborted()
      entered = true
    } finally {
      signal.removeEventListener("abort", onAbort)
      if (!entered) this.leave(place)
    }
  }

  release(model: string): void {
    this.count(model, -1)
    const next = this.waiting.find(place => this.hasRoom(place.model))
    if (!next) return
    this.waiting = this.waiting.filter(place => place !== next)
    this.count(next.model, 1)
    next.started = true
    next.wake()
    for (const place of this.lineOf(next.model)) place.wake()
  }

  private leave(place: Place): void {
    if (place.started) {
      this.release(place.model)
      return
    }
    this.waiting = this.waiting.filter(other => other !== place)
    for (const other of this.lineOf(place.model)) other.wake()
  }

  private hasRoom(model: string): boolean {
    return this.runningCount < MAX_RUNNING && (this.running.get(model) ?? 0) < this.limits.parallel
  }

  private lineOf(model: string): Place[] {
    return this.waiting.filter(place => place.model === model)
  }

  private count(model: string, change: 1 | -1): void {
    const count = (this.running.get(model) ?? 0) + change
    if (count === 0) this.running.delete(model)
    else this.running.set(model, count)
    this.runningCount += change
  }
}

/**
 * Asks a model when its turn has come; tells the position in the line meanwhile.
 * @param unreachable called when the server cannot be reached, so that the list of models is looked at anew
 */
export async function* askInLine(
  queue: ModelQueue,
  model: string,
  signal: AbortSignal,
  ask: () => AsyncIterable<ChatPiece>,
  unreachable: () => void,
): AsyncGenerator<ChatPiece> {
  for await (const position of queue.enter(model, signal))
    yield { type: "waiting", phase: "queued", detail: `position ${position} in the line for this model` }
  try {
    yield* ask()
  } catch (error) {
    if (error instanceof AppError && error.code === "model_unavailable") unreachable()
    throw error
  } finally {
    queue.release(model)
  }
}
