/**
 * Which chunks a search may see: the live generations of the workspace's searchable files that pass the filters, as id
 * ranges. Asked of the database, so that a file is visible exactly from the commit that published it to the commit that
 * removed it; remembered until the workspace's change counter moves. Lives in the search worker: reading the ranges of
 * 100 000 files takes 50 ms.
 */
import type { SQLQueryBindings, Database as Sqlite } from "bun:sqlite"
import { Lru } from "../../threads/lru.ts"
import type { SearchFilters } from "../types.ts"
import { countIds, type IdRanges, toRanges } from "./id-ranges.ts"

export interface LiveRanges {
  /** Names this set; the same key always means the same ids. */
  key: string
  ranges: IdRanges
  /** First and last id of each file's passages, ascending; neighbors not joined. */
  spans: IdRanges
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

type Row = [first: number, last: number, metadata: string | null]

export class LiveRangesCache {
  private readonly sets = new Lru<string, LiveRanges>({ entries: MAX_REMEMBERED })
  private readonly pending = new Lru<string, number>({ entries: MAX_REMEMBERED })

  constructor(private readonly db: Sqlite) {}

  /**
   * @param filters absent or empty: the whole workspace.
   * @returns or the first of `file_ids` that the workspace does not have
   */
  find(workspaceId: string, filters: SearchFilters | undefined): LibraryView | { missingFile: string } {
    return this.db.transaction(() => {
      const counter = this.counter(workspaceId)
      const given = normalized(filters)
      const missingFile = given?.file_ids && this.missing(workspaceId, given.file_ids)
      if (missingFile !== undefined) return { missingFile }
      const workspace = this.ranges(workspaceId, counter, undefined)
      const visible = given ? this.ranges(workspaceId, counter, given) : workspace
      return { workspace, visible, pendingFiles: this.pendingFiles(workspaceId, counter) }
    })()
  }

  private ranges(workspaceId: string, counter: number, given: SearchFilters | undefined): LiveRanges {
    const key = JSON.stringify([workspaceId, counter, given])
    const known = this.sets.get(key)
    if (known) return known
    const rows = this.rows(workspaceId, given).filter(([, , metadata]) => hasMetadata(metadata, given?.metadata))
    const pairs = rows.map(([first, last]) => [first, last] as const)
    const ranges = toRanges(pairs)
    const spans = Float64Array.from(pairs.sort((a, b) => a[0] - b[0]).flat())
    return this.sets.set(key, { key, ranges, spans, count: countIds(ranges), files: rows.length })
  }

  private pendingFiles(workspaceId: string, counter: number): number {
    const key = JSON.stringify([workspaceId, counter])
    const known = this.pending.get(key)
    if (known !== undefined) return known
    const waiting = "select count(*) as count from files where workspace_id = ? and status in ('queued', 'indexing')"
    return this.pending.set(key, (this.db.query(waiting).get(workspaceId) as { count: number }).count)
  }

  /** Rises with every change of the workspace that could alter what a search sees. */
  private counter(workspaceId: string): number {
    const row = this.db.query("select counter from library_changes where workspace_id = ?").get(workspaceId)
    return (row as { counter: number } | null)?.counter ?? 0
  }

  private missing(workspaceId: string, ids: string[]): string | undefined {
    const row = this.db
      .query(
        `select value as id from json_each(?) where value not in (select id from files where workspace_id = ?) limit 1`,
      )
      .get(JSON.stringify(ids), workspaceId)
    return (row as { id: string } | null)?.id
  }

  private rows(workspaceId: string, filters: SearchFilters = {}): Row[] {
    const conditions = ["files.workspace_id = ?", "generations.state = 'live'"]
    const values: SQLQueryBindings[] = [workspaceId]
    const also = (condition: string, value: SQLQueryBindings) => {
      conditions.push(condition)
      values.push(value)
    }
    const { file_ids, types, tags, context_id, created_after, created_before, metadata } = filters
    // One parameter however long a list is: SQLite bounds their number.
    if (file_ids) also("files.id in (select value from json_each(?))", JSON.stringify(file_ids))
    if (types) also("files.type in (select value from json_each(?))", JSON.stringify(types))
    if (context_id !== undefined) also("files.context_id = ?", context_id)
    if (created_after) also("files.created_at > ?", created_after)
    if (created_before) also("files.created_at < ?", created_before)
    if (tags)
      also(
        `exists (select 1 from json_each(files.tags) as tag where tag.value in (select value from json_each(?)))`,
        JSON.stringify(tags),
      )
    return this.db
      .query(
        `select generations.first_chunk, generations.last_chunk, ${metadata ? "files.metadata" : "null"}
         from generations join files on files.id = generations.file_id
           and generations.generation = files.live_generation
         where ${conditions.join(" and ")}`,
      )
      .values(...values) as Row[]
  }
}

/** Empty lists and objects narrow nothing; times in the spelling of the database; undefined when nothing is left. */
function normalized(filters: SearchFilters | undefined): SearchFilters | undefined {
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

function hasMetadata(metadata: string | null, wanted: Record<string, unknown> | undefined): boolean {
  if (!wanted) return true
  const own = JSON.parse(metadata ?? "{}") as Record<string, unknown>
  return Object.entries(wanted).every(([key, value]) => key in own && Bun.deepEquals(own[key], value, true))
}
