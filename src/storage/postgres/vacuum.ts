/** Deleted rows leave PostgreSQL's tables when they are vacuumed, which the server does by itself at some time. */
import type { Client } from "pg"

/** Tables that texts of users stand in. */
const TABLES = [
  ...["files", "chunks", "generations", "web_pages", "source_entries", "idempotent_answers", "answered_files"],
  ...["conversations", "messages", "message_files", "message_images", "answer_records", "record_texts"],
  ...["reply_events", "reading_notes", "kept_answers", "agent_runs", "agent_steps", "agent_approvals"],
  ...["batches", "batch_lines", "batch_files", "schedule_runs", "file_jobs", "events", "webhook_deliveries"],
]

/**
 * Gives back the place of deleted rows.
 * @param time of the last deletion that counts, in milliseconds since 1970
 * @returns false while a transaction of before may still see them: they stay until another time
 */
export async function vacuum(connect: () => Client, time: number): Promise<boolean> {
  const client = connect()
  client.on("error", () => {}) // who vacuums is told by what it awaits
  try {
    await client.connect()
    const { rows } = await client.query<{ open: boolean }>(
      `select exists (select 1 from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid()
        and xact_start < to_timestamp($1::double precision / 1000)) as open`,
      [time],
    )
    if (rows[0]?.open) return false
    await client.query(`vacuum ${TABLES.join(", ")}`)
    return true
  } finally {
    void client.end().catch(() => {})
  }
}
