/** Files, and the passages that they are cut into. */
import { checkContext } from "../../../access/context-id.ts"
import { filterOf } from "../../../access/filter/filter.ts"
import type { FileFilter, FileSort } from "../../../library/file-list.ts"
import type { FilePassage } from "../../../library/file-passages.ts"
import type { FileRecord } from "../../../library/record.ts"
import type { FileStatus } from "../../../storage/files.ts"
import { fileCursor, filePlace } from "../../file-cursor.ts"
import { timeOf, typesOf } from "../../schemas.ts"
import { type Asked, there } from "../asked.ts"
import { type ConnectionArguments, connection, firstOf, ofWindow, windowOf } from "../connection.ts"

/** How files are asked for; a null is as nothing. */
export interface FileNarrowing {
  filter?: unknown
  types?: string[] | null
  tags?: string[] | null
  contextId?: string | null
  createdAfter?: string | null
  createdBefore?: string | null
}

interface FilesArguments extends ConnectionArguments, FileNarrowing {
  status?: FileStatus[] | null
  name?: string | null
  sort?: FileSort | null
  order?: "asc" | "desc" | null
}

const PASSAGES = "passages"

const fileNode = (record: FileRecord, { linked, loaders, read }: Asked) => ({
  ...record,
  async passages(given: ConnectionArguments) {
    const window = windowOf(given, PASSAGES)
    const found = await loaders.passages(window).load(record.id)
    if (found.length > 0) read.add(record.id)
    const node = (passage: FilePassage) => linked.passage({ ...passage, file_id: record.id })
    const place = (passage: FilePassage) => passage.ordinal
    return ofWindow(found, window, { list: PASSAGES, place, node, total: record.chunk_count ?? 0 })
  },
})

/** @throws AppError not_found */
export async function file({ id }: { id: string }, asked: Asked) {
  return fileNode(there(await asked.loaders.files.load(id), "file", id, asked), asked)
}

/** One that may be gone since it was named. */
export async function fileIfThere(id: string, asked: Asked) {
  const record = await asked.loaders.files.load(id)
  return record ? fileNode(record, asked) : null
}

export async function files(given: FilesArguments, asked: Asked) {
  const { library } = asked.house
  const filter = filterOfFiles(given, asked)
  const { sort, order } = { sort: given.sort ?? "created_at", order: given.order ?? "desc" } as const
  const after = typeof given.after === "string" ? filePlace(given.after, { sort, order }, "after") : undefined
  const { items, hasMore } = await library.files.pageAfter(asked.view, {
    ...filter,
    ...{ sort, order, after },
    limit: firstOf(given, 20),
  })
  const entries = items.map(record => ({
    node: fileNode(record, asked),
    cursor: fileCursor(record, { sort, order }),
  }))
  const total = () => library.files.total(asked.view, filter)
  return connection(entries, { hasMore, isBehind: after !== undefined, total })
}

function filterOfFiles(given: FilesArguments, { house }: Asked): FileFilter {
  const { status, name } = given
  const { types, tags, contextId, createdAfter, createdBefore, filter } = narrowingOf(given, house.fileTypes)
  return {
    ...(status?.length ? { status } : {}),
    ...(name ? { name } : {}),
    ...(types ? { types } : {}),
    ...(tags ? { tags } : {}),
    ...(contextId ? { contextId: checkContext(contextId) } : {}),
    ...(createdAfter ? { createdAfter } : {}),
    ...(createdBefore ? { createdBefore } : {}),
    ...(filter ? { filter } : {}),
  }
}

/** What is given of it, checked; empty lists do not narrow. @throws AppError invalid_request, invalid_filter */
export function narrowingOf(given: FileNarrowing, fileTypes: ReadonlyMap<string, string>) {
  return {
    types: typesOf("types", given.types?.length ? given.types : undefined, fileTypes),
    tags: given.tags?.length ? given.tags : undefined,
    contextId: given.contextId || undefined,
    createdAfter: instantOf("createdAfter", given.createdAfter),
    createdBefore: instantOf("createdBefore", given.createdBefore),
    filter: filterOf(given.filter),
  }
}

/** @throws AppError invalid_request */
const instantOf = (field: string, given: unknown): string | undefined =>
  given === undefined || given === null ? undefined : timeOf(field, String(given))
