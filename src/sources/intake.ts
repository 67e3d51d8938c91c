/**
 * How many files a source may have waiting to be indexed: as many as are read in two seconds. A source of a hundred thousand
 * files so keeps the readers busy, and a file that somebody uploads meanwhile waits for two seconds' work, not for all of it.
 */
import { INDEX_FILE } from "../ingest/task.ts"
import type { Database } from "../storage/database.ts"
import { timeOf } from "../storage/shared.ts"
import { filled, words } from "../storage/words.ts"
import { pause } from "../threads/or-abort.ts"

/** A file that a reader is busy with for a while counts as so many that are read in groups. */
const LARGE = 16
/** Of small files: two groups that are at work and two that wait. */
const FIRST_LIMIT = 256
const MAX_LIMIT = 1_500
const AHEAD_S = 2
const LOOK_EVERY_MS = 100
/** Share of the newest measurement in the rate. */
const NEW_SHARE = 0.3

export class Intake {
  /** Weights, by the id of the file. */
  private readonly waiting = new Map<string, number>()
  private weight = 0
  private limit = FIRST_LIMIT
  private rate = 0
  private lookedAt = performance.now()

  /** @param readers files that are read at the same time */
  constructor(
    private readonly database: Database,
    private readonly readers: number,
  ) {}

  /** To be told of each file that was put into the queue. */
  add(fileId: string, isLarge: boolean): void {
    const weight = isLarge ? LARGE : 1
    this.waiting.set(fileId, weight)
    this.weight += weight
  }

  /**
   * Waits until another file may be fetched.
   * @param until by `performance.now`
   * @returns false where that time has come before
   * @throws the reason of the signal
   */
  async room(until: number, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted()
      if (performance.now() >= until) return false
      if (this.weight < this.limit) return true
      await this.look()
      if (this.weight < this.limit) return true
      await pause(LOOK_EVERY_MS, signal)
    }
  }

  private async look(): Promise<void> {
    const before = this.weight
    const { database } = this
    // One that waits for another attempt holds up nobody.
    const rows = await database
      .selectFrom("jobs")
      .select("subject")
      .where("task", "=", INDEX_FILE)
      .where(filled<boolean>(words(database).among("subject", "text"), JSON.stringify([...this.waiting.keys()])))
      .where(eb => eb.or([eb("run_at", "<=", timeOf(database)), eb("lease_token", "is not", null)]))
      .execute()
    const left = new Set(rows.map(({ subject }) => subject))
    for (const [id, weight] of this.waiting)
      if (!left.has(id)) {
        this.waiting.delete(id)
        this.weight -= weight
      }
    const now = performance.now()
    const seconds = Math.max(0.001, (now - this.lookedAt) / 1_000)
    this.lookedAt = now
    this.rate += NEW_SHARE * ((before - this.weight) / seconds - this.rate)
    const least = LARGE * (this.readers + 1)
    const wanted = this.weight === 0 ? this.limit * 2 : this.rate * AHEAD_S
    this.limit = Math.min(MAX_LIMIT, Math.max(least, wanted))
  }
}
