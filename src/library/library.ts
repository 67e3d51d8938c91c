/** The files of a workspace as its users see them: list, read, change, delete. `uploads.ts` takes new ones in. */

import { refuseWider } from "../access/acl.ts"
import type { Filter } from "../access/filter/filter.ts"
import { stored } from "../access/limits.ts"
import { filteredBy, seen, seenBy, type View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { FILE_TO_TELL, tellOfFiles } from "../events/files.ts"
import { heldAmong, keepHeldIds, refuse } from "../governance/holds/refuse.ts"
import { noteRemoved, type Removal } from "../governance/receipts/removals.ts"
import { INDEX_FILE, indexJob } from "../ingest/task.ts"
import type { JobQueue } from "../jobs/queue.ts"
import type { Blobs, StoredBytes } from "../storage/blobs/blobs.ts"
import { type Database, readApart, type Trx } from "../storage/database.ts"
import { forgetTextsOf } from "../storage/file-texts.ts"
import { inOrder } from "../storage/shared.ts"
import { words } from "../storage/words.ts"
import type { FileChanges } from "./changes.ts"
import { columnsBeside, columnsOf, type FileChange } from "./file-change.ts"
import { type FileIdPageRequest, FileList, type FileListRequest, type PurposedFile, toPurposed } from "./file-list.ts"
import { FilePassages } from "./file-passages.ts"
import type { IdPage } from "./id-pages.ts"
import { refuseOutside } from "./outside.ts"
import { type FileRecord, type FileRow, toFileRecord } from "./record.ts"
import { whileThere } from "./while-there.ts"

/** How a file is changed, or removed, that is one of many. */
interface AsOneOfMany {
  /** What it must pass at that moment, else it is not found. */
  only?: Filter
  /** Done in the same transaction, as its last step. */
  also?: (trx: Trx) => Promise<void>
}

interface AsOneRemoved extends AsOneOfMany {
  /** An open receipt that several removals share. */
  receipt?: string | undefined
}

/** What the library needs of the search index. */
export interface Retirable {
  /** Inside the transaction that deletes the file: nothing of it is found any more. */
  retire(trx: Trx, fileId: string): Promise<void>
  /** After the commit: removes what was retired, in the background. */
  sweep(): Promise<void>
}

export interface LibraryDependencies {
  database: Database
  blobs: Blobs
  queue: Pick<JobQueue, "enqueue" | "announce">
  changes: FileChanges
  index: Retirable
}

/** Stored bytes of a file, with its record. */
interface StoredFile {
  bytes: StoredBytes
  record: FileRecord
}

/** What search sees of a file. */
export interface LiveVersion {
  id: string
  workspaceId: string
  name: string
  /** Extension. */
  type: string
  generation: number
  /** Name of the original. */
  blob: string
}

/** How the contexts of files begin that were given to a conversation: they are asked about there. */
const CONVERSATION_CONTEXT = "conv_"
/** Ids of one query: SQLite binds at most 32 766 values. */
const MAX_IDS = 10_000

export class Library {
  /** Its files by cursor. */
  readonly files: FileList
  /** What they are cut into. */
  readonly passages: FilePassages

  constructor(private readonly dependencies: LibraryDependencies) {
    this.files = new FileList(dependencies.database)
    this.passages = new FilePassages(dependencies.database)
  }

  list(view: View, request: FileListRequest): Promise<{ data: FileRecord[]; total: number }> {
    return this.files.page(view, request)
  }

  /** @throws AppError not_found, also for a file of another workspace */
  async get(view: View, fileId: string): Promise<FileRecord> {
    return toFileRecord(await this.row(view, fileId))
  }

  /** In the order in which they came, by cursors that are ids. */
  pageOfIds(view: View, request: FileIdPageRequest): Promise<IdPage<PurposedFile>> {
    return this.files.pageOfIds(view, request)
  }

  /** With what it is said to be for. @throws AppError not_found */
  async purposed(view: View, fileId: string): Promise<PurposedFile> {
    return toPurposed(await this.row(view, fileId))
  }

  /** Records of those of the files that the caller sees and the filter lets pass, in the given order. */
  async existing(view: View, fileIds: readonly string[], filter: Filter | null = null): Promise<FileRecord[]> {
    const wanted = [...new Set(fileIds)]
    const byId = new Map<string, FileRecord>()
    for (let from = 0; from < wanted.length; from += MAX_IDS) {
      const rows = await this.dependencies.database
        .selectFrom("files")
        .selectAll()
        .where(seen(this.dependencies.database, filteredBy(view, filter)))
        .where("id", "in", wanted.slice(from, from + MAX_IDS))
        .execute()
      for (const row of rows) byId.set(row.id, toFileRecord(row))
    }
    return wanted.flatMap(id => byId.get(id) ?? [])
  }

  /** Calls `listener` when the record of one of the files has changed. @returns ends that */
  listen(fileIds: readonly string[], listener: () => void): () => void {
    const ends = fileIds.map(id => this.dependencies.changes.listen(id, listener))
    return () => {
      for (const end of ends) end()
    }
  }

  /** Ids of the files of one context, oldest first. */
  async idsOfContext(view: View, contextId: string): Promise<string[]> {
    const rows = await this.dependencies.database
      .selectFrom("files")
      .select("id")
      .where(seen(this.dependencies.database, view))
      .where("context_id", "=", contextId)
      .orderBy("id")
      .execute()
    return rows.map(({ id }) => id)
  }

  /** Whether a file of the context is seen. */
  async hasContext(view: View, contextId: string): Promise<boolean> {
    const file = await this.dependencies.database
      .selectFrom("files")
      .select("id")
      .where("context_id", "=", contextId)
      .where(seen(this.dependencies.database, view))
      .limit(1)
      .executeTakeFirst()
    return file !== undefined
  }

  /** Contexts that files stand in, those with most first. */
  async contexts(view: View, limit: number): Promise<string[]> {
    const { database } = this.dependencies
    const { begins } = words(database)
    const { text, values } = seenBy(view, words(database))
    const rows = await readApart<{ context_id: string }>(
      database,
      `select context_id from files where ${text} and context_id is not null and not ${begins("context_id")}
        group by context_id order by count(*) desc, context_id limit ?`,
      [...values, CONVERSATION_CONTEXT, limit],
    )
    return rows.map(({ context_id }) => context_id)
  }

  /** @throws AppError not_found, invalid_request; forbidden where the caller could not have uploaded the file so */
  async change(view: View, fileId: string, change: FileChange, { only, also }: AsOneOfMany = {}): Promise<FileRecord> {
    const known = columnsOf(change)
    const changed = await this.dependencies.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      const former = await trx
        .selectFrom("files")
        .select(["acl", "tags", "metadata"])
        .where("id", "=", fileId)
        .where(seen(trx, filteredBy(view, only)))
        .executeTakeFirst()
      if (!former) throw new AppError("not_found")
      const set = { ...known, ...columnsBeside(change, former) }
      if (set.acl !== undefined && !view.mayWiden) refuseWider(stored(former.acl), stored(set.acl))
      await keepHeldIds(trx, view.workspaceId, "files", [fileId])
      const row = await trx
        .updateTable("files")
        .set(set)
        .where("id", "=", fileId)
        .returningAll()
        .executeTakeFirstOrThrow()
      await refuseOutside(trx, view, [fileId])
      await also?.(trx)
      return row
    })
    this.dependencies.changes.announce(fileId)
    // As it is now, though the caller may have let go of it.
    return toFileRecord(changed)
  }

  /**
   * Gone from search, and its texts from what was answered with them, with the commit; bytes and index entries follow. A
   * crash in between is swept up at start.
   * @returns id of the receipt that says when they are gone
   * @throws AppError not_found; on_hold
   */
  async delete(view: View, fileId: string, { only, also, receipt }: AsOneRemoved = {}): Promise<string> {
    const { database, blobs, index, changes } = this.dependencies
    const { row, receiptId } = await database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      const held = await heldAmong(trx, view.workspaceId, "files", [fileId])
      const deleted = await trx
        .deleteFrom("files")
        .where("id", "=", fileId)
        .where(seen(trx, filteredBy(view, only)))
        .returning(["sha256", "status", "blob", "live_blob", "generation", "live_generation", ...FILE_TO_TELL])
        .executeTakeFirst()
      if (!deleted) throw new AppError("not_found")
      refuse(held)
      await trx.deleteFrom("jobs").where("task", "=", INDEX_FILE).where("subject", "=", fileId).execute()
      await index.retire(trx, fileId)
      await forgetTextsOf(trx, fileId)
      const receiptId = await noteRemoved(trx, view, [removalOf(deleted)], receipt)
      await tellOfFiles(trx, "file.deleted", [deleted], { receipt_id: receiptId })
      await also?.(trx)
      return { row: deleted, receiptId }
    })
    changes.announce(fileId)
    await blobs.remove(row.blob)
    if (row.live_blob && row.live_blob !== row.blob) await blobs.remove(row.live_blob)
    if (row.live_generation !== null) await blobs.removeText(fileId, row.live_generation)
    void index.sweep()
    return receiptId
  }

  /** Reads and indexes the file again; the present version stays findable until the new one is. @throws AppError not_found */
  async reindex(view: View, fileId: string, { only, also }: AsOneOfMany = {}): Promise<FileRecord> {
    const { database, queue, changes } = this.dependencies
    await database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await keepHeldIds(trx, view.workspaceId, "files", [fileId])
      const file = await trx
        .updateTable("files")
        .set(eb => ({ ...QUEUED, generation: eb("generation", "+", 1), updated_at: new Date().toISOString() }))
        .where("id", "=", fileId)
        .where(seen(trx, filteredBy(view, only)))
        .returning(["id", "workspace_id", "type", "size"])
        .executeTakeFirst()
      if (!file) throw new AppError("not_found")
      await queue.enqueue(trx, [indexJob(file)])
      await also?.(trx)
    })
    queue.announce()
    changes.announce(fileId)
    return this.get(view, fileId)
  }

  /** The original. */
  async content(view: View, fileId: string): Promise<StoredFile> {
    const row = await this.row(view, fileId)
    const bytes = await this.dependencies.blobs.findOriginal(row.blob)
    const look = () => this.row(view, fileId)
    if (bytes) return { bytes: whileThere(bytes, look), record: toFileRecord(row) }
    if ((await look()).blob !== row.blob) return this.content(view, fileId)
    throw new AppError("internal_error", { cause: new Error("an original is missing") })
  }

  /** The extracted text of the findable version. @throws AppError conflict while there is none */
  async text(view: View, fileId: string): Promise<StoredFile> {
    const row = await this.row(view, fileId)
    if (row.live_generation === null)
      throw new AppError("conflict", {
        message: row.status === "failed" ? "the file has no text: it could not be read" : "the file is not indexed yet",
      })
    const bytes = await this.dependencies.blobs.findText(fileId, row.live_generation)
    const look = () => this.row(view, fileId)
    if (bytes) return { bytes: whileThere(bytes, look), record: toFileRecord(row) }
    if ((await look()).live_generation !== row.live_generation) return this.text(view, fileId)
    throw new AppError("internal_error", { cause: new Error("an extracted text is missing") })
  }

  /** The findable version, whose text and original belong together. @throws AppError conflict while there is none */
  async version(view: View, fileId: string): Promise<LiveVersion> {
    const row = await this.row(view, fileId)
    const { live_generation: generation, live_blob: blob } = row
    if (generation === null || blob === null)
      throw new AppError("conflict", {
        message:
          row.status === "failed" ? "the file has no pages: it could not be read" : "the file is not indexed yet",
      })
    return { id: fileId, workspaceId: row.workspace_id, name: row.name, type: row.type, generation, blob }
  }

  /** The record now and after each change, until the file is searchable, failed or deleted, or the signal aborts. */
  async *watch(view: View, fileId: string, signal: AbortSignal): AsyncGenerator<FileRecord> {
    let record = await this.get(view, fileId)
    let changed = Promise.withResolvers<void>()
    const wake = () => changed.resolve()
    const forget = this.dependencies.changes.listen(fileId, wake)
    signal.addEventListener("abort", wake)
    try {
      for (let last = ""; !signal.aborted; changed = Promise.withResolvers<void>()) {
        record = await this.get(view, fileId)
        const text = JSON.stringify(record)
        if (text !== last) yield record
        last = text
        if (record.status === "searchable" || record.status === "failed") return
        await changed.promise
      }
    } catch (error) {
      if (!(error instanceof AppError && error.code === "not_found")) throw error
    } finally {
      forget()
      signal.removeEventListener("abort", wake)
    }
  }

  private async row(view: View, fileId: string): Promise<FileRow> {
    const row = await this.dependencies.database
      .selectFrom("files")
      .selectAll()
      .where("id", "=", fileId)
      .where(seen(this.dependencies.database, view))
      .executeTakeFirst()
    if (!row) throw new AppError("not_found")
    return row
  }
}

type RemovedFile = Pick<FileRow, "id" | "sha256" | "status" | "blob" | "live_blob" | "generation">

export const removalOf = ({ id, sha256, status, blob, live_blob, generation }: RemovedFile): Removal => ({
  kind: "file",
  id,
  sha256s: [sha256],
  traces: {
    blobs: live_blob && live_blob !== blob ? [blob, live_blob] : [blob],
    generation,
    ...(status === "indexing" ? { isRead: true } : {}),
  },
})

/** Columns of a file that waits for its turn, first or again. */
export const QUEUED = {
  status: "queued" as const,
  stage: null,
  progress: 0,
  error_code: null,
  error_message: null,
  warnings: "[]",
  attempts: 0,
}
