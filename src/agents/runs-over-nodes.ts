/**
 * Runs of a cluster: each is carried out by the node that its row names, and followed, waited for and ended through any.
 * Events are a function of the rows, so that they are the same wherever they are read; the owner's stream has them sooner.
 */
import { followOverNodes, type StoredWork } from "../nodes/follow.ts"
import type { Peers } from "../nodes/peers.ts"
import { pause } from "../threads/or-abort.ts"
import { noSuchRun, openStepResult } from "./endings.ts"
import type { LiveRuns, RunsHere } from "./live-runs.ts"
import { eventsOf, type RunEvent } from "./run-record.ts"
import type { RunStore } from "./run-store.ts"

/** Below it a node streams the events of runs that it carries out, and ends them. */
export const RUNS_PATH = "/_node/runs"
/** The end of a run is stored within it, unless the database is slow. */
const CALL_MS = 5_000
/** How often to look whether a run has ended whose owner is not reached. */
const LOOK_MS = 1_000

export class RunsOverNodes implements LiveRuns {
  constructor(
    private readonly here: RunsHere,
    private readonly store: RunStore,
    private readonly peers: Peers,
    /** Takes over or ends what was given up; see `AgentRuns.recover`. */
    private readonly recover: () => Promise<unknown>,
  ) {}

  async *follow(runId: string, after: number, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
    if (this.here.has(runId)) return yield* this.here.follow(runId, after, signal)
    const { owner } = await this.store.ownerOf(runId)
    const work = {
      target: (last: number) => `${RUNS_PATH}/${runId}/events?after=${last}`,
      read: (value: unknown) => value as RunEvent,
      isLast: ({ event }: RunEvent) => event === "done",
      stored: (last: number) => this.stored(runId, last),
    }
    yield* followOverNodes(work, owner, this.peers, after, signal)
  }

  /**
   * The owner counts those who wait elsewhere as well. What a node carried out that was taken for dead meanwhile has an end
   * here and none in its row: that one counts.
   */
  async wait(runId: string, signal: AbortSignal): Promise<void> {
    if (this.here.has(runId)) await this.here.wait(runId, signal)
    for (;;) {
      signal.throwIfAborted()
      const { owner, isGivenUp, isRunning, isWaiting } = await this.store.ownerOf(runId)
      if (isGivenUp) await this.recover()
      if (!isRunning || isWaiting) return
      if (owner && this.peers.isReached(owner) && (await this.peers.wait(owner, `${RUNS_PATH}/${runId}/end`, signal)))
        continue
      await pause(LOOK_MS, signal)
    }
  }

  async detach(runId: string): Promise<boolean> {
    return (await this.here.detach(runId)) || this.ask(runId, "detach")
  }

  /** The rows of a run whose node is alive and not reached are ended: its owner finds that when it looks next. */
  async cancel(runId: string): Promise<boolean> {
    if ((await this.here.cancel(runId)) || (await this.ask(runId, "cancel"))) return true
    return this.store.endCancelled(runId, openStepResult("cancelled"))
  }

  private async ask(runId: string, what: "detach" | "cancel"): Promise<boolean> {
    const { owner } = await this.store.ownerOf(runId)
    if (!owner || !this.peers.isReached(owner)) return false
    return this.peers.call(owner, `${RUNS_PATH}/${runId}/${what}`, CALL_MS)
  }

  private async stored(runId: string, after: number): Promise<StoredWork<RunEvent>> {
    const { owner, isGivenUp } = await this.store.ownerOf(runId)
    if (isGivenUp) await this.recover()
    const found = await this.store.find(runId)
    if (!found) throw noSuchRun()
    const events = eventsOf(found).filter(({ id }) => id > after)
    return { events, isOver: found.row.finished_at !== null, owner }
  }
}
