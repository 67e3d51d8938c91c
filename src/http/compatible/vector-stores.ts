/** Contexts as OpenAI's clients know stores of files. */
import { Elysia } from "elysia"
import { AppError, invalid } from "../../errors.ts"
import type { VectorStore as Store } from "../../library/vector-stores.ts"
import { caller } from "../context.ts"
import type { Services } from "../services.ts"
import { cursorOf, idList, unixTime } from "./lists.ts"
import { searchStore } from "./vector-store-search.ts"
import * as docs from "./vector-stores.docs.ts"

export const vectorStoreRoutes = ({ vectorStores, library, search }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/v1/vector_stores",
      async ({ body, principal: { view } }) => {
        refuseExpiry(body.expires_after)
        refuseChunking(body.chunking_strategy)
        const store = await vectorStores.create(view, {
          name: body.name ?? undefined,
          description: body.description,
          metadata: body.metadata ?? undefined,
        })
        const fileIds = body.file_ids ?? []
        if (fileIds.length === 0) return toObject(store)
        try {
          await vectorStores.attach(
            view,
            store.contextId,
            fileIds.map(fileId => ({ fileId })),
          )
        } catch (error) {
          await vectorStores.delete(view, store.contextId)
          throw error
        }
        return toObject(await vectorStores.get(view, store.contextId))
      },
      docs.createStore(),
    )
    .get(
      "/v1/vector_stores",
      async ({ query, principal }) => {
        const { after, before, ...cursor } = cursorOf(query, MAX_PAGE, PAGE)
        const { items, hasMore } = await vectorStores.list(principal.view, {
          ...cursor,
          after: after && cursorContext("after", after),
          before: before && cursorContext("before", before),
        })
        return idList(items.map(toObject), hasMore)
      },
      docs.listStores(),
    )
    .get(
      "/v1/vector_stores/:vector_store_id",
      async ({ params, principal }) =>
        toObject(await vectorStores.get(principal.view, contextOf(params.vector_store_id))),
      docs.getStore(),
    )
    .post(
      "/v1/vector_stores/:vector_store_id",
      async ({ params, body, principal }) => {
        refuseExpiry(body.expires_after)
        const labels = { name: body.name ?? undefined, metadata: body.metadata ?? undefined }
        return toObject(await vectorStores.change(principal.view, contextOf(params.vector_store_id), labels))
      },
      docs.updateStore(),
    )
    .delete(
      "/v1/vector_stores/:vector_store_id",
      async ({ params: { vector_store_id: id }, principal }) => {
        await vectorStores.delete(principal.view, contextOf(id))
        return { id, object: "vector_store.deleted" as const, deleted: true as const }
      },
      docs.deleteStore(),
    )
    .post(
      "/v1/vector_stores/:vector_store_id/search",
      async ({ params, body, principal, request }) => {
        const contextId = contextOf(params.vector_store_id)
        await vectorStores.get(principal.view, contextId)
        return searchStore({ search, library }, { ...body, view: principal.view, contextId }, request.signal)
      },
      docs.searchStore(),
    )

export const MAX_PAGE = 100
export const PAGE = 20

const ID = /^vs_([A-Za-z0-9_.:-]{1,128})$/

export const storeIdOf = (contextId: string): string => `vs_${contextId}`

/** The context of a store. @throws AppError not_found for what is no id of a store */
export function contextOf(id: string): string {
  const [, contextId] = ID.exec(id) ?? []
  if (contextId === undefined) throw new AppError("not_found", { message: "there is no such vector store" })
  return contextId
}

function cursorContext(field: string, id: string): string {
  const [, contextId] = ID.exec(id) ?? []
  if (contextId === undefined) throw invalid(field, "is not a vector store")
  return contextId
}

function refuseExpiry(expiry: unknown): void {
  if (expiry !== undefined && expiry !== null) throw invalid("expires_after", "is not supported: stores do not expire")
}

/** @throws AppError invalid_request for any way of cutting but our own */
export function refuseChunking(strategy: { type: string } | null | undefined, field = "chunking_strategy"): void {
  if (strategy && strategy.type !== "auto") throw invalid(`${field}.type`, "must be auto: passages are cut in one way")
}

function toObject({ contextId, files, ...store }: Store): docs.VectorStore {
  const waiting = files.queued + files.indexing
  return {
    id: storeIdOf(contextId),
    object: "vector_store",
    created_at: unixTime(store.createdAt),
    name: store.name,
    description: store.description,
    usage_bytes: store.bytes,
    file_counts: {
      in_progress: waiting,
      completed: files.searchable,
      failed: files.failed,
      cancelled: 0,
      total: waiting + files.searchable + files.failed,
    },
    status: waiting > 0 ? "in_progress" : "completed",
    last_active_at: unixTime(store.updatedAt),
    expires_after: null,
    expires_at: null,
    metadata: store.metadata,
  }
}
