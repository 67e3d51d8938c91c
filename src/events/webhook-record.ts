/** Webhooks and their deliveries as callers see them, without secrets. */
import type { DeliveryStatus, WebhookDeliveriesTable, WebhookStatus, WebhooksTable } from "../storage/events.ts"
import type { EventType } from "./types.ts"

/** Spelled as on the wire. */
export interface WebhookRecord {
  id: string
  url: string
  types: EventType[] | null
  description: string
  status: WebhookStatus
  disabled_reason: string | null
  created_at: string
  updated_at: string
}

export interface Delivery {
  event_id: string
  type: string
  status: DeliveryStatus
  attempts: number
  status_code: number | null
  response: string | null
  error: string | null
  duration_ms: number | null
  first_attempt_at: string
  last_attempt_at: string | null
  next_attempt_at: string | null
}

export const toRecord = (row: WebhooksTable): WebhookRecord => ({
  id: row.id,
  url: row.url,
  types: row.types === null ? null : JSON.parse(row.types),
  description: row.description,
  status: row.status,
  disabled_reason: row.disabled_reason,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const toDelivery = (row: WebhookDeliveriesTable): Delivery => ({
  event_id: row.event_id,
  type: row.type,
  status: row.status,
  attempts: row.tries,
  status_code: row.status_code,
  response: row.response,
  error: row.error,
  duration_ms: row.duration_ms,
  first_attempt_at: row.first_at,
  last_attempt_at: row.last_at,
  next_attempt_at: row.next_at,
})
