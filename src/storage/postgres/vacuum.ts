/** Deleted rows leave PostgreSQL's tables when they are vacuumed, which the server does by itself at some time. */
import type { Client } from "pg"
import { log } from "../../log.ts"

/** Tables that texts of users stand in. */
const TABLES = [
  ...["files", "chunks", "generations", "web_pages", "source_entries", "idempotent_answers", "answered_files"],
  ...["conversations", "messages", "message_files", "message_images", "answer_records", "record_texts"],
  ...["reply_events", "reading_notes", "kept_answers", "agent_runs", "agent_steps", "agent_approvals"],
  ...["batches", "batch_lines", "batch_files", "schedule_runs", "file_jobs", "events", "webhook_deliveries"],
]

/** The server's figures tell of a deletion some seconds after it. */
const TOLD_SECONDS = 60

/** Whether a transaction of before may still see what was deleted: it stays until that ends. */
const SEEN = `select exists (select 1 from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid()
  and datname = current_database()
  and xact_start < to_timestamp($1::double precision / 1000)) as open`

/** PostgreSQL 17 has a right for it; before, tables are vacuumed by their owner alone. */
const RIGHTS = `select given.name, stat.last >= to_timestamp($1::double precision / 1000) or (coalesce(stat.dead, 0) = 0
    and now() > to_timestamp($1::double precision / 1000) + interval '${TOLD_SECONDS} seconds') as done,
  case when current_setting('server_version_num')::integer >= 170000
    then has_table_privilege(class.oid, 'MAINTAIN') else pg_has_role(class.relowner, 'USAGE') end as allowed
  from unnest($2::text[]) as given(name) join pg_class as class on class.oid = to_regclass(given.name)
  left join (select relid, n_dead_tup as dead, greatest(last_vacuum, last_autovacuum) as last from pg_stat_all_tables) as stat
    on stat.relid = class.oid`

let isWarned = false

/**
 * Gives back the place of deleted rows. Where this user may not, it waits for the server to do it by itself.
 * @param time of the last deletion that counts, in milliseconds since 1970
 * @returns false where rows of before may be left: they are for another time
 */
export async function vacuum(connect: () => Client, time: number): Promise<boolean> {
  const client = connect()
  client.on("error", () => {}) // who vacuums is told by what it awaits
  try {
    await client.connect()
    const { rows: seen } = await client.query<{ open: boolean }>(SEEN, [time])
    if (seen[0]?.open) return false
    const { rows } = await client.query<{ name: string; done: boolean; allowed: boolean }>(RIGHTS, [time, TABLES])
    const allowed = rows.filter(row => row.allowed).map(({ name }) => name)
    await client.query("set statement_timeout = 0") // a large table takes as long as it takes
    if (allowed.length > 0) await client.query(`vacuum ${allowed.join(", ")}`)
    const isDone = rows.length === TABLES.length && rows.every(row => row.allowed || row.done)
    if (!isDone && !isWarned) {
      isWarned = true
      log.warn("receipts of deletions wait until PostgreSQL vacuums its tables by itself, which may take days", {
        hint: "let the user of the nodes do it: deploy/cluster/postgresql/maintain.sql",
      })
    }
    return isDone
  } finally {
    void client.end().catch(() => {})
  }
}
