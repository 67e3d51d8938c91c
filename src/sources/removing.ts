/** Deleting what a source owns, file by file, each with what is noted of it in one transaction: others come between. */
import { wholeOf } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { tell } from "../governance/audit/pending.ts"
import { keepHeldIds } from "../governance/holds/refuse.ts"
import type { Library } from "../library/library.ts"
import type { Database, Trx } from "../storage/database.ts"
import { inOrder } from "../storage/shared.ts"
import type { SourceFolders } from "./folders.ts"
import { statusOf } from "./judging.ts"
import { ON_HOLD } from "./listing.ts"

export interface RemovingParts {
  database: Database
  library: Pick<Library, "delete">
}

const PAGE = 200

export interface Deletion {
  sourceId: string
  workspaceId: string
  /** In each transaction, which it ends by throwing. */
  check(trx: Trx): Promise<unknown>
  /** In the transaction of each file that is gone. */
  deleted(trx: Trx): Promise<void>
}

/** Deletes the files of entries that are noted as gone. One that may not be deleted stays, and is seen by the next listing. */
export async function deleteGone(parts: RemovingParts, deletion: Deletion): Promise<void> {
  const { database, library } = parts
  const { sourceId, workspaceId, check } = deletion
  for (let after = ""; ; ) {
    const gone = await database
      .selectFrom("source_entries as e")
      .leftJoin("files as f", join => join.onRef("f.source_id", "=", "e.source_id").onRef("f.source_key", "=", "e.key"))
      .select(["e.key", "e.error_code", "f.id as file_id"])
      .where("e.source_id", "=", sourceId)
      .where("e.status", "=", "gone")
      .where("e.key", ">", after)
      .orderBy("e.key")
      .limit(PAGE)
      .execute()
    for (const { key, error_code, file_id } of gone) {
      const forget = async (trx: Trx) => {
        await check(trx)
        await forgetEntry(trx, sourceId, key, error_code)
      }
      const noted = async (trx: Trx) => {
        await forget(trx)
        await deletion.deleted(trx)
        await tellDeletion(trx, { sourceId, workspaceId, fileId: file_id! })
      }
      if (file_id === null) await database.transaction().execute(forget)
      else
        await library.delete(wholeOf(workspaceId), file_id, { also: noted }).catch(async error => {
          if (!(error instanceof AppError) || error.status >= 500) throw error
          // Somebody else was quicker, or it is held: that is for the next listing.
          await database
            .transaction()
            .execute(trx => (error.code === "not_found" ? forget(trx) : keep(trx, sourceId, key, error)))
        })
    }
    if (gone.length < PAGE) return
    after = gone.at(-1)!.key
  }
}

/** The source is who did it. */
const tellDeletion = (trx: Trx, gone: { sourceId: string; workspaceId: string; fileId: string }): Promise<void> =>
  tell(trx, {
    workspaceId: gone.workspaceId,
    action: "file.delete",
    outcome: "success",
    actor: { type: "system", id: gone.sourceId },
    resourceType: "file",
    resourceId: gone.fileId,
    details: { source_id: gone.sourceId },
  })

/** One that is there and not meant stays known, with the reason. */
async function forgetEntry(trx: Trx, sourceId: string, key: string, code: string | null): Promise<void> {
  if (code === null)
    await trx.deleteFrom("source_entries").where("source_id", "=", sourceId).where("key", "=", key).execute()
  else
    await trx
      .updateTable("source_entries")
      .set({ status: statusOf(code) })
      .where("source_id", "=", sourceId)
      .where("key", "=", key)
      .execute()
}

/** The file stays, and its entry says why. */
async function keep(trx: Trx, sourceId: string, key: string, { code }: AppError): Promise<void> {
  const isHeld = code === ON_HOLD
  await trx
    .updateTable("source_entries")
    .set({
      status: isHeld ? statusOf(code) : "taken",
      error_code: isHeld ? code : null,
      error_message: isHeld ? "it is gone at its source; a hold keeps its file" : null,
    })
    .where("source_id", "=", sourceId)
    .where("key", "=", key)
    .execute()
}

/** Removes a source that is marked for it, its files first where they go along. A second call goes on with the first one. */
export async function removeSource(
  parts: RemovingParts & { folders: Pick<SourceFolders, "remove"> },
  sourceId: string,
  signal?: AbortSignal,
): Promise<void> {
  const { database, library, folders } = parts
  const source = await database.selectFrom("sources").selectAll().where("id", "=", sourceId).executeTakeFirst()
  if (!source?.removal) return
  const goes = source.removal === "delete_files"
  for (let after = ""; ; ) {
    signal?.throwIfAborted()
    const files = await database
      .selectFrom("files")
      .select(["id", "source_key"])
      .where("source_id", "=", sourceId)
      .where("source_key", ">", after)
      .orderBy("source_key")
      .limit(PAGE)
      .execute()
    const ids = files.map(({ id }) => id)
    if (goes)
      for (const id of ids) {
        const gone = { sourceId, workspaceId: source.workspace_id, fileId: id }
        const also = (trx: Trx) => tellDeletion(trx, gone)
        await library.delete(wholeOf(source.workspace_id), id, { also }).catch(ignoreRefusal)
      }
    else if (ids.length > 0) await letGo(database, source.workspace_id, ids)
    if (files.length < PAGE) break
    after = files.at(-1)!.source_key!
  }
  // What may not be deleted outlives its source.
  for (;;) {
    const left = await database.selectFrom("files").select("id").where("source_id", "=", sourceId).limit(PAGE).execute()
    if (left.length === 0) break
    await letGo(
      database,
      source.workspace_id,
      left.map(({ id }) => id),
    )
  }
  for (let deleted = PAGE; deleted >= PAGE; ) {
    const keys = database.selectFrom("source_entries").select("key").where("source_id", "=", sourceId).limit(PAGE)
    const { numDeletedRows } = await database
      .deleteFrom("source_entries")
      .where("source_id", "=", sourceId)
      .where("key", "in", keys)
      .executeTakeFirst()
    deleted = Number(numDeletedRows)
  }
  await folders.remove(sourceId)
  await database.deleteFrom("sources").where("id", "=", sourceId).execute()
}

const letGo = (database: Database, workspaceId: string, ids: readonly string[]): Promise<void> =>
  database.transaction().execute(async trx => {
    await inOrder(trx, workspaceId)
    await keepHeldIds(trx, workspaceId, "files", ids)
    await trx
      .updateTable("files")
      .set({ source_id: null, source_key: null, fingerprint: null })
      .where("id", "in", ids)
      .execute()
  })

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof AppError) || error.status >= 500) throw error
}
