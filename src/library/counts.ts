/** What a library holds, in numbers: values by their frequency, and sums. Questions of a moment where a list would be many pages. */
import { type Field, fieldOf, isCounted } from "../access/filter/fields.ts"
import { type Filter, goesByCounter } from "../access/filter/filter.ts"
import { filesSeen, filteredBy, isNarrow, seenBy, type View } from "../access/view.ts"
import { canonicalJson } from "../canonical-json.ts"
import { type Database, readApart, readRows } from "../storage/database.ts"
import type { FileStatus } from "../storage/files.ts"
import type { Condition, TalliedValue } from "../storage/json-words.ts"
import { type Words, words } from "../storage/words.ts"
import { Gate } from "../threads/gate.ts"
import { Lru } from "../threads/lru.ts"
import { seenInTurn } from "./reading-order.ts"

export interface FacetValue {
  value: string | number | boolean
  /** Files that have it. */
  count: number
}

export interface Facets {
  facets: Record<string, FacetValue[]>
  total_files: number
}

export interface LibrarySummary {
  total: number
  by_status: Record<FileStatus, number>
  by_error: Record<string, number>
  warnings: Record<string, number>
  bytes: number
  pages: number
  ocr_pages: number
  chunks: number
}

/** Of one key. */
const MAX_VALUES = 100
/** Answers remembered. */
const MAX_REMEMBERED = 100
/** Such questions at the same time, and those that may wait. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 200

export class FileCounts {
  private readonly words: Words
  /** Valid as long as the workspace's counter of changes stands still, which is part of the key. */
  private readonly known = new Lru<string, Facets>({ entries: MAX_REMEMBERED })
  private readonly gate = new Gate({
    places: MAX_AT_ONCE,
    waiting: MAX_WAITING,
    refusal: "too many questions about whole libraries wait already",
    retryAfterSeconds: 2,
  })

  constructor(private readonly database: Database) {
    this.words = words(database)
  }

  /** The values of each key, the most frequent first. @param keys of the filter language */
  async facets(view: View, keys: readonly string[], filter: Filter | null): Promise<Facets> {
    const fields = keys.map(key => [key, fieldOf(key)!] as const)
    const counted = filteredBy(view, filter)
    const mayRemember = fields.every(([, field]) => isCounted(field)) && counted.filters.every(goesByCounter)
    // Asked before the files are looked at: what is counted is at least as new as its name says.
    const name = mayRemember ? nameOf(await this.counterOf(view), filesSeen(counted), keys) : undefined
    const known = name === undefined ? undefined : this.known.get(name)
    if (known) return known
    const facets = await this.inTurn(counted, async where => {
      const facets: Facets["facets"] = {}
      for (const [key, field] of fields) facets[key] = await this.valuesOf(field, where)
      // Of whole workspaces the index alone is counted.
      return { facets, total_files: await this.total(isNarrow(counted) ? where : seenBy(counted, this.words)) }
    })
    return name === undefined ? facets : this.known.set(name, facets)
  }

  summary(view: View, filter: Filter | null): Promise<LibrarySummary> {
    return this.inTurn(filteredBy(view, filter), where => this.sums(where))
  }

  private async inTurn<T>(view: View, count: (where: Condition) => Promise<T>): Promise<T> {
    const ticket = this.gate.enter(view.workspaceId)
    try {
      await ticket.turn(new AbortController().signal)
      return await count(await seenInTurn(this.database, view))
    } finally {
      ticket.leave()
    }
  }

  private async valuesOf(field: Field, where: Condition): Promise<FacetValue[]> {
    if (field.kind === "missing") return []
    if (field.kind === "json" || field.kind === "texts") {
      const { json } = this.words
      const place = { column: field.column, path: field.kind === "json" ? field.path : [] }
      const rows = await this.read<TalliedValue>(json.tally(place, where, MAX_VALUES))
      // What stands alone in some files and in arrays of others was counted apart.
      const counts = new Map<FacetValue["value"], number>()
      for (const row of rows) {
        const value = json.scalarOf(row)
        counts.set(value, (counts.get(value) ?? 0) + row.count)
      }
      return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count)
    }
    const text = `select ${field.column} as value, count(*) as count from files
      where ${where.text} and ${field.column} is not null group by 1 order by count desc, value limit ?`
    return this.read<FacetValue>({ text, values: [...where.values, MAX_VALUES] })
  }

  private async total(where: Condition): Promise<number> {
    const [row] = await this.read<{ total: number }>({
      text: `select count(*) as total from files where ${where.text}`,
      values: where.values,
    })
    return row!.total
  }

  private async sums(where: Condition): Promise<LibrarySummary> {
    const groups = await this.read<SumsRow>({
      text: `select status, error_code, count(*) as files, sum(size) as bytes, sum(coalesce(page_count, 0)) as pages,
          sum(ocr_page_count) as ocr_pages, sum(coalesce(chunk_count, 0)) as chunks
        from files where ${where.text} group by status, error_code order by status, error_code`,
      values: where.values,
    })
    const warned = { text: `(${where.text}) and files.warnings <> '[]'`, values: where.values }
    const warnings = await this.read<{ value: string; count: number }>(
      this.words.json.tallyNamed("files.warnings", "code", warned),
    )
    const sum = (of: (row: SumsRow) => number) => groups.reduce((all, row) => all + of(row), 0)
    const by_status: LibrarySummary["by_status"] = { queued: 0, indexing: 0, searchable: 0, failed: 0 }
    const by_error: Record<string, number> = {}
    for (const { status, error_code, files } of groups) {
      by_status[status] += files
      if (error_code !== null) by_error[error_code] = (by_error[error_code] ?? 0) + files
    }
    return {
      total: sum(row => row.files),
      by_status,
      by_error,
      warnings: Object.fromEntries(warnings.map(({ value, count }) => [value, count])),
      bytes: sum(row => row.bytes),
      pages: sum(row => row.pages),
      ocr_pages: sum(row => row.ocr_pages),
      chunks: sum(row => row.chunks),
    }
  }

  private read<Row>({ text, values }: Condition): Promise<Row[]> {
    return readApart<Row>(this.database, text, values)
  }

  private async counterOf({ workspaceId }: View): Promise<number> {
    const query = "select counter from library_changes where workspace_id = ?"
    const [row] = await readRows<{ counter: number }>(this.database, query, [workspaceId])
    return row?.counter ?? 0
  }
}

interface SumsRow {
  status: FileStatus
  error_code: string | null
  files: number
  bytes: number
  pages: number
  ocr_pages: number
  chunks: number
}

const nameOf = (...parts: unknown[]): string =>
  new Bun.CryptoHasher("sha256").update(canonicalJson(parts)).digest("hex")
