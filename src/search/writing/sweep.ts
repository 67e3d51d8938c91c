/** Removes from every store what no file has any more. It is invisible already: this gives back its place. */
import { log } from "../../log.ts"
import { deadGenerations, forgetGeneration } from "../../storage/chunks.ts"
import type { Database } from "../../storage/database.ts"
import type { PassageStore } from "../passage-store.ts"
import type { Membership } from "./membership.ts"
import type { Stage } from "./stage.ts"

/** Dead generations removed at a time. */
const SWEEP_BATCH = 64

export interface SweepOptions {
  db: Database
  store: PassageStore
  members: Membership
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
   * Removes dead generations that nobody writes any more. Idempotent; calls that come while it runs make it look once
   * more. Never rejects: what could not be removed is removed by a later sweep. Left to the node that leads.
   */
  async run(): Promise<void> {
    if (!this.options.members.isLeader()) return
    this.again = true
    this.running ??= this.removeDead()
      .catch(error => {
        if (!this.options.signal.aborted) log.warn("removed files could not be swept", { error })
      })
      .finally(() => {
        this.running = undefined
      })
    await this.running
  }

  /** Waits for one under way. */
  async settled(): Promise<void> {
    await this.running
  }

  private async removeDead(): Promise<void> {
    const { db, store, reached, swept, signal } = this.options
    while (this.again && !signal.aborted) {
      this.again = false
      let after = 0
      for (;;) {
        const dead = await deadGenerations(db, after, SWEEP_BATCH)
        if (dead.length === 0 || signal.aborted) break
        after = dead.at(-1)!.id
        const idle = await this.idle(dead)
        if (idle.length === 0) continue
        reached("sweep begins")
        await store.remove(idle)
        for (const generation of idle) await forgetGeneration(db, generation)
        reached("swept")
        swept()
      }
    }
  }

  /** Of dead generations those that no living node writes. */
  private async idle<G extends { id: number; owner: string | null }>(dead: readonly G[]): Promise<G[]> {
    const { stage, members } = this.options
    const living = dead.some(({ owner }) => owner !== null) ? await members.living() : undefined
    return dead.filter(({ id, owner }) => {
      if (stage.isWriting(id)) return false
      return owner === null || owner === members.node || !living?.has(owner)
    })
  }
}
