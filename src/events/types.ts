/** What can happen that others want to hear of. The names never change: receivers choose by them. */
export const EVENT_TYPES = [
  "file.searchable",
  "file.failed",
  "file.deleted",
  "source.synced",
  "source.failed",
  "source.guarded",
  "batch.completed",
  "batch.failed",
  "job.completed",
  "run.completed",
  "run.failed",
  "run.timed_out",
  "run.cancelled",
  "schedule.failed",
  "key.expiring",
  "retention.applied",
  "storage.low",
  "webhook.disabled",
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Names what it is about, and little more: whoever wants to know asks for it, with rights of his own. */
export interface NewEvent {
  type: EventType
  /** `id`: of the file, source, batch, job, run, schedule, key or webhook. At most 16 KB as JSON. */
  data: { id: string } & Record<string, unknown>
}
