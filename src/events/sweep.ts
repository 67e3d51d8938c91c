/** Forgets events that are older than they are kept, with what is noted of their deliveries. */
import { sql } from "kysely"
import { log } from "../log.ts"
import type { Database } from "../storage/database.ts"
import { timeOf } from "../storage/shared.ts"
import { pause } from "../threads/or-abort.ts"

const DAY_MS = 24 * 3_600_000
const EVERY_MS = 600_000
/** Longer than keys are told of before they expire. */
const MARKED_DAYS = 30
/** Rows of one transaction: whoever writes meanwhile waits for it. */
const ROWS = 1_000

/** From time to time until the signal aborts. */
export async function sweepEvents(database: Database, keptDays: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await forgetOld(database, keptDays, signal).catch(error => {
      if (!signal.aborted) log.warn("old events could not be swept", { error })
    })
    await pause(EVERY_MS, signal).catch(() => {})
  }
}

/**
 * The newest event of each workspace stays: who reads on behind it, and missed nothing, finds it known.
 * @returns events that are gone now
 */
export async function forgetOld(database: Database, keptDays: number, signal?: AbortSignal): Promise<number> {
  let count = 0
  const before = timeOf(database, -keptDays * DAY_MS)
  for (let gone = ROWS; gone === ROWS && !signal?.aborted; ) {
    const { numAffectedRows = 0n } = await sql`delete from events where seq in
      (select seq from events as old where created_at < ${before}
        and exists (select 1 from events where workspace_id = old.workspace_id and seq > old.seq)
        order by created_at limit ${ROWS})`.execute(database)
    gone = Number(numAffectedRows)
    count += gone
  }
  await database.deleteFrom("webhook_deliveries").where("first_at", "<", before).execute()
  await database
    .deleteFrom("event_marks")
    .where("created_at", "<", timeOf(database, -MARKED_DAYS * DAY_MS))
    .where("name", "like", "key %")
    .execute()
  return count
}
