/**
 * What keeps the keyword index in order beside queries: merges of segments, words of removed passages that have to go. It
 * works in slices of a few milliseconds, one piece at a time.
 */
import { log } from "../../log.ts"
import { countIds, intersect } from "../ids/id-ranges.ts"
import type { Extent } from "../thread/worker-messages.ts"
import type { Checkpoints } from "./checkpoints.ts"
import type { KeywordIndex } from "./keyword-index.ts"
import { Pace } from "./pace.ts"
import { mergeOnce } from "./segment-merge.ts"

/** Passages of a segment that is rewritten, in a second or so, soon after one of them was removed. */
const SMALL_SEGMENT = 20_000
/** A log that is read from cannot be cut; a query reads for milliseconds. */
const CUT_TRIES = 10
const CUT_AGAIN_MS = 500

export class Upkeep {
  merges = 0
  longestSliceMs = 0
  private merging: Promise<void> | undefined
  private closed = false

  constructor(
    private readonly index: KeywordIndex,
    private readonly checkpoints: Checkpoints,
    /** The log may hold words of removed passages: at first where a run that was killed left one. */
    private hasRemoved: boolean,
  ) {}

  get isMerging(): boolean {
    return this.merging !== undefined
  }

  /** Does a long piece of work, between whose slices queries go. */
  async paced(work: (pace: Pace) => Promise<void>): Promise<void> {
    const pace = new Pace(async () => {
      await this.checkpoints.settled()
      if (this.closed) throw new Error("closing")
    })
    try {
      await work(pace)
    } finally {
      this.longestSliceMs = Math.max(this.longestSliceMs, pace.longestSliceMs)
    }
  }

  /** Something was written: segments are merged if there are enough. */
  mergeLater(): void {
    this.merging ??= this.merge(0)
  }

  /** Something was removed, and stands in the log as well. */
  noteRemoved(): void {
    this.hasRemoved = true
    this.mergeLater()
  }

  /**
   * Writes anew the segments that hold words of removed passages, and cuts the log.
   * @returns whether nothing is left of what was removed before
   */
  async erase(extent: Extent): Promise<boolean> {
    await this.merging
    const removed = this.index.removedRanges()
    this.merging = this.merge(extent === "all" ? Number.POSITIVE_INFINITY : SMALL_SEGMENT)
    await this.merging
    // After it a write waits for the disk once, so the log is cut only when something of it is to go.
    let isCut = !this.hasRemoved
    for (let tries = CUT_TRIES; !isCut && tries > 0 && !this.closed; tries--) {
      this.hasRemoved = false // what is removed meanwhile is for the next time
      isCut = await this.checkpoints.cut()
      if (isCut) break
      this.hasRemoved = true
      await Bun.sleep(CUT_AGAIN_MS)
    }
    return isCut && this.index.leftovers.length === 0 && countIds(intersect(removed, this.index.held())) === 0
  }

  /** What is under way ends at its next slice. */
  async close(): Promise<void> {
    this.closed = true
    await this.checkpoints.close()
  }

  /** Segments of up to `erased` passages are rewritten for a single removed one. */
  private async merge(erased: number): Promise<void> {
    try {
      await this.paced(async pace => {
        await pace.giveWay()
        while ((await mergeOnce(this.index, pace, erased)) > 0) this.merges++
      })
    } catch (error) {
      // Such as a full disk. Nothing of a failed merge is visible; the next write tries again.
      if (!this.closed) log.warn("keyword segments could not be merged", { error })
    } finally {
      this.merging = undefined
    }
  }
}
