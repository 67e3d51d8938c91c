/** Rows of usage, summed as the page shows them. */

import { bytes, count, DAY_MS } from "../../format.ts"
import type { Text } from "../../text.ts"
import type { UsageRow } from "../../wire.ts"

export const GROUPS = ["day", "key", "model", "end_user", "context"] as const
export type Group = (typeof GROUPS)[number]
export const GROUP_WORDS: Record<Group, Text> = {
  day: "Day",
  key: "Key",
  model: "Model",
  end_user: "End user",
  context: "Context",
}

export const SUMMED = ["requests", "searches", "prompt_tokens", "completion_tokens", "pages", "bytes_in"] as const
export type Summed = (typeof SUMMED)[number]
export const MEASURES: Record<Summed, Text> = {
  requests: "Requests",
  searches: "Searches",
  prompt_tokens: "Tokens read",
  completion_tokens: "Tokens written",
  pages: "Pages",
  bytes_in: "Uploaded",
}

export type Sums = Record<Summed, number>

/** As the API names days. */
export const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

export const shown = (name: Summed, value: number): string => (name === "bytes_in" ? bytes(value) : count(value))

export const total = (rows: readonly UsageRow[]): Sums =>
  Object.fromEntries(SUMMED.map(name => [name, rows.reduce((sum, row) => sum + row[name], 0)])) as Sums

/** Newest day first, or who made most requests; the place of nobody is empty. */
export function sumsOf(rows: readonly UsageRow[], group: Group): [place: string, sums: Sums][] {
  const placeOf = (row: UsageRow) => (group === "day" ? row.bucket.slice(0, 10) : (row[group] ?? ""))
  const sums = [...Map.groupBy(rows, placeOf)].map(([place, those]): [string, Sums] => [place, total(those)])
  return group === "day" ? sums.reverse() : sums.sort(([, left], [, right]) => right.requests - left.requests)
}
