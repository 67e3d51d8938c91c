/** Looks for schedules that are due. One node does it; two that do it for a moment begin no run twice. */
import type { JobQueue } from "../jobs/queue.ts"
import { Trouble } from "../log.ts"
import type { Database } from "../storage/database.ts"
import type { SchedulesTable } from "../storage/schedules.ts"
import { inOrder, timeOf } from "../storage/shared.ts"
import { pause } from "../threads/or-abort.ts"
import { nextTime, type Timing } from "../timing.ts"
import { beginRun } from "./schedules.ts"

const LOOK_MS = 1_000
/** Looked at with one query. */
const DUE_AT_ONCE = 100

/** Until the signal aborts. */
export async function watchSchedules(database: Database, queue: JobQueue, signal: AbortSignal): Promise<void> {
  const trouble = new Trouble({ begins: "schedules cannot be looked at", ends: "schedules are looked at again" })
  while (!signal.aborted) {
    try {
      await beginDue(database, queue)
      trouble.clear()
    } catch (error) {
      trouble.note(error)
    }
    await pause(LOOK_MS, signal).catch(() => {})
  }
}

/** @returns how many runs it began */
export async function beginDue(database: Database, queue: JobQueue): Promise<number> {
  const due = await database
    .selectFrom("schedules")
    .selectAll()
    .where("next_run_at", "is not", null)
    .where("next_run_at", "<=", timeOf(database))
    .orderBy("next_run_at")
    .limit(DUE_AT_ONCE)
    .execute()
  let begun = 0
  for (const schedule of due) if (await begin(database, queue, schedule)) begun++
  if (begun > 0) queue.announce()
  return begun
}

/** In one transaction with its next time, so that a time makes one run, whoever sees it come and wherever it is killed. */
const begin = (database: Database, queue: JobQueue, schedule: SchedulesTable): Promise<boolean> =>
  database.transaction().execute(async trx => {
    await inOrder(trx, schedule.workspace_id)
    const { numUpdatedRows } = await trx
      .updateTable("schedules")
      .set({ next_run_at: nextRunAt(schedule) })
      .where("id", "=", schedule.id)
      .where("next_run_at", "=", schedule.next_run_at)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    return (await beginRun(trx, queue, schedule)) !== undefined
  })

/** The first time to come: those that went by are made up for by the run that begins. */
function nextRunAt({ timing: stored, next_run_at: last }: SchedulesTable): string {
  const timing = JSON.parse(stored) as Timing
  const now = new Date()
  const next = nextTime(timing, new Date(last!))
  return (next > now ? next : nextTime(timing, now)).toISOString()
}
