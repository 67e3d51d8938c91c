/**
 * Which chunks a search may see: the live generations of the workspace's searchable files that pass the filters, as id
 * ranges. Asked of the database, so that a file is visible exactly from the commit that published it to the commit that
 * removed it; remembered until the workspace's change counter moves. Lives in the search worker: reading the ranges of
 * 100 000 files takes 50 ms.
 */

import type { Database as Sqlite } from "bun:sqlite"
import { isNarrow, seenBy, type View } from "../../access/view.ts"
import type { Value } from "../../storage/database.ts"
import { sqliteWords } from "../../storage/words.ts"
import { Lru } from "../../threads/lru.ts"
import type { SearchFilters } from "../types.ts"
import { countIds, type IdRanges, toRanges } from "./id-ranges.ts"
import {
  FILE_WITH_ACL,
  filesAmong,
  hasMetadata,
  type LiveGeneration,
  liveGenerations,
  missingAmong,
  normalized,
  rememberedName,
  withoutAcls,
} from "./live-generations.ts"

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

/** A library at one moment, as its caller sees it. */
export interface LibraryView {
  /** All that the caller sees: to every score and count, what lies outside does not exist. */
  workspace: LiveRanges
  /** What passes the filters; `workspace` itself without any. */
  visible: LiveRanges
  /** Files that wait to be indexed or are being indexed. */
  pendingFiles: number
}

/** Sets remembered: one per workspace, and one per narrow view or filter in use. */
const MAX_REMEMBERED = 64
/** Ids of passages remembered for narrow views and filters, 8 bytes each. */
const MAX_NUMBERS = 8_000_000

export class LiveRangesCache {
  private readonly workspaces = new Lru<string, LiveRanges>({ entries: MAX_REMEMBERED })
  private readonly narrowed = new Lru<string, LiveRanges>({
    entries: MAX_REMEMBERED,
    weight: MAX_NUMBERS,
    weigh: ({ ranges, spans }) => ranges.length + spans.length,
  })
  private readonly pending = new Lru<string, number>({ entries: MAX_REMEMBERED })

  constructor(private readonly db: Sqlite) {}

  /**
   * @param filters absent or empty: all that the caller sees.
   * @returns or the first of `file_ids` that the caller does not see
   */
  find(given: View, filters: SearchFilters | undefined): LibraryView | { missingFile: string } {
    return this.db.transaction(() => {
      const view = given.principals && !this.hasAcls(given) ? withoutAcls(given) : given
      const counter = this.counter(view)
      const wanted = normalized(filters)
      const missing = wanted?.file_ids && this.missing(view, wanted.file_ids)
      if (missing !== undefined) return { missingFile: missing }
      const workspace = this.ranges(view, counter, undefined)
      const visible = wanted ? this.ranges(view, counter, wanted) : workspace
      return { workspace, visible, pendingFiles: this.pendingFiles(view, counter) }
    })()
  }

  private ranges(view: View, counter: number, given: SearchFilters | undefined): LiveRanges {
    const name = rememberedName(view, counter, given)
    const sets = given || isNarrow(view) ? this.narrowed : this.workspaces
    const known = name === undefined ? undefined : sets.get(name)
    if (known) return known
    const { text, values } = liveGenerations(view, given, sqliteWords)
    const rows = this.all<LiveGeneration>(text, values)
    const passing = rows.filter(({ metadata }) => hasMetadata(metadata, given?.metadata))
    return name === undefined ? rangesOf(crypto.randomUUID(), passing) : sets.set(name, rangesOf(name, passing))
  }

  private pendingFiles(view: View, counter: number): number {
    const name = rememberedName(view, counter, undefined)
    const known = name === undefined ? undefined : this.pending.get(name)
    if (known !== undefined) return known
    const { text, values } = seenBy(view, sqliteWords)
    const waiting = `select count(*) as count from files where ${text} and status in ('queued', 'indexing')`
    const { count } = this.all<{ count: number }>(waiting, values)[0]!
    return name === undefined ? count : this.pending.set(name, count)
  }

  /** Rises with every change of the workspace that could alter what a search sees. */
  private counter({ workspaceId }: View): number {
    const row = this.db.query("select counter from library_changes where workspace_id = ?").get(workspaceId)
    return (row as { counter: number } | null)?.counter ?? 0
  }

  private hasAcls({ workspaceId }: View): boolean {
    return this.db.query(FILE_WITH_ACL).get(workspaceId) !== null
  }

  private missing(view: View, ids: string[]): string | undefined {
    const { text, values } = filesAmong(view, ids, sqliteWords)
    return missingAmong(ids, this.all<{ id: string }>(text, values))
  }

  /** The statement is not kept: every filter has one of its own, and would push out those of all searches. */
  private all<Row>(text: string, values: readonly Value[]): Row[] {
    const statement = this.db.prepare(text)
    try {
      return statement.all(...values) as Row[]
    } finally {
      statement.finalize()
    }
  }
}

export function rangesOf(key: string, generations: readonly LiveGeneration[]): LiveRanges {
  const sorted = generations.toSorted((a, b) => a.first - b.first)
  const spans = new Float64Array(2 * sorted.length)
  sorted.forEach(({ first, last }, i) => {
    spans[2 * i] = first
    spans[2 * i + 1] = last
  })
  const ranges = toRanges(sorted.map(({ first, last }) => [first, last]))
  return { key, ranges, spans, count: countIds(ranges), files: sorted.length }
}
