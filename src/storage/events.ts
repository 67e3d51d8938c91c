import type { Generated } from "kysely"

/** What happened; `events/outbox.ts` writes it. */
export interface EventsTables {
  events: EventsTable
}

export interface EventsTable {
  /** Rises within a workspace in the order of the commits. */
  seq: Generated<number>
  id: string
  workspace_id: string
  type: string
  /** JSON object. */
  data: string
  created_at: string
}
