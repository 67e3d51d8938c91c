/** Pages of a workspace's files. The most frequent question of all, so its SQL is put together by hand. */
import { conditionOf as filterCondition } from "../access/filter/condition.ts"
import type { Filter } from "../access/filter/filter.ts"
import { seenBy, type View } from "../access/view.ts"
import { changeMark, type Database, readApart, readRows, type Value } from "../storage/database.ts"
import type { Condition } from "../storage/json-words.ts"
import { texts, type Words, words } from "../storage/words.ts"
import { both } from "../threads/both.ts"
import { Lru } from "../threads/lru.ts"
import { type CursorRequest, type IdPage, type IdPageRequest, readingOf } from "./id-pages.ts"
import { foldName } from "./labels.ts"
import { seenInTurn } from "./reading-order.ts"
import { type FileRecord, type FileRow, toFileRecord } from "./record.ts"

export interface FileFilter {
  status?: string[]
  types?: string[]
  tags?: string[]
  name?: string
  contextId?: string
  createdAfter?: string
  createdBefore?: string
  filter?: Filter | null
}

export type FileSort = "created_at" | "updated_at" | "name" | "size" | "status"

export interface FileListRequest extends FileFilter {
  sort: FileSort
  order: "asc" | "desc"
  page: number
  pageSize: number
}

/** Where a file stands in a list of some order. */
export interface FilePlace {
  value: Value
  id: string
}

/** What follows a place in a list of that order or goes before it, or the beginning of the list. */
export interface FilePageRequest extends FileFilter, CursorRequest<FilePlace> {
  sort: FileSort
}

/** Constants of the language: nothing of a request stands in the text of a query. */
const ORDER_BY: Record<FileSort, string> = {
  created_at: "created_at",
  updated_at: "updated_at",
  name: "name_folded",
  size: "size",
  status: "status",
}
const DIRECTION = { asc: "asc", desc: "desc" }
/** Totals remembered, one per filter in use. */
const MAX_TOTALS = 100

/** Files in the order of their ids, which is that in which they came. */
export interface FileIdPageRequest extends IdPageRequest, Pick<FileFilter, "status" | "contextId"> {
  ids?: string[] | undefined
  purpose?: string | undefined
}

/** A file with what it is said to be for. */
export interface PurposedFile {
  record: FileRecord
  purpose: string
}

/** Of files that came in otherwise. */
const USUAL_PURPOSE = "assistants"

export class FileList {
  /** Counting a library of 100 000 files takes milliseconds, and pages are asked for far more often than files change. */
  private readonly totals = new Lru<string, number>({ entries: MAX_TOTALS })
  /** State of the database that the totals are of. */
  private mark: number | undefined
  private readonly words: Words

  constructor(private readonly database: Database) {
    this.words = words(database)
  }

  async page(view: View, request: FileListRequest): Promise<{ data: FileRecord[]; total: number }> {
    const condition = conditionOf(view, request, this.words)
    const order = DIRECTION[request.order]
    const read = readerFor(view, request)
    const asked = read<FileRow>(
      this.database,
      `select * from files where ${condition.text} order by ${ORDER_BY[request.sort]} ${order}, id ${order} limit ? offset ?`,
      [...condition.values, request.pageSize, (request.page - 1) * request.pageSize],
    )
    const known = this.knownTotal(condition)
    // Where both have to be asked for, one need not wait for the other's way there and back.
    const [rows, total] =
      known === undefined ? await both(asked, this.count(view, request, condition)) : [await asked, known]
    return { data: rows.map(toFileRecord), total }
  }

  /** The same by cursor: see `placeOf`. */
  async pageAfter(view: View, request: FilePageRequest): Promise<IdPage<FileRecord>> {
    const { cursor, direction, compares, rows, page } = readingOf(request)
    const { text, values } = conditionOf(view, request, this.words)
    const column = ORDER_BY[request.sort]
    const beyond = cursor ? ` and (${column}, id) ${compares} (?, ?)` : ""
    const read = await readerFor(view, request)<FileRow>(
      this.database,
      `select * from files where ${text}${beyond} order by ${column} ${direction}, id ${direction} limit ?`,
      [...values, ...(cursor ? [cursor.value, cursor.id] : []), rows],
    )
    const { items, hasMore } = page(read)
    return { items: items.map(toFileRecord), hasMore }
  }

  /** How many a filter lets pass. */
  async total(view: View, filter: FileFilter): Promise<number> {
    const condition = conditionOf(view, filter, this.words)
    return this.knownTotal(condition) ?? this.count(view, filter, condition)
  }

  async pageOfIds(view: View, request: FileIdPageRequest): Promise<IdPage<PurposedFile>> {
    const { cursor, direction, compares, rows, page } = readingOf(request)
    const { text, values } = conditionOf(view, request, this.words)
    const also: Condition[] = [{ text, values }]
    if (request.purpose) also.push({ text: `coalesce(purpose, '${USUAL_PURPOSE}') = ?`, values: [request.purpose] })
    if (request.ids) also.push({ text: this.words.among("id", "text"), values: [texts(request.ids)] })
    if (cursor !== undefined) also.push({ text: `id ${compares} ?`, values: [cursor] })
    const read = await readerFor(view)<FileRow>(
      this.database,
      `select * from files where ${also.map(each => each.text).join(" and ")} order by id ${direction} limit ?`,
      [...also.flatMap(each => each.values), rows],
    )
    const { items, hasMore } = page(read)
    return { items: items.map(toPurposed), hasMore }
  }

  private knownTotal({ text, values }: Condition): number | undefined {
    const mark = changeMark(this.database)
    if (mark !== this.mark) this.totals.clear()
    this.mark = mark
    return this.totals.get(keyOf(text, values))
  }

  /** @param condition what is remembered is named by it */
  private async count(view: View, filter: FileFilter, condition: Condition): Promise<number> {
    const { mark } = this
    const read = readerFor(view, filter)
    const { text, values } =
      read === readApart ? narrowed(await seenInTurn(this.database, view), filter, this.words) : condition
    const [row] = await read<{ total: number }>(
      this.database,
      `select count(*) as total from files where ${text}`,
      values,
    )
    // A commit of meanwhile may or may not be counted in.
    if (mark !== undefined && mark === changeMark(this.database))
      this.totals.set(keyOf(condition.text, condition.values), row!.total)
    return row!.total
  }
}

/** Where a file stands in a list of that order, beside its id. */
export const placeOf = (file: FileRecord, sort: FileSort): string | number =>
  sort === "name" ? foldName(file.name) : file[sort]

export const toPurposed = (row: FileRow): PurposedFile => ({
  record: toFileRecord(row),
  purpose: row.purpose ?? USUAL_PURPOSE,
})

/** Longest key that is spelt out. */
const MAX_KEY = 2_000

function keyOf(text: string, values: Value[]): string {
  const key = JSON.stringify([text, values])
  return key.length > MAX_KEY ? new Bun.CryptoHasher("sha256").update(key).digest("hex") : key
}

/** A filter may take long, and its statement is one of very many. */
export const readerFor = (view: View, { filter }: Pick<FileFilter, "filter"> = {}): typeof readRows =>
  filter || view.filters.length > 0 ? readApart : readRows

const conditionOf = (view: View, filter: FileFilter, words: Words): Condition =>
  narrowed(seenBy(view, words), filter, words)

function narrowed(seen: Condition, filter: FileFilter, words: Words): Condition {
  const { among, contains, overlaps } = words
  const [parts, values] = [[seen.text], [...seen.values]]
  const also = (text: string, value: Value) => {
    parts.push(text)
    values.push(value)
  }
  // One parameter however long a list is, so that few texts are prepared.
  if (filter.status) also(among("status", "text"), texts(filter.status))
  if (filter.types) also(among("type", "text"), texts(filter.types))
  if (filter.contextId !== undefined) also("context_id = ?", filter.contextId)
  if (filter.createdAfter) also("created_at > ?", filter.createdAfter)
  if (filter.createdBefore) also("created_at < ?", filter.createdBefore)
  if (filter.name) also(contains("name_folded"), foldName(filter.name))
  if (filter.tags) also(overlaps("files.tags"), JSON.stringify(filter.tags))
  if (filter.filter) {
    const passing = filterCondition(filter.filter, words)
    parts.push(passing.text)
    values.push(...passing.values)
  }
  return { text: parts.join(" and "), values }
}
