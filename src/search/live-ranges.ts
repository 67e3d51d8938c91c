/**
 * Which chunks a search may see: the live generations of the workspace's searchable files that pass the filters, as id
 * ranges. Asked of the database, so that a file is visible exactly from the commit that published it to the commit
 * that removed it; remembered until the workspace's change counter moves.
 */
import { sql } from "kysely"
import { AppError } from "../errors.ts"
import type { Database } from "../storage/database.ts"
import { countIds, type IdRanges, toRanges } from "./id-ranges.ts"
import type { SearchFilters } from "./types.ts"

export interface LiveRanges {
  /** Names this set; the same key always means the same ids. */
  key: string
  ranges: IdRanges
  /** Chunks in it. */
  count: number
  /** Files in it. */
  files: number
}

/** A workspace at one moment. */
export interface LibraryView {
  workspace: LiveRanges
  /** What passes the filters; `workspace` itself without any. */
  visible: LiveRanges
  /** Files that wait to be indexed or are being indexed. */
  pendingFiles: number
}

/** Sets remembered; one per workspace and filter in use. */
const MAX_REMEMBERED = 64

interface Row {
  first: number
  last: number
  /** Read only when it is filtered by. */
  metadata?: string
}

export class LiveRangesCache {
  private readonly sets = new Map<string, LiveRanges>()
  private readonly pending = new Map<string, number>()

  constructor(private readonly db: Database) {}

  /**
   * @param filters absent or empty: the whole workspace.
   * @throws AppError `not_found` when `file_ids` names a file that the workspace does not have.
   */
  async find(workspaceId: string, filters: SearchFilters | undefined): Promise<LibraryView> {
    const counter = await this.counter(workspaceId)
    const given = normalised(filters)
    const workspace = await this.ranges(workspaceId, counter, undefined)
    const visible = given ? await this.ranges(workspaceId, counter, given) : workspace
    return { workspace, visible, pendingFiles: await this.pendingFiles(workspaceId, counter) }
  }

  private async ranges(workspaceId: string, counter: number, given: SearchFilters | undefined): Promise<LiveRanges> {
    const key = JSON.stringify([workspaceId, counter, given])
    const known = this.sets.get(key)
    if (known) return keep(this.sets, key, known)
    if (given?.file_ids) await this.requireFiles(workspaceId, given.file_ids)
    const rows = (await this.rows(workspaceId, given)).filter(row => hasMetadata(row, given?.metadata))
    const ranges = toRanges(rows.map(({ first, last }) => [first, last]))
    return keep(this.sets, key, { key, ranges, count: countIds(ranges), files: rows.length })
  }

  private async pendingFiles(workspaceId: string, counter: number): Promise<number> {
    const key = JSON.stringify([workspaceId, counter])
    const known = this.pending.get(key)
    if (known !== undefined) return keep(this.pending, key, known)
    const { count } = await this.db
      .selectFrom("files")
      .select(eb => eb.fn.countAll<number>().as("count"))
      .where("workspace_id", "=", workspaceId)
      .where("status", "in", ["queued", "indexing"])
      .executeTakeFirstOrThrow()
    return keep(this.pending, key, count)
  }

  /** Rises with every change of the workspace that could alter what a search sees. */
  private async counter(workspaceId: string): Promise<number> {
    const { rows } = await sql<{ counter: number }>`
      select counter from library_changes where workspace_id = ${workspaceId}`.execute(this.db)
    return rows[0]?.counter ?? 0
  }

  private async requireFiles(workspaceId: string, ids: string[]): Promise<void> {
    const list = JSON.stringify(ids)
    const { rows } = await sql<{ id: string }>`
      select value as id from json_each(${list})
      where value not in (select id from files where workspace_id = ${workspaceId})
      limit 1`.execute(this.db)
    if (rows[0])
      throw new AppError("not_found", {
        message: "there is no such file",
        details: [{ field: "filters.file_ids", issue: `unknown file ${rows[0].id}` }],
      })
  }

  private async rows(workspaceId: string, filters: SearchFilters | undefined): Promise<Row[]> {
    let query = this.db
      .selectFrom("generations")
      .innerJoin("files", "files.id", "generations.file_id")
      .select(["generations.first_chunk as first", "generations.last_chunk as last"])
      .whereRef("generations.generation", "=", "files.live_generation")
      .where("generations.state", "=", "live")
      .where("files.workspace_id", "=", workspaceId)
    if (filters?.file_ids) query = query.where(oneOf("files.id", filters.file_ids))
    if (filters?.types) query = query.where(oneOf("files.type", filters.types))
    if (filters?.context_id !== undefined) query = query.where("files.context_id", "=", filters.context_id)
    if (filters?.created_after) query = query.where("files.created_at", ">", filters.created_after)
    if (filters?.created_before) query = query.where("files.created_at", "<", filters.created_before)
    if (filters?.tags)
      query = query.where(
        sql<boolean>`exists (select 1 from json_each(files.tags) as tag
          where tag.value in (select value from json_each(${JSON.stringify(filters.tags)})))`,
      )
    return filters?.metadata ? await query.select("files.metadata").execute() : await query.execute()
  }
}

/** One parameter however long the list is: SQLite bounds their number. */
function oneOf(column: string, values: string[]) {
  return sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`
}

/** Empty lists and objects narrow nothing; times in the spelling of the database; undefined when nothing is left. */
function normalised(filters: SearchFilters | undefined): SearchFilters | undefined {
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

function hasMetadata(row: Row, wanted: Record<string, unknown> | undefined): boolean {
  if (!wanted) return true
  const own = JSON.parse(row.metadata ?? "{}") as Record<string, unknown>
  return Object.entries(wanted).every(([key, value]) => key in own && Bun.deepEquals(own[key], value, true))
}

/** Most recently used last, the oldest out. */
function keep<T>(known: Map<string, T>, key: string, value: T): T {
  known.delete(key)
  known.set(key, value)
  if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!)
  return value
}
