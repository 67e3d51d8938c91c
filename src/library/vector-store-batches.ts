/** Files that were put into a store together, and how far they are. */
import type { View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { newId } from "../id.ts"
import type { Database } from "../storage/database.ts"
import type { Library } from "./library.ts"
import type { FileRecord } from "./record.ts"
import type { Attachment, VectorStores } from "./vector-stores.ts"

export interface StoreBatch {
  id: string
  contextId: string
  createdAt: string
  isCancelled: boolean
  /** Those that were taken out again by `cancel`, as far as they are there. */
  cancelledIds: string[]
  /** Records of those that are in the store now. */
  files: FileRecord[]
}

export class VectorStoreBatches {
  constructor(
    private readonly database: Database,
    private readonly library: Library,
    private readonly stores: VectorStores,
  ) {}

  /** @throws AppError not_found for the store and for a file: then none is moved */
  async create(view: View, contextId: string, files: readonly Attachment[]): Promise<StoreBatch> {
    await this.stores.attach(view, contextId, files)
    const id = newId("vsfb")
    await this.database
      .insertInto("vector_store_batches")
      .values({
        id,
        workspace_id: view.workspaceId,
        context_id: contextId,
        file_ids: JSON.stringify([...new Set(files.map(({ fileId }) => fileId))]),
        cancelled_ids: null,
        created_at: new Date().toISOString(),
      })
      .execute()
    return this.get(view, contextId, id)
  }

  /** @throws AppError not_found */
  async get(view: View, contextId: string, id: string): Promise<StoreBatch> {
    await this.stores.check(view, contextId)
    const row = await this.database
      .selectFrom("vector_store_batches")
      .selectAll()
      .where("id", "=", id)
      .where("workspace_id", "=", view.workspaceId)
      .where("context_id", "=", contextId)
      .executeTakeFirst()
    if (!row) throw new AppError("not_found", { message: "there is no such batch" })
    const files = await this.library.existing(view, JSON.parse(row.file_ids))
    const cancelled = new Set<string>(JSON.parse(row.cancelled_ids ?? "[]")) // some of the former
    return {
      id,
      contextId,
      createdAt: row.created_at,
      isCancelled: row.cancelled_ids !== null,
      cancelledIds: files.flatMap(({ id }) => (cancelled.has(id) ? [id] : [])),
      files: files.filter(({ context_id }) => context_id === contextId),
    }
  }

  /** Takes those out of the store again that are not searchable yet. One that is over stays as it is. */
  async cancel(view: View, contextId: string, id: string): Promise<StoreBatch> {
    const { files, isCancelled } = await this.get(view, contextId, id)
    const waiting = files.filter(({ status }) => status === "queued" || status === "indexing")
    if (isCancelled || waiting.length === 0) return this.get(view, contextId, id)
    const cancelled = await this.stores.detach(
      view,
      contextId,
      waiting.map(file => file.id),
    )
    await this.database
      .updateTable("vector_store_batches")
      .set({ cancelled_ids: JSON.stringify(cancelled) })
      .where("id", "=", id)
      .where("cancelled_ids", "is", null)
      .execute()
    return this.get(view, contextId, id)
  }
}
