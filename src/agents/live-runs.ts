/** Runs as they are followed, waited for and ended, wherever they are carried out. */
import { Trouble } from "../log.ts"
import { orAbort } from "../threads/or-abort.ts"
import { Ending, type EndReason, noSuchRun } from "./endings.ts"
import type { LiveRun } from "./live-run.ts"
import { eventsOf, type RunEvent } from "./run-record.ts"
import type { RunStore } from "./run-store.ts"

export interface LiveRuns {
  /** The events after number `after`, from the rows, then as they come; ends with `done`. */
  follow(runId: string, after: number, signal: AbortSignal): AsyncGenerator<RunEvent, void>
  /** Settles when the run has ended, or waits for a person. Where `signal` aborts before and nobody else waits, the run is cancelled. */
  wait(runId: string, signal: AbortSignal): Promise<void>
  /** It goes on with nobody waiting. @returns whether it is known where it runs */
  detach(runId: string): Promise<boolean>
  /** Ends it where it is running. @returns whether it was */
  cancel(runId: string): Promise<boolean>
}

/** How often to look at a row that says `running` though this process no longer runs it: its end is still to be stored. */
const ORPHAN_POLL_MS = 1_000
/** How often a node looks whether its runs are still its own. */
const LOOK_MS = 1_000

/** Those of this process, which are all that one machine has. */
export class RunsHere implements LiveRuns {
  private readonly runs = new Map<string, LiveRun>()
  private readonly trouble = new Trouble({ begins: "whether others have ended runs could not be looked at" })
  private looking: Timer | undefined
  /** Those that wait on when this process has ended. */
  private readonly left = new Set<string>()

  /** @param isShared other nodes carry out runs beside these, and may end these */
  constructor(
    private readonly store: RunStore,
    private readonly isShared: boolean,
  ) {}

  get all(): LiveRun[] {
    return [...this.runs.values()]
  }

  has(runId: string): boolean {
    return this.runs.has(runId)
  }

  add(run: LiveRun): void {
    this.runs.set(run.id, run)
    if (this.isShared) this.looking ??= setInterval(() => void this.look(), LOOK_MS)
  }

  remove(run: LiveRun): void {
    if (this.runs.get(run.id) === run) this.runs.delete(run.id) // it may have been taken over again meanwhile
    run.notify()
    if (this.runs.size > 0) return
    clearInterval(this.looking)
    this.looking = undefined
  }

  async *follow(runId: string, after: number, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
    using _ = this.runs.get(runId)?.wakeOn(signal)
    let last = after
    while (!signal.aborted && !this.left.has(runId)) {
      // Before reading, so that nothing falls between.
      const changed = this.runs.get(runId)?.changed() ?? Bun.sleep(ORPHAN_POLL_MS)
      const found = await this.store.find(runId)
      if (!found) throw noSuchRun()
      for (const event of eventsOf(found)) {
        if (event.id <= last) continue
        last = event.id
        yield event
      }
      if (found.row.finished_at !== null) return
      await changed
    }
  }

  async wait(runId: string, signal: AbortSignal): Promise<void> {
    const run = this.runs.get(runId)
    if (!run) return
    run.waiting++
    try {
      await orAbort(Promise.race([run.ended, run.parked]), signal)
    } catch (error) {
      if (signal.aborted && run.waiting === 1 && !run.detached) await this.end(run, "cancelled")
      throw error
    } finally {
      run.waiting--
    }
  }

  async detach(runId: string): Promise<boolean> {
    const run = this.runs.get(runId)
    if (run) run.detached = true
    return run !== undefined
  }

  async cancel(runId: string): Promise<boolean> {
    const run = this.runs.get(runId)
    if (run) await this.end(run, "cancelled")
    return run !== undefined
  }

  async end(run: LiveRun, reason: EndReason): Promise<void> {
    run.abort.abort(new Ending(reason))
    await run.ended
  }

  /** Ends this process's part of a run that waits for a person; who follows it takes it up elsewhere, or later. */
  async leave(run: LiveRun): Promise<void> {
    this.left.add(run.id)
    await this.end(run, "left")
  }

  /** Stops runs that others have ended: of a node that could not be reached, or was taken for dead. */
  private async look(): Promise<void> {
    try {
      const statuses = await this.store.statusesOf([...this.runs.keys()])
      for (const run of this.runs.values()) {
        const status = statuses.get(run.id)
        if (status && status !== "running")
          run.abort.abort(new Ending(status === "cancelled" ? "cancelled" : "interrupted"))
      }
      this.trouble.clear()
    } catch (error) {
      this.trouble.note(error)
    }
  }
}
