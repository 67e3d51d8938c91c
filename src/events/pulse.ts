/**
 * Tells those who wait that events were written, by whichever node: one look at the newest number for all of them. While
 * nobody waits nobody looks.
 */
import { sql } from "kysely"
import { log } from "../log.ts"
import type { Database } from "../storage/database.ts"
import { orAbort } from "../threads/or-abort.ts"

const LOOK_MS = 100
/**
 * Whoever waits looks this often, whatever was told: among several workspaces a lower number may be committed after a
 * higher one.
 */
const LONGEST_MS = 1_000

export class Pulse {
  /** Newest number that was seen. */
  private seen = -1
  private beats = 0
  private waiting: PromiseWithResolvers<void> | undefined
  private looking: Promise<void> | undefined

  constructor(private readonly database: Database) {}

  /** To be taken before what is there is looked at, and given to `beat`. */
  mark = (): number => this.beats

  /** Resolves once something was written since the mark, or a second later, or when the signal aborts. */
  async beat(mark: number, signal: AbortSignal): Promise<void> {
    if (mark !== this.beats || signal.aborted) return
    this.waiting ??= Promise.withResolvers()
    this.looking ??= this.look()
    await orAbort(Promise.race([this.waiting.promise, Bun.sleep(LONGEST_MS)]), signal).catch(() => {})
  }

  private async look(): Promise<void> {
    for (const began = performance.now(); performance.now() - began < LONGEST_MS; await Bun.sleep(LOOK_MS)) {
      const newest = await this.newest().catch(error => {
        log.debug("events could not be looked for", { error })
        return this.seen
      })
      if (newest === this.seen) continue
      this.seen = newest
      break
    }
    this.beats++
    this.waiting?.resolve()
    this.waiting = undefined
    this.looking = undefined
  }

  private async newest(): Promise<number> {
    const row = await this.database
      .selectFrom("events")
      .select(sql<number | null>`max(seq)`.as("seq"))
      .executeTakeFirst()
    return Number(row?.seq ?? 0)
  }
}
