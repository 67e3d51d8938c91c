/** Where events are written: in the transaction of the change that they tell of, so that neither is there without the other. */
import { newId } from "../id.ts"
import type { Trx } from "../storage/database.ts"
import { inOrder } from "../storage/shared.ts"
import type { NewEvent } from "./types.ts"

/** Some 12 values a row; SQLite takes 32 766. */
const EVENTS_PER_INSERT = 1_000
const MAX_DATA_BYTES = 16_384

/**
 * Writes events of one workspace, in the order given. Those of a workspace are numbered in the order of their commits, so
 * that who reads on behind the last number misses none. Others of the workspace who write events wait for the end of the
 * transaction: what else it has to lock it locks before, or calls `inOrder` with the workspace first.
 */
export async function emit(trx: Trx, workspaceId: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await inOrder(trx, workspaceId)
  const createdAt = new Date().toISOString()
  for (let at = 0; at < events.length; at += EVENTS_PER_INSERT)
    await trx
      .insertInto("events")
      .values(
        events.slice(at, at + EVENTS_PER_INSERT).map(({ type, data, seenBy }) => ({
          id: newId("evt"),
          workspace_id: workspaceId,
          type,
          data: boundedData(data),
          created_at: createdAt,
          subject: data.id,
          context_id: seenBy?.context_id ?? null,
          acl: seenBy?.acl ?? null,
          owner_id: seenBy?.owner_id ?? null,
          maker: seenBy?.maker ?? null,
          end_user: seenBy?.end_user ?? null,
        })),
      )
      .execute()
}

/** A change never fails for the size of what is told of it. */
function boundedData(data: NewEvent["data"]): string {
  const text = JSON.stringify(data)
  return Buffer.byteLength(text) <= MAX_DATA_BYTES ? text : JSON.stringify({ id: data.id, truncated: true })
}
