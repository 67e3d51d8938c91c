/** Events, who hears of them, and what was sent. `events/` reads and writes them. */
import type { Generated } from "kysely"
import type { OwnedColumns } from "./owned.ts"

export interface EventsTables {
  events: EventsTable
  event_marks: EventMarksTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
}

/** What happened; `events/outbox.ts` writes it. */
export interface EventsTable {
  /** Rises within a workspace in the order of the commits. */
  seq: Generated<number>
  id: string
  workspace_id: string
  type: string
  /** JSON object. */
  data: string
  created_at: string
  /** `id` of the data; null for what a former version wrote. */
  subject: string | null
  /** Of a file, as it was: who saw it then. */
  context_id: string | null
  acl: string | null
  /** Of work: see `OwnedColumns`. */
  owner_id: string | null
  maker: string | null
  end_user: string | null
}

/** What was told and is not to be told again, such as that a key expires in a day. */
export interface EventMarksTable {
  name: string
  created_at: string
}

export type WebhookStatus = "active" | "disabled"

export interface WebhooksTable extends OwnedColumns {
  id: string
  workspace_id: string
  url: string
  /** JSON array; null: all. */
  types: string | null
  description: string
  /** Sealed for this row's id, as the former one is. */
  secret: string
  /** Signs too until `former_until`. */
  former_secret: string | null
  former_until: string | null
  status: WebhookStatus
  /** Null while active. */
  disabled_reason: string | null
  /** JSON: what its maker sees; it hears of nothing else. */
  view: string
  /** Key, token or console user that it belongs to and ends with. */
  holder: string
  /** `seq` of an event: it and those before it were sent, or stand in `webhook_deliveries`. */
  cursor: number
  /** Node that sends, alone until `lease_until`. */
  owner: string | null
  lease_until: string | null
  created_at: string
  updated_at: string
}

/** `pending`: to be sent at `next_at`. Of those that succeeded only the last are kept. */
export type DeliveryStatus = "pending" | "succeeded" | "failed"

export interface WebhookDeliveriesTable {
  webhook_id: string
  /** Of the event. */
  seq: number
  event_id: string
  type: string
  status: DeliveryStatus
  /** Those that count against the table of retries. */
  attempts: number
  /** All of them. */
  tries: number
  /** Of the last attempt, as what follows. Null where there was no answer. */
  status_code: number | null
  /** The first bytes of the answer. */
  response: string | null
  error: string | null
  duration_ms: number | null
  first_at: string
  last_at: string | null
  /** Null unless pending. */
  next_at: string | null
}
