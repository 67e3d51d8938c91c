/** How a workspace leaves: with all that it has, and with the key that its bytes were encrypted with. */
import type { View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { closeReceipt, noteRemoved, openReceipt, type Removal } from "../governance/receipts/removals.ts"
import type { Blobs } from "../storage/blobs/blobs.ts"
import type { Database, Trx } from "../storage/database.ts"
import { findKeyring } from "../storage/encryption/keyring.ts"
import { inOrder, PEOPLE } from "../storage/shared.ts"
import type { StoredFileRow } from "../storage/stored-files.ts"
import { storedFilesOf } from "../storage/stored-files.ts"
import { isPostgres } from "../storage/words.ts"
import { removalOf } from "./library.ts"

interface WorkspaceRemovalParts {
  database: Database
  blobs: Blobs
  index: { retire(trx: Trx, fileId: string): Promise<void>; sweep(): Promise<unknown> }
}

/** In an order in which nothing is left that refers to what goes; what refers to these goes with them. */
const TABLES = [
  ...["jobs", "idempotent_answers", "answered_files", "reading_notes", "end_user_erasures"],
  ...["schedule_runs", "schedules", "batches", "batch_files", "agent_approvals", "agent_runs", "conversations"],
  ...["webhooks", "events", "sources", "vector_store_batches", "vector_stores", "file_jobs", "files", "api_keys"],
  ...["job_turns", "library_changes"], // which the deletions above count
] as const

export class WorkspaceRemoval {
  constructor(private readonly parts: WorkspaceRemovalParts) {}

  /**
   * Gone with the commit, of which its key is a part: what bytes of it are left anywhere cannot be read from then on, and
   * are removed behind it.
   * @param view who removes it, in a workspace that stays: they see the receipt
   * @returns id of the receipt
   * @throws AppError not_found; on_hold; conflict where somebody would be in no workspace
   */
  async remove(view: View, id: string): Promise<string> {
    const { database, blobs, index } = this.parts
    if (view.workspaceId === id)
      throw new AppError("conflict", { message: "this is the workspace that you work in: go to another one first" })
    const { receipt, stored } = await database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE, id)
      await refuse(trx, id)
      const stored = await storedFilesOf(trx, id)
      const receipt = await this.note(trx, view, id, stored)
      for (const table of TABLES) await trx.deleteFrom(table).where("workspace_id", "=", id).execute()
      await trx.deleteFrom("holds").where("workspace_id", "=", id).execute()
      await trx.deleteFrom("workspaces").where("id", "=", id).execute()
      return { receipt, stored }
    })
    findKeyring(database)?.forget(id)
    void index.sweep()
    for (const file of stored) await this.removeBytes(blobs, file)
    return receipt
  }

  private async note(trx: Trx, view: View, id: string, stored: readonly StoredFileRow[]): Promise<string> {
    const receipt = await openReceipt(trx, view, "workspace")
    const removals = await this.removals(trx, id, stored)
    const [first, ...others] = removals
    if (first) await noteRemoved(trx, view, [first, ...others], receipt)
    await closeReceipt(trx, receipt)
    return receipt
  }

  private async removals(trx: Trx, id: string, stored: readonly StoredFileRow[]): Promise<Removal[]> {
    const files = await trx.selectFrom("files").selectAll().where("workspace_id", "=", id).execute()
    for (const file of files) await this.parts.index.retire(trx, file.id)
    const known = new Set(files.map(file => file.id))
    const others = stored.filter(file => !known.has(file.id))
    const removals = files.map(removalOf)
    const pictures = others.filter(file => file.id.startsWith("img_"))
    for (const { id: batchFile, sha256, blob } of others.filter(file => !pictures.includes(file)))
      removals.push({ kind: "batch_file", id: batchFile, sha256s: [sha256], traces: { blobs: [blob] } })
    for (const [kind, table] of [
      ["conversation", "conversations"],
      ["run", "agent_runs"],
      ["batch", "batches"],
    ] as const) {
      const rows = await trx.selectFrom(table).select("id").where("workspace_id", "=", id).execute()
      removals.push(...rows.map((row): Removal => ({ kind, id: row.id })))
    }
    const withPictures = removals.find(({ kind }) => kind === "conversation")
    if (withPictures && pictures.length > 0) {
      withPictures.sha256s = [...new Set(pictures.map(({ sha256 }) => sha256))]
      withPictures.traces = { blobs: [...new Set(pictures.map(({ blob }) => blob))] }
    }
    return removals
  }

  private async removeBytes(blobs: Blobs, { id, blob, live_blob, live_generation }: StoredFileRow): Promise<void> {
    await blobs.remove(blob)
    if (live_blob && live_blob !== blob) await blobs.remove(live_blob)
    if (live_generation !== null) await blobs.removeText(id, live_generation)
  }
}

async function refuse(trx: Trx, id: string): Promise<void> {
  // Whoever adds to it meanwhile is waited for, and whoever comes later finds it gone: no row comes in behind its table's turn.
  const found = await trx
    .selectFrom("workspaces")
    .select("id")
    .where("id", "=", id)
    .$if(isPostgres(trx), query => query.forUpdate())
    .executeTakeFirst()
  if (!found) throw new AppError("not_found", { message: "there is no such workspace" })
  const held = await trx.selectFrom("holds").select("id").where("workspace_id", "=", id).limit(1).executeTakeFirst()
  if (held) throw new AppError("on_hold", { message: "a hold keeps what is in the workspace" })
  const elsewhere = trx.selectFrom("memberships").select("user_id").where("workspace_id", "!=", id)
  const stranded = await trx
    .selectFrom("memberships")
    .select("user_id")
    .where("workspace_id", "=", id)
    .where("user_id", "not in", elsewhere)
    .limit(1)
    .executeTakeFirst()
  if (stranded)
    throw new AppError("conflict", {
      message: "somebody is in no other workspace: add them to another one, or delete the user, first",
    })
}
