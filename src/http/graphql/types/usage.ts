/** What was used. */
import { type Bucket, type Group, usageQueryOf } from "../../../governance/usage/report.ts"
import { cursorOf } from "../../cursor.ts"
import type { Asked } from "../asked.ts"
import { type ConnectionArguments, connection, firstOf, numberAfter } from "../connection.ts"

interface UsageArguments extends ConnectionArguments {
  from?: unknown
  to?: unknown
  bucket?: Bucket | null
  groupBy?: Group[] | null
}

const LIST = "usage"
const MOST_ROWS = 1_000

export async function usage(given: UsageArguments, { house, view }: Asked) {
  const query = usageQueryOf({
    from: textOf(given.from),
    to: textOf(given.to),
    bucket: given.bucket ?? undefined,
    group_by: given.groupBy?.join(","),
  })
  const after = numberAfter(given, LIST)
  const limit = firstOf(given, 100, MOST_ROWS)
  const rows = await house.usage.read(view, query)
  const entries = rows
    .slice(after, after + limit)
    .map((row, at) => ({ node: row, cursor: cursorOf(LIST, after + at + 1) }))
  const options = { hasMore: after + limit < rows.length, isBehind: after > 0, total: () => rows.length }
  return connection(entries, options)
}

const textOf = (given: unknown): string | undefined =>
  given === undefined || given === null ? undefined : String(given)
