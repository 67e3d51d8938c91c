/**
 * The events of one reply, kept while it is written and for some minutes after. Every reader reads from here; one that
 * leaves changes nothing.
 */
import type { AppError } from "../errors.ts"
import { Live } from "../grounding/live.ts"
import type { GuardedEvent, NumberedEvent } from "./events.ts"

/** `abort` stops the model; its reason is a StopReason. */
export class LiveReply extends Live {
  /** Settles when the reply is stored, whatever became of it. */
  readonly finished: Promise<void>
  /** Why it failed; set before `finished` settles. */
  failure: AppError | Error | undefined
  endedAt: number | undefined

  private readonly events: NumberedEvent[] = []
  private readonly end = Promise.withResolvers<void>()

  constructor(
    readonly conversationId: string,
    readonly messageId: string,
  ) {
    super()
    this.finished = this.end.promise
  }

  get ended(): boolean {
    return this.endedAt !== undefined
  }

  /** Events so far. */
  get size(): number {
    return this.events.length
  }

  push(event: GuardedEvent): void {
    this.events.push({ ...event, id: this.events.length + 1 })
    this.notify()
  }

  close(): void {
    this.endedAt = Date.now()
    this.end.resolve()
    this.notify()
  }

  /** Events after number `after`, those to come included, until the reply ends or the reader leaves. */
  async *follow(after: number, signal?: AbortSignal): AsyncGenerator<NumberedEvent> {
    using _ = this.wakeOn(signal)
    for (let at = Math.max(0, after); ; ) {
      while (at < this.events.length) {
        if (signal?.aborted) return
        yield this.events[at++]!
      }
      if (this.ended || signal?.aborted) return
      await this.changed()
    }
  }
}
