/** What makes sources sync without being asked: their schedules, and changes that their connectors tell of. One node sees to it. */

import type { JobQueue } from "../jobs/queue.ts"
import { log, Trouble } from "../log.ts"
import type { Database } from "../storage/database.ts"
import { inOrder, timeOf } from "../storage/shared.ts"
import { pause } from "../threads/or-abort.ts"
import type { SourceType } from "./connector.ts"
import type { SourceRow } from "./source.ts"
import type { Sources } from "./sources.ts"
import { syncJob } from "./sync.ts"

const LOOK_EVERY_MS = 1_000
const WATCH_EVERY_MS = 2_000
/** Sources that become due at the same moment go group by group. */
const PAGE = 100
/** A watch that failed is tried again after this. */
const WATCH_AGAIN_MS = 60_000
/** Of the time that a sync took, between two that changes ask for. */
const PAUSE_TIMES = 10
const LONGEST_PAUSE_MS = 60_000

export interface DueParts {
  database: Database
  queue: JobQueue
  sources: Sources
}

/** Asks for the syncs that are due; to be run by the leader, until the signal aborts. */
export async function keepSchedules({ database, queue }: DueParts, signal: AbortSignal): Promise<void> {
  const trouble = new Trouble({
    begins: "sources that are due cannot be seen",
    ends: "sources sync again when they are due",
  })
  while (!signal.aborted) {
    try {
      await askDue(database, queue, signal)
      trouble.clear()
    } catch (error) {
      if (!signal.aborted) trouble.note(error)
    }
    await pause(LOOK_EVERY_MS, signal).catch(() => {})
  }
}

/** The plan goes and the job comes in one transaction: a kill in between loses neither. */
async function askDue(database: Database, queue: JobQueue, signal?: AbortSignal): Promise<void> {
  for (let found = PAGE; found === PAGE && !signal?.aborted; ) {
    const due = await dueSources(database).select(["id", "workspace_id"]).limit(PAGE).execute()
    for (const { id, workspace_id } of due)
      await database.transaction().execute(async trx => {
        await inOrder(trx, workspace_id)
        const { numUpdatedRows } = await trx
          .updateTable("sources")
          .set({ next_sync_at: null })
          .where("id", "=", id)
          .where("next_sync_at", "<=", timeOf(trx))
          .executeTakeFirst()
        if (numUpdatedRows > 0n) await queue.enqueueIfNone(trx, syncJob(id, workspace_id))
      })
    if (due.length > 0) queue.announce()
    found = due.length
  }
}

const dueSources = (database: Database) =>
  database
    .selectFrom("sources")
    .where("next_sync_at", "<=", timeOf(database))
    .where("paused", "=", 0)
    .where("removal", "is", null)

interface Watch {
  /** Of the source: another one is another place. */
  config: string
  stop: AbortController
}

/** Watches the sources whose connectors can tell of changes; to be run by the leader, until the signal aborts. */
export async function keepWatches(
  { sources }: DueParts,
  types: readonly SourceType[],
  signal: AbortSignal,
): Promise<void> {
  const watches = new Map<string, Watch>()
  const trouble = new Trouble({ begins: "sources cannot be watched", ends: "sources are watched again" })
  while (!signal.aborted) {
    try {
      const rows = new Map((await sources.watched(types)).map(row => [row.id, row]))
      for (const [id, { config, stop }] of watches)
        if (rows.get(id)?.config !== config) {
          stop.abort(new Error("the source is watched no more"))
          watches.delete(id)
        }
      for (const row of rows.values()) if (!watches.has(row.id)) watches.set(row.id, begin(sources, row, signal))
      trouble.clear()
    } catch (error) {
      if (!signal.aborted) trouble.note(error)
    }
    await pause(WATCH_EVERY_MS, signal).catch(() => {})
  }
}

function begin(sources: Sources, row: SourceRow, until: AbortSignal): Watch {
  const stop = new AbortController()
  void watch(sources, row, AbortSignal.any([stop.signal, until]))
  return { config: row.config, stop }
}

/** A watch that fails is begun anew: where the place is there again, it tells of a change at once. */
async function watch(sources: Sources, row: SourceRow, signal: AbortSignal): Promise<void> {
  const pace = new Pace(sources, row.id)
  while (!signal.aborted) {
    try {
      const connector = sources.connectorOf(row)
      await connector.watch?.(() => pace.note(), signal).finally(() => connector.close?.())
    } catch (error) {
      if (!signal.aborted) log.debug("a source cannot be watched at present", { source: row.id, error })
    }
    await pause(WATCH_AGAIN_MS, signal).catch(() => {})
  }
  pace.end()
}

/** Asks for a sync at once where the last one is long ago; where changes never end, as with a log, most of the time is for others. */
class Pace {
  private timer: Timer | undefined
  private askedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly sources: Sources,
    private readonly id: string,
  ) {}

  note(): void {
    this.timer ??= setTimeout(() => this.asked(), 0)
  }

  end(): void {
    clearTimeout(this.timer)
  }

  private asked(): void {
    this.ask().catch(error => {
      this.timer = undefined
      log.warn("a sync could not be asked for", { source: this.id, error })
    })
  }

  private async ask(): Promise<void> {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, PAUSE_TIMES * (await this.sources.lastDurationMs(this.id)))
    const waitMs = this.askedAt + pauseMs - performance.now()
    if (waitMs > 0) {
      this.timer = setTimeout(() => this.asked(), waitMs)
      return
    }
    this.timer = undefined
    this.askedAt = performance.now()
    await this.sources.changed(this.id)
  }
}
