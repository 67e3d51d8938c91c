/** What can happen that others want to hear of. The names never change: receivers choose by them. */
import type { EventsTable } from "../storage/events.ts"

/** Of a file: whoever sees the file hears of it. */
export const FILE_EVENTS = ["file.searchable", "file.failed", "file.deleted"] as const
/** Of somebody's work: whoever sees the run, the job, the batch or the schedule. */
export const WORK_EVENTS = [
  "batch.completed",
  "batch.failed",
  "job.completed",
  "run.completed",
  "run.failed",
  "run.timed_out",
  "run.cancelled",
  "run.waiting_for_approval",
  "schedule.failed",
] as const
/** Of the workspace: whoever sees the whole of it. */
const WORKSPACE_EVENTS = [
  "source.synced",
  "source.failed",
  "source.guarded",
  "key.expiring",
  "retention.applied",
  "storage.low",
  "webhook.disabled",
] as const

export const EVENT_TYPES = [...FILE_EVENTS, ...WORK_EVENTS, ...WORKSPACE_EVENTS] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Names what it is about, and little more: whoever wants to know asks for it, with rights of his own. */
export interface NewEvent {
  type: EventType
  /** `id`: of the file, source, batch, job, run, schedule, key or webhook. At most 16 KB as JSON: the rest is left out. */
  data: { id: string } & Record<string, unknown>
  /**
   * Who may hear of it: columns of the file as it is now, or of the row that the work belongs to. Without them, of files and
   * work only those hear who see the whole workspace.
   */
  seenBy?: Partial<Pick<EventsTable, "context_id" | "acl" | "owner_id" | "maker" | "end_user">>
}

/** Spelled as on the wire. */
export interface EventRecord {
  id: string
  type: EventType
  timestamp: string
  data: NewEvent["data"]
}
