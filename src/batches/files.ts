/**
 * Files that batches come in and go out by. They are none of the library: nothing of them is indexed or found, and who sees
 * a batch sees them.
 */
import { ownedBy, ownerColumns } from "../access/owner.ts"
import type { View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { holdOnAll, refuse } from "../governance/holds/refuse.ts"
import { noteRemoved } from "../governance/receipts/removals.ts"
import { newId } from "../id.ts"
import { type IdPage, type IdPageRequest, readingOf } from "../library/id-pages.ts"
import type { BatchFilesTable } from "../storage/batches.ts"
import type { Blobs, StoredBlob, StoredBytes } from "../storage/blobs/blobs.ts"
import type { Database, Executor } from "../storage/database.ts"
import { inOrder } from "../storage/shared.ts"
import { MAX_INPUT_BYTES } from "./input.ts"
import { UNDER_WAY } from "./record.ts"

export const BATCH_PURPOSE = "batch"
const OUTPUT_PURPOSE = "batch_output"

export type BatchFile = BatchFilesTable

/** Whose a new file is. */
type Owned = Pick<BatchFile, "workspace_id" | "owner_type" | "owner_id" | "maker" | "end_user">

export class BatchFiles {
  constructor(
    private readonly database: Database,
    private readonly blobs: Pick<Blobs, "keepNames" | "findOriginal" | "remove" | "of">,
  ) {}

  /** Stores what a batch is to read. @throws AppError file_too_large, empty_file, insufficient_storage */
  async bring(view: View, name: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<BatchFile> {
    const stored = await this.blobs.of(view.workspaceId).write(newId("file"), bytes, MAX_INPUT_BYTES, signal)
    return this.add(view, name, stored)
  }

  /** Takes over bytes that are stored; removes them where they cannot be recorded. */
  async add(view: View, name: string, stored: StoredBlob): Promise<BatchFile> {
    const owner = { workspace_id: view.workspaceId, ...ownerColumns(view, view.author?.endUser ?? null) }
    const file = fileOf(owner, { name, purpose: BATCH_PURPOSE }, stored)
    try {
      if (stored.size > MAX_INPUT_BYTES)
        throw new AppError("file_too_large", {
          message: `the input of a batch may have at most ${MAX_INPUT_BYTES} bytes`,
        })
      await this.blobs.keepNames([stored.blob])
      await this.database.insertInto("batch_files").values(file).execute()
    } catch (error) {
      await this.blobs.remove(stored.blob)
      throw error
    }
    return file
  }

  /** Writes what a batch has answered; the row is the caller's to insert. */
  async write(owner: Owned, name: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<BatchFile> {
    const writer = this.blobs.of(owner.workspace_id)
    const stored = await writer.write(newId("file"), bytes, Number.POSITIVE_INFINITY, signal)
    await this.blobs.keepNames([stored.blob])
    return fileOf(owner, { name, purpose: OUTPUT_PURPOSE }, stored)
  }

  /** Undefined also for one that the caller does not see. */
  find(view: View, id: string, executor: Executor = this.database): Promise<BatchFile | undefined> {
    return executor
      .selectFrom("batch_files")
      .selectAll()
      .where("id", "=", id)
      .where(ownedBy(view, "batch_files"))
      .executeTakeFirst()
  }

  async page(view: View, request: IdPageRequest & { purpose?: string | undefined }): Promise<IdPage<BatchFile>> {
    const { cursor, direction, compares, rows, page } = readingOf(request)
    const read = await this.database
      .selectFrom("batch_files")
      .selectAll()
      .where(ownedBy(view, "batch_files"))
      .$if(request.purpose !== undefined, query => query.where("purpose", "=", request.purpose!))
      .$if(cursor !== undefined, query => query.where("id", compares, cursor!))
      .orderBy("id", direction)
      .limit(rows)
      .execute()
    return page(read)
  }

  /** @throws AppError not_found where the bytes are lost */
  async bytes({ blob }: Pick<BatchFile, "blob">): Promise<StoredBytes> {
    const bytes = await this.blobs.findOriginal(blob)
    if (!bytes) throw new AppError("not_found", { message: "the bytes of this file are lost" })
    return bytes
  }

  /**
   * @param receipt an open one that several removals share
   * @returns id of the receipt that says when it is gone; undefined where there is none
   * @throws AppError conflict while a batch reads it; on_hold
   */
  async delete(view: View, id: string, receipt?: string): Promise<string | undefined> {
    const gone = await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      const file = await this.find(view, id, trx)
      if (!file) return undefined
      const hold = await holdOnAll(trx, view.workspaceId)
      if (hold) refuse(new Map([[id, hold.id]]))
      const reading = await trx
        .selectFrom("batches")
        .select("id")
        .where("input_file_id", "=", id)
        .where("status", "in", UNDER_WAY)
        .executeTakeFirst()
      if (reading)
        throw new AppError("conflict", {
          message: `${reading.id} is reading this file: cancel it, or wait for its end`,
        })
      await trx.deleteFrom("batch_files").where("id", "=", id).execute()
      const { blob, sha256 } = file
      const removal = { kind: "batch_file", id, sha256s: [sha256], traces: { blobs: [blob] } } as const
      return { blob, receiptId: await noteRemoved(trx, view, [removal], receipt) }
    })
    if (gone) await this.blobs.remove(gone.blob)
    return gone?.receiptId
  }
}

const fileOf = (
  { workspace_id, owner_type, owner_id, maker, end_user }: Owned,
  told: Pick<BatchFile, "name" | "purpose">,
  { blob, size, sha256 }: StoredBlob,
): BatchFile => ({
  id: newId("file"),
  ...told,
  ...{ blob, size, sha256 },
  created_at: new Date().toISOString(),
  ...{ workspace_id, owner_type, owner_id, maker, end_user },
})
