/** The library as agents see it: rows of the workspace and the extracted text of the findable version. */
import { passes } from "../access/filter/condition.ts"
import { seen, type View } from "../access/view.ts"
import { foldName } from "../library/labels.ts"
import type { Library } from "../library/library.ts"
import { toFileRecord } from "../library/record.ts"
import { chunkId } from "../search/passages/chunk-id.ts"
import type { StoredBytes } from "../storage/blobs/blobs.ts"
import type { Database } from "../storage/database.ts"
import { NOWHERE, type Place } from "../storage/document.ts"
import { readTextWindow } from "../storage/text-window.ts"
import { filled, words } from "../storage/words.ts"
import type { AgentLibrary, TextRange, TextSlice } from "./library.ts"

export interface LibraryAccessDependencies {
  database: Database
  library: Library
  /** @throws AppError not_found when the caller sees no such conversation */
  conversationFiles?: (view: View, conversationId: string) => Promise<string[]>
}

export class LibraryAccess implements AgentLibrary {
  readonly conversationFiles: NonNullable<AgentLibrary["conversationFiles"]> | undefined

  constructor(private readonly dependencies: LibraryAccessDependencies) {
    this.conversationFiles = dependencies.conversationFiles
  }

  list: AgentLibrary["list"] = async (view, { file_ids, context_id, filter, name, type, types, limit }) => {
    const { database } = this.dependencies
    let query = database.selectFrom("files").where(seen(database, view))
    if (file_ids) query = query.where("id", "in", file_ids)
    if (context_id !== undefined) query = query.where("context_id", "=", context_id)
    if (filter) query = query.where(passes(database, filter))
    if (name !== undefined)
      query = query.where(filled<boolean>(words(database).contains("name_folded"), foldName(name)))
    if (type !== undefined) query = query.where("type", "=", type)
    if (types) query = query.where("type", "in", types)
    const { total } = await query.select(eb => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
    const rows = await query.selectAll().orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute()
    return { files: rows.map(toFileRecord), total: Number(total) }
  }

  find: AgentLibrary["find"] = async (view, fileId, { fileIds, contextId, filter }) => {
    if (fileIds && !fileIds.includes(fileId)) return undefined
    const context = contextId === null ? {} : { context_id: contextId }
    const { files } = await this.list(view, { file_ids: [fileId], ...context, ...(filter ? { filter } : {}), limit: 1 })
    return files[0]
  }

  readText: AgentLibrary["readText"] = async (view, fileId, range) => {
    const { bytes, record } = await this.dependencies.library.text(view, fileId)
    const part = range.page === undefined ? undefined : await this.pageBounds(fileId, range.page)
    if (range.page !== undefined && !part) return undefined
    return slice(bytes, range, part ?? { from: 0, to: record.character_count ?? 0, place: NOWHERE })
  }

  chunkAt: AgentLibrary["chunkAt"] = async (fileId, offset, sheet) => {
    let query = this.dependencies.database
      .selectFrom("chunks")
      .innerJoin("generations", "generations.id", "chunks.generation_id")
      .select("chunks.id")
      .where("generations.file_id", "=", fileId)
      .where("generations.state", "=", "live")
    if (sheet !== undefined) query = query.where("chunks.sheet", "=", sheet)
    else query = query.where("chunks.end", ">", offset)
    const found = await query.orderBy("chunks.start").limit(1).executeTakeFirst()
    return found && chunkId(found.id)
  }

  original: AgentLibrary["original"] = async (view, fileId) => {
    const { bytes, record } = await this.dependencies.library.content(view, fileId)
    return { bytes, sha256: record.sha256 }
  }

  listen: AgentLibrary["listen"] = (fileId, listener) => this.dependencies.library.listen([fileId], listener)

  /**
   * Where a page or slide begins and ends in the text, as the indexed slices tell; undefined when there is none. Files
   * within the file have pages as well: the first that has such a page is meant, and the file itself comes before them.
   */
  private async pageBounds(
    fileId: string,
    page: number,
  ): Promise<{ from: number; to: number; place: Place } | undefined> {
    const found = await this.dependencies.database
      .selectFrom("chunks")
      .innerJoin("generations", "generations.id", "chunks.generation_id")
      .select(["chunks.start", "chunks.end", "chunks.page", "chunks.slide", "chunks.member"])
      .where("generations.file_id", "=", fileId)
      .where("generations.state", "=", "live")
      .where(eb => eb.or([eb("chunks.page", "=", page), eb("chunks.slide", "=", page)]))
      .orderBy("chunks.start")
      .execute()
    const first = found[0]
    if (!first) return undefined
    const chunks = found.filter(({ member }) => member === first.member)
    const place = { ...NOWHERE, page: first.page, slide: first.slide, member: first.member }
    return {
      from: first.start,
      to: Math.max(...chunks.map(chunk => chunk.end)),
      place,
    }
  }
}

async function slice(
  bytes: StoredBytes,
  { start = 0, end }: TextRange,
  { from, to, place }: { from: number; to: number; place: Place },
): Promise<TextSlice> {
  const wantedFirst = Math.min(to, from + start)
  const wantedLast = Math.max(wantedFirst, Math.min(to, end === undefined ? to : from + end))
  // One more on both sides tells whether a pair is split.
  const base = Math.max(0, wantedFirst - 1)
  const window = await readTextWindow(bytes, base, wantedLast + 1)
  const first = base + whole(window, wantedFirst - base)
  const last = base + whole(window, wantedLast - base)
  return { text: window.slice(first - base, last - base), start: first, end: last, from, to, place }
}

/** The same position, or the one before it where it would split a surrogate pair. */
const whole = (text: string, at: number): number =>
  at > 0 && /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1]!) ? at - 1 : at
