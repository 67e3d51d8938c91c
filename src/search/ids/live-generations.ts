/** The live generations that a caller sees and that pass the filters of a search, as a question to the relational database. */
import { conditionOf } from "../../access/filter/condition.ts"
import { goesByCounter } from "../../access/filter/filter.ts"
import { filesSeen, seenBy, type View } from "../../access/view.ts"
import { canonicalJson } from "../../canonical-json.ts"
import type { Condition } from "../../storage/json-words.ts"
import { texts, type Words } from "../../storage/words.ts"
import type { SearchFilters } from "../types.ts"

/** A row of the answer. */
export interface LiveGeneration {
  id: number
  first: number
  last: number
  /** JSON; null where no filter asks for it. See `hasMetadata`. */
  metadata: string | null
}

/** @param filters as `normalized` gives them. Metadata are left to the caller. */
export function liveGenerations(view: View, filters: SearchFilters | undefined, words: Words): Condition {
  const { among, overlaps } = words
  const seen = seenBy(view, words)
  const conditions = [seen.text, "generations.state = 'live'"]
  const values = [...seen.values]
  const also = (condition: string, value: string) => {
    conditions.push(condition)
    values.push(value)
  }
  const { file_ids, types, tags, context_id, created_after, created_before, metadata, filter } = filters ?? {}
  // One value however long a list is: their number is bounded.
  if (file_ids) also(among("files.id", "text"), texts(file_ids))
  if (types) also(among("files.type", "text"), texts(types))
  if (context_id !== undefined) also(among("files.context_id", "text"), texts([context_id]))
  if (created_after) also("files.created_at > ?", created_after)
  if (created_before) also("files.created_at < ?", created_before)
  if (tags) also(overlaps("files.tags"), texts(tags))
  if (filter) {
    const passing = conditionOf(filter, words)
    conditions.push(passing.text)
    values.push(...passing.values)
  }
  const text = `select generations.id, generations.first_chunk as first, generations.last_chunk as last,
      ${metadata ? "files.metadata" : "null"} as metadata
    from generations join files on files.id = generations.file_id and generations.generation = files.live_generation
    where ${conditions.join(" and ")}`
  return { text, values }
}

/** The statement that finds a row where a file of the workspace has an acl. */
export const FILE_WITH_ACL = "select 1 from files where workspace_id = ? and acl is not null limit 1"

/** Where no file has an acl, members see what everybody sees: it is read and remembered once for all of them. */
export const withoutAcls = (view: View): View => ({ ...view, principals: null })

/** Those of these files that the caller sees, as `id`. */
export const filesAmong = (view: View, ids: string[], words: Words): Condition => {
  const { text, values } = seenBy(view, words)
  return {
    text: `select id from files where ${text} and ${words.among("id", "text")}`,
    values: [...values, texts(ids)],
  }
}

/** The first of the files that is not among the rows of `filesAmong`. */
export function missingAmong(ids: string[], rows: readonly { id: string }[]): string | undefined {
  const known = new Set(rows.map(({ id }) => id))
  return ids.find(id => !known.has(id))
}

/** Empty lists and objects narrow nothing; times in the spelling of the database; undefined when nothing is left. */
export function normalized(filters: SearchFilters | undefined): SearchFilters | undefined {
  if (!filters) return undefined
  const given: SearchFilters = {}
  if (filters.file_ids?.length) given.file_ids = [...new Set(filters.file_ids)].sort()
  if (filters.types?.length) given.types = [...new Set(filters.types.map(type => type.toLowerCase()))].sort()
  if (filters.tags?.length) given.tags = [...new Set(filters.tags)].sort()
  if (filters.context_id !== undefined && filters.context_id !== null) given.context_id = filters.context_id
  if (filters.created_after) given.created_after = new Date(filters.created_after).toISOString()
  if (filters.created_before) given.created_before = new Date(filters.created_before).toISOString()
  if (filters.metadata && Object.keys(filters.metadata).length) given.metadata = filters.metadata
  if (filters.filter) given.filter = filters.filter
  return Object.keys(given).length ? given : undefined
}

/** Longest name of a set that is spelt out. */
const MAX_NAME = 1_000

/** Names what passes while the workspace's counter stands at `counter`; undefined where that may change all the same. */
export function rememberedName(view: View, counter: number, given: SearchFilters | undefined): string | undefined {
  if (![...view.filters, ...(given?.filter ? [given.filter] : [])].every(goesByCounter)) return undefined
  const name = canonicalJson([filesSeen(view), counter, given])
  return name.length > MAX_NAME ? new Bun.CryptoHasher("sha256").update(name).digest("hex") : name
}

export function hasMetadata(metadata: string | null, wanted: Record<string, unknown> | undefined): boolean {
  if (!wanted) return true
  const own = JSON.parse(metadata ?? "{}") as Record<string, unknown>
  return Object.entries(wanted).every(([key, value]) => key in own && Bun.deepEquals(own[key], value, true))
}
