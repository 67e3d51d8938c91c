/**
 * The events of one reply, kept while it is written and for some minutes after. Every reader reads from here; one that
 * leaves changes nothing.
 */
import type { AppError } from "../errors.ts"
import { Live } from "../grounding/live.ts"
import type { GuardedEvent, NumberedEvent } from "./events.ts"

/** Why a reply was stopped from outside. */
export type StopReason = "cancelled" | "shutdown"

/** `abort` stops the model; its reason is a StopReason. */
export class LiveReply extends Live {
  /** Settles when the reply is stored, whatever became of it. */
  readonly finished: Promise<void>
  /** Why it failed; set before `finished` settles. */
  failure: AppError | Error | undefined
  endedAt: number | undefined
  /** Its end was stored by who wrote it. */
  isStored = false

  private readonly events: NumberedEvent[] = []
  private readonly end = Promise.withResolvers<void>()
  /** Events that stand in the database. */
  private savedCount = 0

  /** @param owner node that writes it */
  constructor(
    readonly conversationId: string,
    readonly messageId: string,
    readonly owner: string | null,
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

  /** Waits until the reply is stored. @returns what it failed with */
  async outcome(): Promise<Error | undefined> {
    await this.finished
    return this.failure
  }

  get isUnsaved(): boolean {
    return this.savedCount < this.events.length
  }

  /** Events that are not in the database yet. */
  unsaved(): NumberedEvent[] {
    return this.events.slice(this.savedCount)
  }

  /** They are now. */
  save(events: readonly NumberedEvent[]): void {
    this.savedCount = Math.max(this.savedCount, events.at(-1)?.id ?? 0)
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
