/** The live generations of a workspace that pass the filters of a search, as a question to the relational database. */
import type { SearchFilters } from "../types.ts"

/** A question to the database; its values in the order of their parameters. */
interface Question {
  text: string
  values: string[]
}

/** What both kinds of database spell differently. */
export interface FilterWords {
  /** The parameter that is the nth, from 1. */
  parameter(nth: number): string
  /** The elements of a JSON array of strings as a table `name` of one column, `value`. */
  elements(list: string, name: string): string
}

export const SQLITE_WORDS: FilterWords = {
  parameter: () => "?",
  elements: (list, name) => `json_each(${list}) as ${name}`,
}

export const POSTGRES_WORDS: FilterWords = {
  parameter: nth => `$${nth}`,
  elements: (list, name) => `json_array_elements_text((${list})::json) as ${name}(value)`,
}

/** A row of the answer. */
export interface LiveGeneration {
  id: number
  first: number
  last: number
  /** JSON; null where no filter asks for it. See `hasMetadata`. */
  metadata: string | null
}

/** @param filters as `normalized` gives them. Metadata are left to the caller. */
export function liveGenerations(
  workspaceId: string,
  filters: SearchFilters | undefined,
  { parameter, elements }: FilterWords,
): Question {
  const values: string[] = []
  const given = (value: string) => parameter(values.push(value))
  // One parameter however long a list is: their number is bounded.
  const among = (list: string[]) => `(select value from ${elements(given(JSON.stringify(list)), "listed")})`
  const conditions = [`files.workspace_id = ${given(workspaceId)}`, "generations.state = 'live'"]
  const { file_ids, types, tags, context_id, created_after, created_before, metadata } = filters ?? {}
  if (file_ids) conditions.push(`files.id in ${among(file_ids)}`)
  if (types) conditions.push(`files.type in ${among(types)}`)
  if (context_id !== undefined) conditions.push(`files.context_id = ${given(context_id)}`)
  if (created_after) conditions.push(`files.created_at > ${given(created_after)}`)
  if (created_before) conditions.push(`files.created_at < ${given(created_before)}`)
  if (tags) conditions.push(`exists (select 1 from ${elements("files.tags", "tag")} where tag.value in ${among(tags)})`)
  const text = `select generations.id, generations.first_chunk as first, generations.last_chunk as last,
      ${metadata ? "files.metadata" : "null"} as metadata
    from generations join files on files.id = generations.file_id and generations.generation = files.live_generation
    where ${conditions.join(" and ")}`
  return { text, values }
}

/** The first of these files that the workspace does not have, as `id`. */
export function missingFile(workspaceId: string, ids: string[], { parameter, elements }: FilterWords): Question {
  const text = `select value as id from ${elements(parameter(1), "listed")}
    where value not in (select id from files where workspace_id = ${parameter(2)}) limit 1`
  return { text, values: [JSON.stringify(ids), workspaceId] }
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
  return Object.keys(given).length ? given : undefined
}

export function hasMetadata(metadata: string | null, wanted: Record<string, unknown> | undefined): boolean {
  if (!wanted) return true
  const own = JSON.parse(metadata ?? "{}") as Record<string, unknown>
  return Object.entries(wanted).every(([key, value]) => key in own && Bun.deepEquals(own[key], value, true))
}
