/** Events that are sent once more to one webhook, and how that is asked for. */
import { sql } from "kysely"
import type { View } from "../access/view.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { WebhooksTable } from "../storage/events.ts"
import { timeOf } from "../storage/shared.ts"
import { readEvents } from "./feed.ts"
import { heardBy } from "./visible.ts"

/** Events that one request sends again. */
export const MAX_AGAIN = 10_000
const ROWS = 500

interface ToSend {
  seq: number
  id: string
  type: string
}

/** None where the webhook may not hear of it. */
export function eventNamed(database: Database, webhook: WebhooksTable, id: string): Promise<ToSend[]> {
  return database
    .selectFrom("events")
    .select(["seq", "id", "type"])
    .where("id", "=", id)
    .where(heardBy(database, JSON.parse(webhook.view) as View))
    .execute()
}

/** One more than may be at most, where there are too many. */
export async function eventsSince(
  database: Database,
  { view, types, workspace_id }: WebhooksTable,
  since: string,
): Promise<ToSend[]> {
  const first = await database
    .selectFrom("events")
    .select(sql<number | null>`min(seq)`.as("seq"))
    .where("workspace_id", "=", workspace_id)
    .where("created_at", ">=", since)
    .executeTakeFirst()
  if (!first?.seq) return []
  const events: ToSend[] = []
  for (let after = first.seq - 1, isEnd = false; !isEnd && events.length <= MAX_AGAIN; ) {
    const limit = MAX_AGAIN + 1 - events.length
    const read = await readEvents(database, JSON.parse(view) as View, {
      after,
      types: types && JSON.parse(types),
      limit,
    })
    events.push(...read.rows)
    after = read.upTo
    isEnd = read.isEnd
    if (!isEnd) await Bun.sleep(0)
  }
  return events
}

/** With as many attempts as at first; what it is sent for the first time meanwhile it may get twice. */
export async function sendAgain(trx: Trx, webhookId: string, events: readonly ToSend[]) {
  for (let at = 0; at < events.length; at += ROWS)
    await trx
      .insertInto("webhook_deliveries")
      .values(
        events.slice(at, at + ROWS).map(({ seq, id, type }) => ({
          ...{ webhook_id: webhookId, seq, event_id: id, type, status: "pending", attempts: 0, tries: 0 },
          ...{ first_at: timeOf(trx), next_at: timeOf(trx) },
        })),
      )
      .onConflict(conflict =>
        conflict.columns(["webhook_id", "seq"]).doUpdateSet(eb => ({
          status: eb.ref("excluded.status"),
          attempts: 0,
          first_at: eb.ref("excluded.first_at"),
          next_at: eb.ref("excluded.next_at"),
        })),
      )
      .execute()
}
