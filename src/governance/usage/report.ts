/** What was used, by time and by whom: `GET /external/usage`. */
import { sql } from "kysely"
import { instantOf } from "../../access/filter/instant.ts"
import type { View } from "../../access/view.ts"
import { invalid } from "../../errors.ts"
import type { Database } from "../../storage/database.ts"
import { MEASURES, type Measure } from "../../storage/usage.ts"
import { hourOf } from "./entries.ts"

export const BUCKETS = ["hour", "day", "month"] as const
export type Bucket = (typeof BUCKETS)[number]
export const GROUPS = ["key", "end_user", "model", "context"] as const
export type Group = (typeof GROUPS)[number]

export interface UsageQuery {
  from: Date
  to: Date
  bucket: Bucket
  groups: Group[]
}

/** Empty groups are null: nobody's, or of nothing. */
export type UsageRecord = { bucket: string } & Partial<Record<Group, string | null>> & Record<Measure, number>

const COLUMNS = { key: "key_id", end_user: "end_user", model: "model", context: "context_id" } as const
/** How much of an hour, `2026-03-01T17`, names its bucket. */
const LENGTHS: Record<Bucket, number> = { hour: 13, day: 10, month: 7 }
/** What follows it in the time at which the bucket begins. */
const REST: Record<Bucket, string> = { hour: ":00:00.000Z", day: "T00:00:00.000Z", month: "-01T00:00:00.000Z" }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The longest stretch, so that an answer has a bound. */
const MOST_DAYS: Record<Bucket, number> = { hour: 31, day: 400, month: 3_700 }
const DEFAULT_DAYS = 30
const MAX_ROWS = 20_000

/** @throws AppError invalid_request naming the field */
export function usageQueryOf(given: {
  from?: string | undefined
  to?: string | undefined
  bucket?: string | undefined
  group_by?: string | undefined
}): UsageQuery {
  const bucket = (given.bucket ?? "day") as Bucket
  if (!BUCKETS.includes(bucket)) throw invalid("bucket", `must be one of ${BUCKETS.join(", ")}`)
  const groups = [...new Set((given.group_by ?? "").split(",").map(name => name.trim()))].filter(Boolean) as Group[]
  const unknown = groups.find(group => !GROUPS.includes(group))
  if (unknown !== undefined) throw invalid("group_by", `must hold ${GROUPS.join(", ")}, separated by commas`)
  const to = given.to === undefined ? new Date() : timeOf("to", given.to)
  const from = given.from === undefined ? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS) : timeOf("from", given.from)
  if (from > to) throw invalid("from", "must not be after to")
  if (to.getTime() - from.getTime() > MOST_DAYS[bucket] * DAY_MS)
    throw invalid("from", `must be at most ${MOST_DAYS[bucket]} days before to, in buckets of one ${bucket}`)
  return { from, to, bucket, groups }
}

function timeOf(field: string, given: string): Date {
  const instant = instantOf(given)
  if (!instant) throw invalid(field, "must be an ISO-8601 time or a date")
  return new Date(instant)
}

/** @throws AppError invalid_request where there would be too many rows */
export async function readUsage(database: Database, view: View, query: UsageQuery): Promise<UsageRecord[]> {
  const { bucket, groups } = query
  const from = hourOf(query.from)
  const to = hourOf(new Date(query.to.getTime() + HOUR_MS - 1)) // what has begun of its hour counts
  const columns = groups.map(group => COLUMNS[group])
  const time = sql<string>`substr(hour, 1, ${sql.lit(LENGTHS[bucket])})`
  const names = columns.map(name => sql.ref(name))
  const sumsOf = (measures: readonly Measure[]) =>
    sql.join(measures.map(name => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))
  const all = sql`(select * from usage_hours union all select ${sql.join(HOUR_COLUMNS.map(name => sql.ref(name)))}
    from usage_entries) as used`
  const seen = seenBy(view)
  const grouped = names.length > 0 ? sql`, ${sql.join(names)}` : sql``
  const { rows } = await sql<Row>`select ${time} as bucket ${grouped}, ${sumsOf(MEASURES)} from ${all}
    where ${seen} and hour >= ${from} and hour < ${to} group by ${time} ${grouped}
    order by 1 ${grouped} limit ${sql.lit(MAX_ROWS + 1)}`.execute(database)
  if (rows.length > MAX_ROWS)
    throw invalid("group_by", `gives more than ${MAX_ROWS} rows: ask for a shorter time or fewer groups`)
  const { rows: before } = await sql<Row>`select ${sumsOf(["bytes_stored"])} ${grouped} from ${all}
    where ${seen} and hour < ${from} ${names.length > 0 ? sql`group by ${sql.join(names)}` : sql``}`.execute(database)
  const groupOf = (row: Row) => JSON.stringify(columns.map(name => row[name]))
  const held = new Map(before.map(row => [groupOf(row), Number(row.bytes_stored ?? 0)]))
  return rows.map(row => {
    const stored = (held.get(groupOf(row)) ?? 0) + Number(row.bytes_stored)
    held.set(groupOf(row), stored)
    return {
      bucket: row.bucket + REST[bucket],
      ...Object.fromEntries(groups.map(group => [group, row[COLUMNS[group]] || null])),
      ...Object.fromEntries(MEASURES.map(name => [name, Number(row[name])])),
      bytes_stored: stored,
    } as UsageRecord
  })
}

type Row = { bucket: string } & Record<(typeof COLUMNS)[Group], string> & Record<Measure, number>

const HOUR_COLUMNS = [
  ...(["workspace_id", "hour", "key_id", "user_id", "maker", "end_user", "model", "context_id"] as const),
  ...MEASURES,
]

/** Who does not see the whole workspace sees what the own credentials used. */
function seenBy({ workspaceId, own, author }: View) {
  const given: [string, string][] = [["workspace_id", workspaceId]]
  if (own) {
    given.push([author?.type === "user" ? "user_id" : "key_id", author?.id ?? own.ownerId ?? ""])
    if (own.maker !== null) given.push(["maker", own.maker])
    if (own.endUser !== null) given.push(["end_user", own.endUser])
  }
  return sql<boolean>`${sql.join(
    given.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    sql` and `,
  )}`
}
