/** Histories of which the newest rows are kept: ids rise with the time at which they were made. */
import type { RawBuilder } from "kysely"
import type { Executor } from "./database.ts"

type History = "source_syncs" | "schedule_runs" | "retention_passes"

/** The newest of the rows that are beyond those that are kept: it goes with all before it. Undefined while there are no more. */
export async function beyondNewest(
  executor: Executor,
  history: History,
  { of, kept }: { of: RawBuilder<boolean>; kept: number },
): Promise<string | undefined> {
  const row = await executor
    .selectFrom(history)
    .select("id")
    .where(of)
    .orderBy("id", "desc")
    .offset(kept)
    .limit(1)
    .executeTakeFirst()
  return row?.id
}
