/**
 * Sees to it that what was removed leaves the disk. A removed passage is out of every answer at once, but its words stay in
 * the segment and its vector in the fragment that hold it until those are written anew. Small ones are soon after a
 * removal; large ones, which cost seconds of work and up to a gigabyte of writing, within an hour.
 */
import { log } from "../../log.ts"
import type { Extent } from "../thread/worker-messages.ts"

/** Removals often come in a row; they are erased together. */
const SMALL_AFTER_MS = 10_000
const ALL_AFTER_MS = 3_600_000

export class Erasure {
  private small: Timer | undefined
  private all: Timer | undefined
  private running: Promise<void> = Promise.resolve()

  constructor(private readonly erase: (extent: Extent) => Promise<void>) {}

  /** Something was removed. */
  note(): void {
    this.small ??= setTimeout(() => {
      this.small = undefined
      void this.run("small")
    }, SMALL_AFTER_MS).unref()
    this.all ??= setTimeout(() => {
      this.all = undefined
      void this.run("all")
    }, ALL_AFTER_MS).unref()
  }

  /** Erases now. Never rejects: what failed is tried again with the next removal. */
  run(extent: Extent): Promise<void> {
    this.running = this.running
      .then(() => this.erase(extent))
      .catch(error => log.warn("what was removed could not be erased from the index yet", { error }))
    return this.running
  }

  async close(): Promise<void> {
    clearTimeout(this.small)
    clearTimeout(this.all)
    await this.running
  }
}
