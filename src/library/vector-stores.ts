/**
 * Contexts as stores of files, for clients that know them as vector stores: every context that has files is one, and one may
 * be made, named and described while it has none. A file stands in one context at most: what is put into a store leaves the
 * one where it was.
 */
import { sql } from "kysely"
import { seen, seenBy, type View, withinBoth } from "../access/view.ts"
import { AppError, invalid } from "../errors.ts"
import { keepHeld, keepHeldIds } from "../governance/holds/refuse.ts"
import { newId } from "../id.ts"
import { type Database, readApart, type Trx, type Value } from "../storage/database.ts"
import type { FileStatus } from "../storage/files.ts"
import type { Condition } from "../storage/json-words.ts"
import { inOrder } from "../storage/shared.ts"
import { filled, texts, type Words, words } from "../storage/words.ts"
import type { FileChanges } from "./changes.ts"
import { readerFor } from "./file-list.ts"
import { type IdPage, type IdPageRequest, readingOf } from "./id-pages.ts"
import { checkMetadata } from "./labels.ts"
import { refuseOutside } from "./outside.ts"

export interface VectorStore {
  contextId: string
  name: string
  description: string | null
  metadata: Record<string, unknown>
  createdAt: string
  /** Of the store, or of the file that changed last. */
  updatedAt: string
  files: Record<FileStatus, number>
  bytes: number
}

export interface StoreLabels {
  name?: string | undefined
  description?: string | null | undefined
  metadata?: Record<string, unknown> | undefined
}

/** A file that goes into a store; without metadata it keeps its own. */
export interface Attachment {
  fileId: string
  metadata?: Record<string, unknown> | undefined
}

interface Place {
  context_id: string
  created_at: string
}

interface Held {
  context_id: string
  status: FileStatus
  files: number
  bytes: number
  updated_at: string
}

export class VectorStores {
  private readonly words: Words

  constructor(
    private readonly database: Database,
    private readonly changes: FileChanges,
  ) {
    this.words = words(database)
  }

  /** By the time at which they were made; cursors are contexts. @throws AppError invalid_request for a cursor that is none */
  async list(view: View, request: IdPageRequest): Promise<IdPage<VectorStore>> {
    const { cursor, direction, compares, rows, page } = readingOf(request)
    const { text, values } = this.places(view)
    const from = cursor === undefined ? undefined : await this.find(view, cursor)
    if (cursor !== undefined && !from)
      throw invalid(request.after === undefined ? "before" : "after", "is not a vector store")
    const read = await readApart<Place>(
      this.database,
      `select context_id, created_at from (${text}) as stores
        ${from ? `where (created_at, context_id) ${compares} (?, ?)` : ""}
        order by created_at ${direction}, context_id ${direction} limit ?`,
      [...values, ...(from ? [from.created_at, from.context_id] : []), rows],
    )
    const { items, hasMore } = page(read)
    return { items: await this.described(view, items), hasMore }
  }

  /** @throws AppError not_found */
  async get(view: View, contextId: string): Promise<VectorStore> {
    const [store] = await this.described(view, [await this.place(view, contextId)])
    return store!
  }

  /** @throws AppError not_found */
  async check(view: View, contextId: string): Promise<void> {
    await this.place(view, contextId)
  }

  async exists(view: View, contextId: string): Promise<boolean> {
    return (await this.find(view, contextId)) !== undefined
  }

  /** @throws AppError forbidden to who sees some contexts only: a new one would be none of them */
  async create(view: View, { name, description, metadata }: StoreLabels): Promise<VectorStore> {
    if (view.contexts !== null)
      throw new AppError("forbidden", { message: "these credentials are for contexts that there are already" })
    const now = new Date().toISOString()
    const row = {
      workspace_id: view.workspaceId,
      context_id: newId("ctx"),
      name: name ?? "",
      description: description ?? null,
      metadata: JSON.stringify(checkMetadata(metadata ?? {})),
      created_at: now,
      updated_at: now,
    }
    await this.database.insertInto("vector_stores").values(row).execute()
    return this.get(view, row.context_id)
  }

  async change(view: View, contextId: string, labels: StoreLabels): Promise<VectorStore> {
    const store = await this.get(view, contextId)
    const set = {
      name: labels.name ?? store.name,
      description: labels.description === undefined ? store.description : labels.description,
      metadata: JSON.stringify(checkMetadata(labels.metadata ?? store.metadata)),
      updated_at: new Date().toISOString(),
    }
    await this.database
      .insertInto("vector_stores")
      .values({ workspace_id: view.workspaceId, context_id: contextId, created_at: store.createdAt, ...set })
      .onConflict(on => on.columns(["workspace_id", "context_id"]).doUpdateSet(set))
      .execute()
    return this.get(view, contextId)
  }

  /**
   * Its files stay, without a context. Where it has others that the caller does not see it stays for those who do, as it is.
   * @throws AppError forbidden to who does not see files without a context, as all that lets go of some
   */
  async delete(view: View, contextId: string): Promise<void> {
    await this.check(view, contextId)
    const released = await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await keepHeld(trx, view.workspaceId, "files", sql<boolean>`files.context_id = ${contextId}`)
      const files = await trx
        .updateTable("files")
        .set({ context_id: null, updated_at: new Date().toISOString() })
        .where(seen(trx, view))
        .where("context_id", "=", contextId)
        .returning("id")
        .execute()
      await refuseOutside(
        trx,
        view,
        files.map(({ id }) => id),
      )
      await forgetEmpty(trx, view.workspaceId, contextId)
      return files
    })
    for (const { id } of released) this.changes.announce(id)
  }

  /**
   * Moves all of the files into the store, or none.
   * @throws AppError not_found for the store and for a file; forbidden where the caller would not see one any more
   */
  async attach(view: View, contextId: string, files: readonly Attachment[]): Promise<void> {
    await this.check(view, contextId)
    const metadata = files.map(each => each.metadata && JSON.stringify(checkMetadata(each.metadata, "attributes")))
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await keepHeldIds(
        trx,
        view.workspaceId,
        "files",
        files.map(({ fileId }) => fileId),
      )
      for (const [i, { fileId }] of files.entries()) {
        const given = metadata[i] === undefined ? {} : { metadata: metadata[i] }
        const moved = await trx
          .updateTable("files")
          .set({ context_id: contextId, updated_at: new Date().toISOString(), ...given })
          .where("id", "=", fileId)
          .where(seen(trx, view))
          .returning("id")
          .executeTakeFirst()
        if (!moved) throw new AppError("not_found", { message: `there is no file ${fileId.slice(0, 64)}` })
      }
      await refuseOutside(
        trx,
        view,
        files.map(({ fileId }) => fileId),
      )
    })
    for (const { fileId } of files) this.changes.announce(fileId)
  }

  /** Takes files out of the store, those of them that are in it; they stay, without a context. @returns which */
  async detach(view: View, contextId: string, fileIds: readonly string[]): Promise<string[]> {
    const released = await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await keepHeldIds(trx, view.workspaceId, "files", fileIds)
      const files = await trx
        .updateTable("files")
        .set({ context_id: null, updated_at: new Date().toISOString() })
        .where(seen(trx, view))
        .where("context_id", "=", contextId)
        .where(filled<boolean>(this.words.among("id", "text"), texts(fileIds)))
        .returning("id")
        .execute()
      const ids = files.map(({ id }) => id)
      await refuseOutside(trx, view, ids)
      return ids
    })
    for (const id of released) this.changes.announce(id)
    return released
  }

  private async place(view: View, contextId: string): Promise<Place> {
    const place = await this.find(view, contextId)
    if (!place) throw new AppError("not_found", { message: "there is no such vector store" })
    return place
  }

  private async find(view: View, contextId: string): Promise<Place | undefined> {
    // Within the view: asked outside of it, the context would be picked out of all places.
    const { text, values } = this.places(withinBoth(view, { contexts: [contextId], filters: [] }))
    const [place] = await readerFor(view)<Place>(this.database, text, values)
    return place
  }

  /**
   * Every store that the view sees, with the time at which it was made, or its first file. One that was named is seen by who
   * sees its context, unless it has files of which none is seen.
   */
  private places(view: View): Condition {
    const { text: isSeen, values: seenValues } = seenBy(view, this.words)
    const values: Value[] = [view.workspaceId]
    let named = "workspace_id = ?"
    if (view.contexts) {
      named += ` and ${this.words.among("context_id", "text")}`
      values.push(texts(view.contexts))
    }
    if (view.filters.length > 0 || view.principals) {
      named += ` and (context_id in (select files.context_id from files where ${isSeen})
        or not exists (select 1 from files where files.workspace_id = vector_stores.workspace_id
          and files.context_id = vector_stores.context_id))`
      values.push(...seenValues)
    }
    return {
      text: `select context_id, coalesce(min(named_at), min(filled_at)) as created_at from (
          select context_id, created_at as named_at, null as filled_at from vector_stores where ${named}
          union all
          select context_id, null as named_at, min(created_at) as filled_at from files
            where context_id is not null and ${isSeen} group by context_id
        ) as places group by context_id`,
      values: [...values, ...seenValues],
    }
  }

  private async described(view: View, places: readonly Place[]): Promise<VectorStore[]> {
    const contexts = texts(places.map(place => place.context_id))
    const { text: isSeen, values: seenValues } = seenBy(view, this.words)
    const among = this.words.among("context_id", "text")
    const labels = await this.database
      .selectFrom("vector_stores")
      .selectAll()
      .where("workspace_id", "=", view.workspaceId)
      .where(filled<boolean>(among, contexts))
      .execute()
    const held = await readApart<Held>(
      this.database,
      `select context_id, status, count(*) as files, sum(size) as bytes, max(updated_at) as updated_at
        from files where ${isSeen} and ${among} group by context_id, status`,
      [...seenValues, contexts],
    )
    const named = new Map(labels.map(row => [row.context_id, row]))
    const heldBy = Map.groupBy(held, row => row.context_id)
    return places.map(place => {
      const row = named.get(place.context_id)
      const all = heldBy.get(place.context_id) ?? []
      const files = { queued: 0, indexing: 0, searchable: 0, failed: 0 }
      for (const each of all) files[each.status] = Number(each.files)
      return {
        contextId: place.context_id,
        name: row?.name ?? place.context_id,
        description: row?.description ?? null,
        metadata: row ? JSON.parse(row.metadata) : {},
        createdAt: place.created_at,
        updatedAt: [row?.updated_at ?? place.created_at, ...all.map(each => each.updated_at)].sort().at(-1)!,
        files,
        bytes: all.reduce((sum, { bytes }) => sum + Number(bytes), 0),
      }
    })
  }
}

/** Name and batches of a store that has no file any more. */
async function forgetEmpty(trx: Trx, workspaceId: string, contextId: string): Promise<void> {
  const left = await trx
    .selectFrom("files")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("context_id", "=", contextId)
    .limit(1)
    .executeTakeFirst()
  if (left) return
  for (const table of ["vector_store_batches", "vector_stores"] as const)
    await trx.deleteFrom(table).where("workspace_id", "=", workspaceId).where("context_id", "=", contextId).execute()
}
