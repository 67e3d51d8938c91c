/**
 * Sees to it that what was removed leaves the disk. A removed passage is out of every answer at once, but its words stay in
 * the segment and its vector in the fragment that hold it until those are written anew. Small ones are soon after a
 * removal; large ones, which cost seconds of work and up to a gigabyte of writing, within an hour.
 */
import { log } from "../../log.ts"
import type { Extent } from "../thread/worker-messages.ts"

/** Removals often come in a row; they are erased together, and erasing takes at most a tenth of the time. */
const SMALL_AFTER_MS = { least: 1_000, most: 10_000 }
const REST_PER_WORK = 9
const ALL_AFTER_MS = 3_600_000
/** What was left after all was to be written anew takes more than a try: it is not repeated each hour. */
const REST_MS = 24 * 3_600_000

export class Erasure {
  private small: Timer | undefined
  private all: Timer | undefined
  private running: Promise<void> = Promise.resolve()
  private upTo = 0
  private smallAfterMs = SMALL_AFTER_MS.least
  private closed = false

  /** @param erase as `PassageStore.erase` */
  constructor(private readonly erase: (extent: Extent) => Promise<boolean>) {}

  /** Something was removed. */
  note(): void {
    if (this.closed) return
    this.small ??= setTimeout(() => {
      this.small = undefined
      void this.run("small")
    }, this.smallAfterMs).unref()
    this.all ??= this.later(ALL_AFTER_MS)
  }

  /** Whether nothing is left of what was removed before that time; else it is being seen to. @param time milliseconds since 1970 */
  hasErased(time: number): boolean {
    if (this.upTo > time) return true
    this.note()
    return false
  }

  /** Erases now. Never rejects: what failed is tried again. */
  run(extent: Extent): Promise<void> {
    this.running = this.running
      .then(async () => {
        const [began, started] = [Date.now(), performance.now()]
        const isErased = await this.erase(extent)
        this.smallAfterMs = restAfter(performance.now() - started)
        if (isErased) this.upTo = began
        else if (extent === "all") this.all ??= this.closed ? undefined : this.later(REST_MS)
      })
      .catch(error => log.warn("what was removed could not be erased from the index yet", { error }))
    return this.running
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.small)
    clearTimeout(this.all)
    await this.running
  }

  private later(ms: number): Timer {
    return setTimeout(() => {
      this.all = undefined
      void this.run("all")
    }, ms).unref()
  }
}

const restAfter = (tookMs: number): number =>
  Math.min(Math.max(tookMs * REST_PER_WORK, SMALL_AFTER_MS.least), SMALL_AFTER_MS.most)
