/** Removes from every store what no file has any more. It is invisible already: this gives back its place. */
import { log } from "../../log.ts"
import { deadGenerations, forgetGeneration } from "../../storage/chunks.ts"
import type { Database } from "../../storage/database.ts"
import { countIds, type IdRanges, subtract, toRanges, union } from "../ids/id-ranges.ts"
import type { SearchThread } from "../thread/search-thread.ts"
import type { VectorLeg } from "../vector/vector-leg.ts"
import type { Stage } from "./stage.ts"

/** Dead generations removed at a time. */
const SWEEP_BATCH = 64

export interface SweepOptions {
  db: Database
  thread: SearchThread
  vectors: VectorLeg
  /** What it writes is left alone. */
  stage: Stage
  /** Something was removed, and is to leave the disk. */
  swept: () => void
  /** Named points; tests die there. */
  reached: (point: string) => void
  signal: AbortSignal
}

export class Sweep {
  private running: Promise<void> | undefined
  private again = false

  constructor(private readonly options: SweepOptions) {}

  /**
   * Removes dead generations. Idempotent; calls that come while it runs make it look once more. Never rejects: what
   * could not be removed is removed by a later sweep.
   */
  run(): Promise<void> {
    this.again = true
    this.running ??= this.removeDead()
      .catch(error => {
        if (!this.options.signal.aborted) log.warn("removed files could not be swept", { error })
      })
      .finally(() => {
        this.running = undefined
      })
    return this.running
  }

  /** Waits for one under way. */
  async settled(): Promise<void> {
    await this.running
  }

  /**
   * Removes what the stores hold of generations that are forgotten: the note of their removal was lost, or a damaged
   * table of vectors went back to a former version.
   * @returns passages removed
   */
  async removeUnknown(): Promise<number> {
    const { db, thread } = this.options
    const { keyword, vector } = await thread.ask("holdings", {}) // before the database is read: ids are recorded there first
    const known = await knownIds(db)
    const unknown = union(subtract(keyword, known), subtract(vector, known))
    if (countIds(unknown) > 0) await this.remove(unknown)
    return countIds(unknown)
  }

  private async removeDead(): Promise<void> {
    const { db, stage, reached, swept, signal } = this.options
    while (this.again && !signal.aborted) {
      this.again = false
      let after = 0
      for (;;) {
        const dead = await deadGenerations(db, after, SWEEP_BATCH)
        if (dead.length === 0 || signal.aborted) break
        after = dead.at(-1)!.id
        const idle = dead.filter(({ id }) => !stage.isWriting(id))
        if (idle.length === 0) continue
        reached("sweep begins")
        await this.remove(toRanges(idle.map(({ first, last }) => [first, last])))
        for (const generation of idle) await forgetGeneration(db, generation)
        reached("swept")
        swept()
      }
    }
  }

  private async remove(ranges: IdRanges): Promise<void> {
    const { thread, vectors, reached } = this.options
    await vectors.remove(ranges)
    reached("vectors removed")
    await thread.ask("remove", { ranges })
    reached("words removed")
  }
}

/** Ids of every generation, whatever its state. */
export async function knownIds(db: Database): Promise<IdRanges> {
  const rows = await db.selectFrom("generations").select(["first_chunk", "last_chunk"]).execute()
  return toRanges(rows.map(row => [row.first_chunk, row.last_chunk]))
}
