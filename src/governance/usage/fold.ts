/**
 * Adds what was used up: entries that came with changes of the database, and lines of a journal, become rows of hours. Each
 * in one transaction that takes the entries away, and that says how far the journal is counted: whenever the process is
 * killed, each is counted once.
 */
import { sql } from "kysely"
import type { Database, Trx } from "../../storage/database.ts"
import { inOrder } from "../../storage/shared.ts"
import { DIMENSIONS, MEASURES, type Measure } from "../../storage/usage.ts"
import { filled, texts, words } from "../../storage/words.ts"
import { nameDigest } from "../receipts/names.ts"
import { hourOf, type UsageRow } from "./entries.ts"
import type { Lines, Noted } from "./journal.ts"

/** Entries of one transaction. */
const ENTRIES_AT_ONCE = 2_000

/** A line of a journal: what a row says, zeros left out. */
export function lineOf(row: UsageRow): string {
  const measured = MEASURES.flatMap(name => (row[name] === 0 ? [] : [[name, row[name]]]))
  return JSON.stringify([DIMENSIONS.map(name => row[name]), Object.fromEntries(measured)])
}

function* rowsOf(lines: Lines): Generator<UsageRow> {
  for (const [line, count] of lines) {
    const [dimensions, measured] = JSON.parse(line) as [string[], Partial<Record<Measure, number>>]
    yield {
      ...Object.fromEntries(DIMENSIONS.map((name, at) => [name, dimensions[at]!])),
      ...Object.fromEntries(MEASURES.map(name => [name, (measured[name] ?? 0) * count])),
    } as UsageRow
  }
}

/** @param gone a journal that is no more */
export async function fold(database: Database, noted: Noted | undefined, gone: string | undefined): Promise<void> {
  if (noted && noted.lines.size === 0) noted = undefined
  for (let left = true, journal = noted; left; journal = undefined) {
    const waiting = await database.selectFrom("usage_entries").select("id").limit(1).executeTakeFirst()
    if (!waiting && !journal) break
    left = await database.transaction().execute(async trx => {
      await inOrder(trx, "usage")
      const entries = await takeEntries(trx)
      await addUp(trx, await withoutErased(trx, [...entries, ...(journal ? rowsOf(journal.lines) : [])]))
      if (journal) await countedUpTo(trx, journal)
      return entries.length === ENTRIES_AT_ONCE
    })
  }
  if (gone !== undefined) await database.deleteFrom("usage_journals").where("id", "=", gone).execute()
}

/** Bytes of a journal that are counted. */
export async function countedOf(database: Database, id: string): Promise<number> {
  const row = await database
    .selectFrom("usage_journals")
    .select("counted_bytes")
    .where("id", "=", id)
    .executeTakeFirst()
  return row?.counted_bytes ?? 0
}

const takeEntries = (trx: Trx): Promise<UsageRow[]> =>
  trx
    .deleteFrom("usage_entries")
    .where("id", "in", eb => eb.selectFrom("usage_entries").select("id").limit(ENTRIES_AT_ONCE))
    .returning([...DIMENSIONS, ...MEASURES])
    .execute()

/**
 * What comes to be added up after its end user was erased, from another node or one that was away, is nobody's, as is all
 * else of that hour.
 */
async function withoutErased(trx: Trx, rows: readonly UsageRow[]): Promise<readonly UsageRow[]> {
  const digests = new Map([...new Set(rows.map(row => row.end_user))].map(name => [name, nameDigest(name)]))
  digests.delete("")
  if (digests.size === 0) return rows
  const isOne = filled<boolean>(words(trx).among("removals.resource_id", "text"), texts([...digests.values()]))
  const erased = await trx
    .selectFrom("removals")
    .innerJoin("receipts", "receipts.id", "removals.receipt_id")
    .select(["removals.resource_id", "receipts.workspace_id", "receipts.created_at"])
    .where("removals.kind", "=", "end_user")
    .where(isOne)
    .execute()
  const isErased = ({ end_user, workspace_id, hour }: UsageRow) =>
    erased.some(
      each =>
        each.resource_id === digests.get(end_user) &&
        each.workspace_id === workspace_id &&
        hour <= hourOf(new Date(each.created_at)),
    )
  return rows.map(row => (isErased(row) ? { ...row, end_user: "" } : row))
}

/** Rows of the same hour and of the same use become one. */
async function addUp(trx: Trx, rows: readonly UsageRow[]): Promise<void> {
  const sums = new Map<string, UsageRow>()
  for (const row of rows) {
    const key = JSON.stringify(DIMENSIONS.map(name => row[name]))
    const sum = sums.get(key)
    if (!sum) sums.set(key, { ...row })
    else for (const name of MEASURES) sum[name] += row[name]
  }
  if (sums.size === 0) return
  const types = Object.fromEntries([
    ...DIMENSIONS.map(name => [name, "text"] as const),
    ...MEASURES.map(name => [name, "integer"] as const),
  ])
  const names = sql.join([...DIMENSIONS, ...MEASURES].map(name => sql.ref(name)))
  const key = sql.join(DIMENSIONS.map(name => sql.ref(name)))
  const added = sql.join(
    MEASURES.map(name => sql`${sql.ref(name)} = usage_hours.${sql.ref(name)} + excluded.${sql.ref(name)}`),
  )
  await sql`insert into usage_hours (${names})
      select ${names} from ${filled(words(trx).rows(types), JSON.stringify([...sums.values()]))} as given where true
    on conflict (${key}) do update set ${added}`.execute(trx)
}

async function countedUpTo(trx: Trx, { id, bytes }: Noted): Promise<void> {
  await trx
    .insertInto("usage_journals")
    .values({ id, counted_bytes: bytes })
    .onConflict(conflict => conflict.column("id").doUpdateSet({ counted_bytes: bytes }))
    .execute()
}
