/**
 * Copies the rows of one relational database into another, of whichever kind, page by page in the order of their keys: an
 * attempt that was killed goes on behind the last row that arrived.
 */
import { type RawBuilder, sql } from "kysely"
import { OperatorError } from "../../errors.ts"
import { continueIds } from "../../storage/chunks.ts"
import type { Database, Executor } from "../../storage/database.ts"
import { continueEvents } from "../../storage/event-numbers.ts"
import type { Schema } from "../../storage/schema.ts"

/** Rows read and written at a time; passages have some 1 000 characters. */
const PAGE = 256

export type Row = Record<string, unknown>

interface Moved {
  /** Columns of the primary key. */
  key: readonly string[]
  /** What a row is in its new place. */
  arriving?: (row: Row) => Row
}

/** Whoever worked on it is no node of the new place. */
const withoutOwner = (row: Row): Row => ({ ...row, owner: null })

/** Nobody adds to it in the new place, but for what goes on after a crash. */
const withoutOpener = (row: Row): Row => ({ ...row, opener: null, closed: row.opener === null ? row.closed : 1 })

/** Every table, those first that others refer to; null for what belongs to one place and is made anew in another. */
const TABLES: { [Table in keyof Schema]: Moved | null } = {
  workspaces: { key: ["id"] },
  users: { key: ["id"] },
  memberships: { key: ["user_id", "workspace_id"] },
  sessions: { key: ["id"] },
  invitations: { key: ["id"] },
  setup_tokens: { key: ["token_hash"] },
  reset_links: { key: ["token_hash"] },
  saved_prompts: { key: ["user_id", "workspace_id", "name"] },
  saved_views: { key: ["id"] },
  identities: { key: ["issuer", "subject"] },
  api_keys: { key: ["id"] },
  scoped_tokens: { key: ["id"] },
  encryption_keys: { key: ["id"] },
  secrets: { key: ["name"] },
  idempotent_answers: { key: ["workspace_id", "operation", "key"] },
  answered_files: { key: ["file_id", "workspace_id", "key"] },
  files: { key: ["id"] },
  web_pages: { key: ["file_id"] },
  file_jobs: { key: ["id"] },
  sources: { key: ["id"] },
  source_entries: { key: ["source_id", "key"] },
  source_syncs: { key: ["id"] },
  holds: { key: ["id"] },
  held: { key: ["hold_id", "kind", "id"] },
  retention: { key: ["workspace_id"] },
  retention_passes: { key: ["id"] },
  vector_stores: { key: ["workspace_id", "context_id"] },
  vector_store_batches: { key: ["id"] },
  generations: { key: ["id"], arriving: withoutOwner },
  chunks: { key: ["id"] },
  chunk_numbers: null,
  library_changes: null,
  vector_tables: { key: ["name"] },
  job_turns: null,
  jobs: { key: ["id"], arriving: row => withoutOwner({ ...row, lease_token: null, lease_until: null }) },
  conversations: { key: ["id"] },
  messages: { key: ["id"], arriving: withoutOwner },
  answer_records: { key: ["message_id"] },
  record_texts: { key: ["message_id", "position"] },
  conversation_shares: { key: ["work_id", "user_id"] },
  message_files: { key: ["message_id", "file_id"] },
  message_images: { key: ["id"] },
  kept_answers: { key: ["id"] },
  reading_notes: { key: ["key"] },
  reading_note_files: { key: ["key", "file_id"] },
  events: { key: ["seq"] },
  event_marks: { key: ["name"] },
  webhooks: { key: ["id"], arriving: row => withoutOwner({ ...row, lease_until: null }) },
  webhook_deliveries: { key: ["webhook_id", "seq"] },
  agent_runs: { key: ["id"], arriving: withoutOwner },
  agent_steps: { key: ["run_id", "step"] },
  run_shares: { key: ["work_id", "user_id"] },
  step_files: { key: ["run_id", "step", "file_id"] },
  agent_approvals: { key: ["id"] },
  batch_files: { key: ["id"] },
  batches: { key: ["id"] },
  batch_lines: { key: ["batch_id", "line"] },
  schedules: { key: ["id"] },
  schedule_runs: { key: ["id"] },
  audit_log: { key: ["workspace_id", "seq"] },
  audit_checkpoints: { key: ["workspace_id"] },
  audit_anchors: null,
  audit_strangers: { key: ["day"] },
  audit_pending: { key: ["id"] },
  receipts: { key: ["id"], arriving: withoutOpener },
  removals: { key: ["id"] },
  end_user_erasures: { key: ["receipt_id"] },
  usage_hours: { key: ["workspace_id", "hour", "key_id", "user_id", "maker", "end_user", "model", "context_id"] },
  usage_entries: { key: ["id"] },
  usage_journals: { key: ["id"] },
  usage_days: null,
  nodes: null,
  leases: null,
  cluster: null,
  rate_windows: null,
  sign_in_failures: null,
  sign_in_states: null,
  traffic: null,
  reply_events: null,
}

const MOVED = Object.entries(TABLES).flatMap(([table, moved]) => (moved ? [{ table, ...moved }] : []))

/** Told how many rows of how many are done. */
export type OnRows = (done: number, total: number) => void

/** @returns rows copied, those of earlier attempts included */
export async function copyRecords(from: Database, to: Database, on: OnRows, signal?: AbortSignal): Promise<number> {
  const total = await countAll(from)
  let done = 0
  for (const { table, key, arriving = same } of MOVED) {
    done += await count(to, table)
    on(done, total)
    for await (const rows of pages(from, table, key, await newest(to, table, key))) {
      signal?.throwIfAborted()
      await insert(to, table, rows.map(arriving))
      done += rows.length
      on(done, total)
    }
  }
  await raiseNumbers(to, await nextPassage(from))
  return done
}

/** Every row as it is in a new place, in an order in which they can be written there. */
export async function* readRecords(from: Executor): AsyncGenerator<{ table: string; rows: Row[] }> {
  for (const { table, key, arriving = same } of MOVED)
    for await (const rows of pages(from, table, key)) yield { table, rows: rows.map(arriving) }
}

/** Writes rows of `readRecords`; those that are there already stay. @throws OperatorError for a table that is not moved */
export async function writeRecords(to: Database, table: string, rows: readonly Row[]): Promise<void> {
  if (!MOVED.some(moved => moved.table === table)) throw new OperatorError(`${table} is no table of records`)
  for (let at = 0; at < rows.length; at += PAGE) await insert(to, table, rows.slice(at, at + PAGE), true)
}

/** @throws OperatorError naming the first table that has another number of rows */
export async function compareCounts(wanted: Record<string, number>, database: Database): Promise<void> {
  const there = await tablesOf(database)
  for (const { table } of MOVED) {
    const found = there.has(table) ? await count(database, table) : 0
    if (found !== (wanted[table] ?? 0)) throw differs(table, `${wanted[table] ?? 0} rows there, ${found} here`)
  }
}

/** @throws OperatorError naming the first table that differs */
export async function compareRecords(from: Database, to: Database, on: OnRows): Promise<void> {
  const total = await countAll(from)
  let done = 0
  for (const { table, key, arriving = same } of MOVED) {
    const counts = await Promise.all([count(from, table), count(to, table)])
    if (counts[0] !== counts[1]) throw differs(table, `${counts[0]} rows there, ${counts[1]} here`)
    for (let last: Row | undefined; ; ) {
      const [wanted, found] = await Promise.all([page(from, table, key, last), page(to, table, key, last)])
      for (const [i, row] of wanted.entries())
        if (!Bun.deepEquals(stored(arriving(row)), stored(found[i] ?? {})))
          throw differs(table, `the row ${keyOf(row, key)}`)
      if (wanted.length === 0) break
      last = wanted.at(-1)
      done += wanted.length
      on(done, total)
    }
  }
}

/** Whether there is nothing in it but what a fresh installation has. */
export async function isUnused(database: Database): Promise<boolean> {
  for (const table of ["users", "api_keys", "files", "conversations", "agent_runs", "chunks"] as const)
    if ((await page(database, table, TABLES[table]!.key, undefined, 1)).length > 0) return false
  return true
}

/** What the first start makes by itself would meet what arrives. */
export async function clearFresh(database: Database): Promise<void> {
  const there = await tablesOf(database)
  for (const table of ["setup_tokens", "event_marks", "events", "workspaces", "secrets"] as const)
    if (there.has(table)) await database.deleteFrom(table).execute()
}

/** One that is restored to has those of the version that made the backup. */
const tablesOf = async (database: Database): Promise<Set<string>> =>
  new Set((await database.introspection.getTables()).map(({ name }) => name))

const same = (row: Row): Row => row

/** As either database holds it: PostgreSQL has no text with a zero in it, and puts a replacement character there. */
const stored = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value,
    ]),
  )

const keyOf = (row: Row, key: readonly string[]): string => key.map(column => String(row[column])).join(" ")
const differs = (table: string, what: string): OperatorError =>
  new OperatorError(`what arrived of ${table} differs from its source: ${what}`, {
    hint: "nothing else may write to either side; empty the target and begin again",
  })

async function countAll(database: Database): Promise<number> {
  let total = 0
  for (const { table } of MOVED) total += await count(database, table)
  return total
}

async function count(executor: Executor, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(executor)
  return Number(rows[0]!.count)
}

const columns = (key: readonly string[]): RawBuilder<unknown> => sql.join(key.map(column => sql.ref(column)))

/** Rows after the one given, in the order of their keys. */
async function page(executor: Executor, table: string, key: readonly string[], after: Row | undefined, limit = PAGE) {
  const behind = after ? sql`where (${columns(key)}) > (${sql.join(key.map(column => after[column]))})` : sql``
  const { rows } = await sql<Row>`select * from ${sql.table(table)} ${behind}
    order by ${columns(key)} limit ${sql.lit(limit)}`.execute(executor)
  return rows
}

async function* pages(from: Executor, table: string, key: readonly string[], after?: Row): AsyncGenerator<Row[]> {
  for (let last = after; ; ) {
    const rows = await page(from, table, key, last)
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)
  }
}

async function newest(executor: Executor, table: string, key: readonly string[]): Promise<Row | undefined> {
  const falling = sql.join(key.map(column => sql`${sql.ref(column)} desc`))
  const { rows } = await sql<Row>`select * from ${sql.table(table)} order by ${falling} limit 1`.execute(executor)
  return rows[0]
}

async function insert(database: Database, table: string, rows: readonly Row[], mayBeThere = false): Promise<void> {
  const names = Object.keys(rows[0]!)
  const values = rows.map(row => sql`(${sql.join(names.map(name => row[name]))})`)
  await sql`insert into ${sql.table(table)} (${columns(names)}) values ${sql.join(values)} ${mayBeThere ? sql`on conflict do nothing` : sql``}`.execute(
    database,
  )
}

/** Number of the next passage. */
export async function nextPassage(from: Executor): Promise<number> {
  return (await from.selectFrom("chunk_numbers").select("next").executeTakeFirstOrThrow()).next
}

/** Numbers are never given twice, in the new place either. */
export async function raiseNumbers(to: Database, next: number, generationsAhead = 0): Promise<void> {
  await to.updateTable("chunk_numbers").set({ next }).where("next", "<", next).execute()
  await continueIds(to, generationsAhead)
  await continueEvents(to)
}
