/** What goes on without anybody looking, over all workspaces: for `/metrics` and the doctor. */
import { sql } from "kysely"
import type { Database } from "./database.ts"

export type SourceHealth = "idle" | "failed" | "guarded" | "paused"
export type ScheduleHealth = "active" | "failing" | "paused"

export interface SourceState {
  id: string
  name: string
  /** Of its last sync that ended; `idle` also before the first. */
  health: SourceHealth
  /** Failed syncs since the last good one. */
  outages: number
  next_sync_at: string | null
}

export async function sourceStates(database: Database): Promise<SourceState[]> {
  const rows = await database
    .selectFrom("sources")
    .select(["id", "name", "paused", "outcome", "outages", "next_sync_at"])
    .where("removal", "is", null)
    .orderBy("id")
    .execute()
  return rows.map(({ paused, outcome, ...row }) => ({
    ...row,
    health: paused ? "paused" : outcome === "failed" || outcome === "guarded" ? outcome : "idle",
  }))
}

/** `failing`: not paused, and the last run that ended had no success. */
export async function scheduleStates(
  database: Database,
): Promise<{ id: string; name: string; health: ScheduleHealth }[]> {
  const rows = await database
    .selectFrom("schedules")
    .select(eb => [
      "id",
      "name",
      "paused",
      eb
        .selectFrom("schedule_runs")
        .select("schedule_runs.status")
        .whereRef("schedule_runs.schedule_id", "=", "schedules.id")
        .where("schedule_runs.status", "!=", "running")
        .orderBy("schedule_runs.id", "desc")
        .limit(1)
        .as("last"),
    ])
    .orderBy("id")
    .execute()
  return rows.map(({ id, name, paused, last }) => ({
    id,
    name,
    health: paused ? "paused" : last === "failed" ? "failing" : "active",
  }))
}

/** @returns by status */
export async function webhookCounts(database: Database): Promise<Map<string, number>> {
  const rows = await database
    .selectFrom("webhooks")
    .select(eb => ["status", eb.fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute()
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}

/** Deliveries that were tried in vain and are tried again. */
export async function waitingDeliveries(database: Database): Promise<number> {
  const { count } = await database
    .selectFrom("webhook_deliveries")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .where("status", "=", "pending")
    .where("attempts", ">", 0)
    .executeTakeFirstOrThrow()
  return Number(count)
}

const UNFINISHED = ["validating", "in_progress", "finalizing", "cancelling"] as const

/** Batches that are not done, by status, and the requests of them that have no answer. */
export async function unfinishedBatches(
  database: Database,
): Promise<{ counts: [status: string, count: number][]; requests: number }> {
  const rows = await database
    .selectFrom("batches")
    .select(eb => [
      "status",
      eb.fn.countAll<number>().as("count"),
      sql<number>`sum(total - completed - failed)`.as("requests"),
    ])
    .where("status", "in", UNFINISHED)
    .groupBy("status")
    .execute()
  const counts = new Map<string, number>(rows.map(({ status, count }) => [status, Number(count)]))
  return {
    counts: UNFINISHED.map(status => [status, counts.get(status) ?? 0]),
    requests: rows.reduce((sum, { requests }) => sum + Number(requests), 0),
  }
}
