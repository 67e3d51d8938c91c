/** How far a file is: its stage and progress in its record while it is being indexed, and how long each stage takes. */
import { isHeld } from "../jobs/claim.ts"
import type { LeasedJob } from "../jobs/worker.ts"
import { stageSeconds } from "../metrics.ts"
import type { FilesTable } from "../storage/files.ts"
import type { OutcomeDependencies } from "./outcomes.ts"

export type Stage = "extracting" | "ocr" | "chunking" | "embedding" | "committing"

/** Share of the whole that is done when a stage begins; embedding takes most of a text, reading most of a scan. */
const STAGE_START: Record<Stage, number> = { extracting: 0, ocr: 0, chunking: 0.5, embedding: 0.55, committing: 0.95 }
const STAGE_LENGTH: Record<Stage, number> = {
  extracting: 0.5,
  ocr: 0.5,
  chunking: 0.05,
  embedding: 0.4,
  committing: 0.04,
}
/** Progress is written at most this often: each write is an fsync. */
const PROGRESS_INTERVAL_MS = 500

export interface ProgressReporter {
  (stage: Stage, progress: number): Promise<void>
  /** Waits for a write under way, so that a final state is not overwritten by it. */
  settled(): Promise<void>
  clock: StageClock
}

/**
 * Writes stage changes at once and progress now and then; never backwards. On a slow disk a stage is passed over, so
 * that telling of the work takes no longer than the work.
 */
export function progressReporter(
  { database, announce }: Pick<OutcomeDependencies, "database" | "announce">,
  file: FilesTable,
  job: LeasedJob,
): ProgressReporter {
  let lastStage: Stage | undefined
  let lastProgress = 0
  let writtenAt = Number.NEGATIVE_INFINITY
  let writeTookMs = 0
  let writing: Promise<unknown> = Promise.resolve()
  const clock = new StageClock()
  const report = async (stage: Stage, share: number) => {
    const progress = Math.max(lastProgress, Math.min(0.99, STAGE_START[stage] + STAGE_LENGTH[stage] * share))
    clock.enter(stage)
    const now = performance.now()
    if (now - writtenAt < (stage === lastStage ? PROGRESS_INTERVAL_MS : writeTookMs)) return
    lastStage = stage
    lastProgress = progress
    writtenAt = now
    writing = writing.then(() =>
      database
        .updateTable("files")
        .set({
          status: "indexing",
          stage,
          progress: Math.round(progress * 1000) / 1000,
          attempts: job.attempts,
          updated_at: new Date().toISOString(),
        })
        .where("id", "=", file.id)
        .where("generation", "=", file.generation) // a newer version has a progress of its own
        .where(isHeld(job)) // and so has another node that took over
        .execute(),
    )
    await writing
    writtenAt = performance.now()
    writeTookMs = writtenAt - now
    announce(file.id)
  }
  return Object.assign(report, {
    clock,
    settled: () =>
      writing.then(
        () => {},
        () => {},
      ),
  })
}

/** Measures how long a file stays in each stage of indexing. */
export class StageClock {
  private stage: string | undefined
  private since = 0

  /** The stage that goes on from now; the same one again changes nothing. */
  enter(stage: string): void {
    if (stage === this.stage) return
    this.end()
    this.stage = stage
    this.since = performance.now()
  }

  end(): void {
    if (this.stage !== undefined) stageSeconds.observe({ stage: this.stage }, (performance.now() - this.since) / 1000)
    this.stage = undefined
  }
}
