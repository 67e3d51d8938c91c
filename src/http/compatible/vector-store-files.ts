/** The files of vector stores, one by one and in batches. */
import { Elysia } from "elysia"
import type { View } from "../../access/view.ts"
import { AppError, invalid } from "../../errors.ts"
import type { Library } from "../../library/library.ts"
import type { FileRecord } from "../../library/record.ts"
import type { StoreBatch } from "../../library/vector-store-batches.ts"
import type { StoredBytes } from "../../storage/blobs/blobs.ts"
import type { FileStatus } from "../../storage/files.ts"
import { caller, type RequestContext } from "../context.ts"
import { eachOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { cursorOf, idList, unixTime } from "./lists.ts"
import * as docs from "./vector-store-files.docs.ts"
import { contextOf, MAX_PAGE, PAGE, refuseChunking, storeIdOf } from "./vector-stores.ts"

/** Long, because it is the table of contents of nine routes. */
export function vectorStoreFileRoutes({ vectorStores, storeBatches, library }: Services) {
  const fileOf = (view: View, { vector_store_id: store, file_id: id }: docs.ByFile) =>
    fileIn(library, view, contextOf(store), id)
  return new Elysia()
    .use(caller)
    .post(
      "/v1/vector_stores/:vector_store_id/files",
      async ({ params, body, principal: { view } }) => {
        refuseChunking(body.chunking_strategy)
        const contextId = contextOf(params.vector_store_id)
        await vectorStores.attach(view, contextId, [{ fileId: body.file_id, metadata: body.attributes ?? undefined }])
        return toObject(await fileIn(library, view, contextId, body.file_id))
      },
      docs.attachFile(),
    )
    .get(
      "/v1/vector_stores/:vector_store_id/files",
      async ({ params, query, principal: { view } }) => {
        const contextId = contextOf(params.vector_store_id)
        await vectorStores.get(view, contextId)
        return pageOf(library, view, contextId, query)
      },
      docs.listStoreFiles(),
    )
    .get(
      "/v1/vector_stores/:vector_store_id/files/:file_id",
      async ({ params, principal, context }) => {
        const file = toObject(await fileOf(principal.view, params))
        askAgainSoon(context, file.status)
        return file
      },
      docs.getStoreFile(),
    )
    .post(
      "/v1/vector_stores/:vector_store_id/files/:file_id",
      async ({ params, body, principal: { view } }) => {
        const { id } = await fileOf(view, params)
        return toObject(await library.change(view, id, { metadata: body.attributes ?? {} }))
      },
      docs.updateStoreFile(),
    )
    .delete(
      "/v1/vector_stores/:vector_store_id/files/:file_id",
      async ({ params, principal: { view } }) => {
        const { id } = await fileOf(view, params)
        await vectorStores.detach(view, contextOf(params.vector_store_id), [id])
        return { id, object: "vector_store.file.deleted" as const, deleted: true as const }
      },
      docs.detachFile(),
    )
    .get(
      "/v1/vector_stores/:vector_store_id/files/:file_id/content",
      async ({ params, principal: { view }, request }) => {
        const { id } = await fileOf(view, params)
        return contentPage((await library.text(view, id)).bytes, request.signal)
      },
      docs.readStoreFile(),
    )
    .post(
      "/v1/vector_stores/:vector_store_id/file_batches",
      async ({ params, body, principal }) =>
        toBatch(await storeBatches.create(principal.view, contextOf(params.vector_store_id), attachmentsOf(body))),
      docs.createBatch(),
    )
    .get(
      "/v1/vector_stores/:vector_store_id/file_batches/:batch_id",
      async ({ params, principal, context }) => {
        const { vector_store_id: store, batch_id: id } = params
        const batch = toBatch(await storeBatches.get(principal.view, contextOf(store), id))
        askAgainSoon(context, batch.status)
        return batch
      },
      docs.getBatch(),
    )
    .post(
      "/v1/vector_stores/:vector_store_id/file_batches/:batch_id/cancel",
      async ({ params: { vector_store_id: store, batch_id: id }, principal }) =>
        toBatch(await storeBatches.cancel(principal.view, contextOf(store), id)),
      docs.cancelBatch(),
    )
    .get(
      "/v1/vector_stores/:vector_store_id/file_batches/:batch_id/files",
      async ({ params: { vector_store_id: store, batch_id: id }, query, principal: { view } }) => {
        const { contextId, files } = await storeBatches.get(view, contextOf(store), id)
        const ids = files.map(file => file.id)
        return pageOf(library, view, contextId, query, ids)
      },
      docs.listBatchFiles(),
    )
}

/** A client that polls asks again after so long; it would wait 5 s by itself. */
const POLL_MS = 500

function askAgainSoon({ headers }: RequestContext, status: string): void {
  if (status === "in_progress") headers["openai-poll-after-ms"] = String(POLL_MS)
}

/** @throws AppError not_found for a file that is not in the store */
async function fileIn(library: Library, view: View, contextId: string, id: string): Promise<FileRecord> {
  const file = await library.get(view, id)
  if (file.context_id !== contextId) throw new AppError("not_found", { message: "the store has no such file" })
  return file
}

async function pageOf(library: Library, view: View, contextId: string, query: docs.ListQuery, ids?: string[]) {
  const { filter, ...cursor } = query
  const [state] = eachOf("filter", filter ? [filter] : [], docs.STATES)!
  const { items, hasMore } = await library.pageOfIds(view, {
    ...cursorOf(cursor, MAX_PAGE, PAGE),
    contextId,
    ids,
    ...(state ? { status: STATUSES.filter(status => STATES[status] === state) } : {}),
  })
  return idList(
    items.map(({ record }) => toObject(record)),
    hasMore,
  )
}

const STATES = {
  queued: "in_progress",
  indexing: "in_progress",
  searchable: "completed",
  failed: "failed",
} as const satisfies Record<FileStatus, docs.StoreFile["status"]>
const STATUSES = Object.keys(STATES) as FileStatus[]

const toObject = (file: FileRecord): docs.StoreFile => ({
  id: file.id,
  object: "vector_store.file",
  created_at: unixTime(file.created_at),
  vector_store_id: storeIdOf(file.context_id ?? ""),
  usage_bytes: file.size,
  status: STATES[file.status],
  last_error: file.error && {
    code: file.error.code === "internal_error" ? "server_error" : "invalid_file",
    message: file.error.message,
  },
  chunking_strategy: { type: "other" },
  attributes: file.metadata,
})

/** @throws AppError invalid_request where there are neither or both kinds of files */
function attachmentsOf({ file_ids: ids, files, attributes, chunking_strategy }: docs.BatchBody) {
  if ((ids && files) || !(ids ?? files)) throw invalid("file_ids", "give file_ids or files")
  refuseChunking(chunking_strategy)
  if (ids) return ids.map(fileId => ({ fileId, metadata: attributes ?? undefined }))
  return files!.map((file, i) => {
    refuseChunking(file.chunking_strategy, `files.${i}.chunking_strategy`)
    return { fileId: file.file_id, metadata: file.attributes ?? undefined }
  })
}

function toBatch({ id, contextId, createdAt, isCancelled, cancelledIds, files }: StoreBatch): docs.Batch {
  const counts = { in_progress: 0, completed: 0, failed: 0 }
  for (const { status } of files) counts[STATES[status]]++
  const waiting = counts.in_progress > 0 ? "in_progress" : "completed"
  return {
    id,
    object: "vector_store.files_batch",
    created_at: unixTime(createdAt),
    vector_store_id: storeIdOf(contextId),
    status: isCancelled ? "cancelled" : waiting,
    file_counts: { ...counts, cancelled: cancelledIds.length, total: files.length + cancelledIds.length },
  }
}

/** As JSON whose one text is written as it is read: it may be larger than memory is to be. */
async function contentPage(bytes: StoredBytes, signal: AbortSignal): Promise<Response> {
  const stream = await bytes.stream(undefined, signal)
  const quoted = stream.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TransformStream<string, string>({
      start: controller =>
        controller.enqueue('{"object":"vector_store.file_content.page","data":[{"type":"text","text":"'),
      transform: (text, controller) => controller.enqueue(JSON.stringify(text).slice(1, -1)),
      flush: controller => controller.enqueue('"}],"has_more":false,"next_page":null}'),
    }),
  )
  return new Response(quoted.pipeThrough(new TextEncoderStream()), { headers: { "content-type": "application/json" } })
}
