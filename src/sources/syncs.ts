/**
 * How syncs of a source go, row by row. The states of one:
 *   listing  it is being found out what there is          ← begin
 *   taking   everything is noted: what is pending is fetched, what is gone deleted ← listed
 *   ended    finished_at is set                            ← end
 * A sync that a kill cut off goes on in its phase: a listing begins anew, what was noted is fetched and deleted.
 */
import { type RawBuilder, sql } from "kysely"
import { emit } from "../events/outbox.ts"
import type { EventType } from "../events/types.ts"
import { newId } from "../id.ts"
import type { Database, Executor, Trx } from "../storage/database.ts"
import { beyondNewest } from "../storage/newest.ts"
import { timeOf } from "../storage/shared.ts"
import { durationMs, nextTime } from "../timing.ts"
import type { ListingCounts } from "./listing.ts"
import { type SourceRow, type SyncRow, timingOf } from "./source.ts"

export type Counted = Partial<Record<"added" | "updated" | "deleted" | "unchanged" | "skipped" | "failed", number>>

export interface SyncError {
  code: string
  message: string
}

const MINUTE_MS = 60_000
const LONGEST_BACK_OFF_MS = 6 * 60 * MINUTE_MS
/** Syncs of a source that are remembered. */
const KEPT = 200

/** What is waited after so many failed syncs in a row: 1 min, 2, 4 … 6 h. */
const backOffMs = (outages: number): number =>
  Math.min(LONGEST_BACK_OFF_MS, MINUTE_MS * 2 ** Math.min(20, Math.max(0, outages - 1)))

const findSync = (executor: Executor, syncId: string): Promise<SyncRow | undefined> =>
  executor.selectFrom("source_syncs").selectAll().where("id", "=", syncId).executeTakeFirst()

/** Whether its newest sync is to be gone on with. */
export async function isUnfinished(executor: Executor, { sync_id }: Pick<SourceRow, "sync_id">): Promise<boolean> {
  const sync = sync_id === null ? undefined : await findSync(executor, sync_id)
  return sync !== undefined && sync.phase !== "ended"
}

/** The sync that is to be gone on with, or a new one; in the transaction that holds the source. */
export async function beginSync(trx: Trx, source: SourceRow): Promise<SyncRow> {
  const former = source.sync_id === null ? undefined : await findSync(trx, source.sync_id)
  if (former && former.phase !== "ended") return former
  const id = newId("sync")
  await trx
    .insertInto("source_syncs")
    .values({
      id,
      source_id: source.id,
      phase: "listing",
      forced: source.forced,
      started_at: new Date().toISOString(),
      finished_at: null,
      error_code: null,
      error_message: null,
    })
    .execute()
  await trx
    .updateTable("sources")
    .set({ sync_id: id, again: 0, forced: 0, next_sync_at: null })
    .where("id", "=", source.id)
    .execute()
  return (await findSync(trx, id))!
}

/** Everything was seen and noted. What is to be fetched is counted as it is. */
export async function listed(trx: Trx, syncId: string, counts: ListingCounts, guarded: number): Promise<void> {
  const { unchanged, skipped, failed } = counts
  await trx
    .updateTable("source_syncs")
    .set({ phase: "taking", unchanged, skipped, failed, guarded })
    .where("id", "=", syncId)
    .execute()
}

export async function count(trx: Trx, syncId: string, counted: Counted): Promise<void> {
  const given = Object.entries(counted).filter(([, by]) => by > 0) as [keyof Counted, number][]
  if (given.length === 0) return
  await trx
    .updateTable("source_syncs")
    .set(eb => Object.fromEntries(given.map(([column, by]) => [column, eb(column, "+", by)])))
    .where("id", "=", syncId)
    .execute()
}

/** Ends a sync, tells of it, and plans the next one. @param error where it failed */
export async function endSync(trx: Trx, source: SourceRow, syncId: string, error?: SyncError): Promise<void> {
  await trx
    .updateTable("source_syncs")
    .set({
      phase: "ended",
      finished_at: new Date().toISOString(),
      error_code: error?.code ?? null,
      error_message: error?.message ?? null,
    })
    .where("id", "=", syncId)
    .execute()
  const sync = (await findSync(trx, syncId))!
  const outcome = error ? "failed" : sync.guarded > 0 ? "guarded" : "synced"
  const outages = error ? source.outages + 1 : 0
  await trx
    .updateTable("sources")
    .set({ outcome, outages, next_sync_at: nextSync(trx, source, outages) })
    .where("id", "=", source.id)
    .execute()
  if (outcome !== "guarded" || source.outcome !== "guarded")
    await emit(trx, source.workspace_id, [{ type: EVENTS[outcome], data: told(source, sync) }])
  await forgetOld(trx, source.id)
}

const EVENTS = {
  synced: "source.synced",
  failed: "source.failed",
  guarded: "source.guarded",
} as const satisfies Record<string, EventType>

const told = (source: SourceRow, sync: SyncRow) => {
  const { added, updated, deleted, unchanged, skipped, failed, guarded } = sync
  const error = sync.error_code === null ? {} : { error: { code: sync.error_code, message: sync.error_message ?? "" } }
  return { id: source.id, sync_id: sync.id, added, updated, deleted, unchanged, skipped, failed, guarded, ...error }
}

/** When a source is due that failed so often in a row, or did not; null where nothing is planned. */
export function nextSync(
  executor: Database | Trx,
  source: Pick<SourceRow, "schedule" | "timezone">,
  outages: number,
): RawBuilder<string> | string | null {
  if (outages > 0) return timeOf(executor, backOffMs(outages))
  const timing = timingOf(source)
  if (!timing) return null
  return "every" in timing ? timeOf(executor, durationMs(timing.every)!) : nextTime(timing, new Date()).toISOString()
}

async function forgetOld(trx: Trx, sourceId: string): Promise<void> {
  const of = sql<boolean>`source_id = ${sourceId}`
  const last = await beyondNewest(trx, "source_syncs", { of, kept: KEPT })
  if (last !== undefined) await trx.deleteFrom("source_syncs").where(of).where("id", "<=", last).execute()
}
