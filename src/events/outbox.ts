/** Where events are written: in the transaction of the change that they tell of, so that neither is there without the other. */
import { newId } from "../id.ts"
import type { Trx } from "../storage/database.ts"
import { inOrder } from "../storage/shared.ts"
import type { NewEvent } from "./types.ts"

/** Some 6 values a row; SQLite takes 32 766. */
const EVENTS_PER_INSERT = 1_000

/**
 * Writes events of one workspace, in the order given. Those of a workspace are numbered in the order of their commits, so
 * that who reads on behind the last number misses none.
 */
export async function emit(trx: Trx, workspaceId: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await inOrder(trx, workspaceId)
  const createdAt = new Date().toISOString()
  for (let at = 0; at < events.length; at += EVENTS_PER_INSERT)
    await trx
      .insertInto("events")
      .values(
        events.slice(at, at + EVENTS_PER_INSERT).map(({ type, data }) => ({
          id: newId("evt"),
          workspace_id: workspaceId,
          type,
          data: JSON.stringify(data),
          created_at: createdAt,
        })),
      )
      .execute()
}
