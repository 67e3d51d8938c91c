/** What came of deliveries, as it is noted: many at a time, and only by the node that sends. */
import type { Database, Trx } from "../storage/database.ts"
import type { DeliveryStatus, WebhooksTable } from "../storage/events.ts"
import { inOrder, timeOf } from "../storage/shared.ts"
import { emit } from "./outbox.ts"
import type { Outcome } from "./receiver.ts"

/** What of a webhook is needed to send. */
export type Sending = Pick<WebhooksTable, "id" | "workspace_id">

/** One event at one receiver. */
export interface Attempted {
  seq: number
  eventId: string
  type: string
  /** It stands in a row already. */
  isAgain: boolean
  status: DeliveryStatus
  attempts: number
  tries: number
  outcome: Outcome
  firstAt: string
  lastAt: string
  /** From now on; undefined unless pending. */
  waitMs?: number | undefined
}

/** Successes listed of one note: where thousands are sent in a second, only some are. */
const NOTED_SUCCESSES = 100
/** Of a webhook, those that wait for another attempt not counted. */
const KEPT_DELIVERIES = 1_000

export class LostWebhook extends Error {
  constructor() {
    super("another node sends for this webhook now, or it is gone")
  }
}

/**
 * Everything up to `cursor` was sent, or waits in its row to be sent again.
 * @throws LostWebhook where this node is not the one that sends: nothing is written then
 */
export async function note(
  database: Database,
  { id }: Sending,
  owner: string,
  { cursor, attempted }: { cursor: number; attempted: readonly Attempted[] },
): Promise<void> {
  await database.transaction().execute(async trx => {
    const { numUpdatedRows } = await trx
      .updateTable("webhooks")
      .set({ cursor })
      .where("id", "=", id)
      .where("owner", "=", owner)
      .where("status", "=", "active")
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new LostWebhook()
    if (attempted.length === 0) return
    await write(trx, id, attempted)
    await trim(trx, id)
  })
}

async function write(trx: Trx, webhookId: string, attempted: readonly Attempted[]): Promise<void> {
  const isPlain = ({ status, isAgain }: Attempted) => status === "succeeded" && !isAgain
  const rows = (some: readonly Attempted[]) => some.map(each => rowOf(trx, webhookId, each))
  // Somebody may have asked for it once more meanwhile: that stays.
  const plain = rows(attempted.filter(isPlain).slice(-NOTED_SUCCESSES))
  if (plain.length > 0)
    await trx
      .insertInto("webhook_deliveries")
      .values(plain)
      .onConflict(conflict => conflict.doNothing())
      .execute()
  // Of each event the last attempt.
  const others = new Map(attempted.filter(each => !isPlain(each)).map(each => [each.seq, each]))
  if (others.size > 0)
    await trx
      .insertInto("webhook_deliveries")
      .values(rows([...others.values()]))
      .onConflict(conflict =>
        conflict.columns(["webhook_id", "seq"]).doUpdateSet(eb => ({
          status: eb.ref("excluded.status"),
          attempts: eb.ref("excluded.attempts"),
          tries: eb.ref("excluded.tries"),
          status_code: eb.ref("excluded.status_code"),
          response: eb.ref("excluded.response"),
          error: eb.ref("excluded.error"),
          duration_ms: eb.ref("excluded.duration_ms"),
          last_at: eb.ref("excluded.last_at"),
          next_at: eb.ref("excluded.next_at"),
        })),
      )
      .execute()
}

const rowOf = (
  trx: Trx,
  webhookId: string,
  { seq, eventId, type, status, attempts, tries, outcome, firstAt, lastAt, waitMs }: Attempted,
) => ({
  webhook_id: webhookId,
  seq,
  event_id: eventId,
  type,
  status,
  attempts,
  tries,
  status_code: outcome.statusCode,
  response: outcome.response,
  error: outcome.error,
  duration_ms: outcome.durationMs,
  first_at: firstAt,
  last_at: lastAt,
  next_at: waitMs === undefined ? null : timeOf(trx, waitMs),
})

async function trim(trx: Trx, webhookId: string): Promise<void> {
  const ofWebhook = trx.selectFrom("webhook_deliveries").where("webhook_id", "=", webhookId)
  const oldest = await ofWebhook
    .select("seq")
    .orderBy("seq", "desc")
    .offset(KEPT_DELIVERIES)
    .limit(1)
    .executeTakeFirst()
  if (!oldest) return
  await trx
    .deleteFrom("webhook_deliveries")
    .where("webhook_id", "=", webhookId)
    .where("seq", "<=", oldest.seq)
    .where("status", "!=", "pending")
    .execute()
}

/** No more is sent until somebody enables it again; what waits is kept. The event tells the others. */
export async function disable(database: Database, { id, workspace_id }: Sending, reason: string): Promise<boolean> {
  return database.transaction().execute(async trx => {
    await inOrder(trx, workspace_id)
    const { numUpdatedRows } = await trx
      .updateTable("webhooks")
      .set({ status: "disabled", disabled_reason: reason, owner: null, lease_until: null, updated_at: timeOf(trx) })
      .where("id", "=", id)
      .where("status", "=", "active")
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await emit(trx, workspace_id, [{ type: "webhook.disabled", data: { id, reason } }])
    return true
  })
}
