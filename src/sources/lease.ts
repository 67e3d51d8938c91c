/** The right of one job to work on one source, looked at in every transaction that writes for it. */
import { isHeld } from "../jobs/claim.ts"
import type { LeasedJob } from "../jobs/worker.ts"
import type { Trx } from "../storage/database.ts"
import { inOrder } from "../storage/shared.ts"
import type { SourceRow } from "./source.ts"

/** The source was paused or removed, or the job is somebody else's by now: what is under way ends, and is no failure. */
export class Stopped extends Error {
  override name = "Stopped"
}

/**
 * The source as it is in this transaction. Whoever changes where its files lie waits meanwhile.
 * @throws Stopped
 */
export async function heldSource(trx: Trx, job: LeasedJob, workspaceId: string): Promise<SourceRow> {
  await inOrder(trx, workspaceId)
  const source = await trx
    .selectFrom("sources")
    .selectAll()
    .where("id", "=", job.subject)
    .where("paused", "=", 0)
    .where("removal", "is", null)
    .where(isHeld(job))
    .executeTakeFirst()
  if (!source) throw new Stopped("the sync was stopped")
  return source
}
