/** The library: list, record, content, text, change, re-index, watch, delete. */
import { Elysia } from "elysia"
import { checkPrincipals, explain } from "../../access/acl.ts"
import { checkContext } from "../../access/context-id.ts"
import type { View } from "../../access/view.ts"
import { invalid } from "../../errors.ts"
import type { FileListRequest, FilePageRequest } from "../../library/file-list.ts"
import type { Library } from "../../library/library.ts"
import type { FileRecord } from "../../library/record.ts"
import { caller } from "../context.ts"
import type { Sent } from "../events.ts"
import { fileCursor, filePlace } from "../file-cursor.ts"
import { FILE_STATUSES } from "../file-record.ts"
import { fileResponse, textResponse } from "../file-response.ts"
import { filterOfQuery } from "../filter-request.ts"
import { RECEIPT_ID } from "../receipt-id.ts"
import { eachOf, listItems, pageOf, paginated, timeOf, typesOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { eventStream } from "../sse.ts"
import * as docs from "./library.docs.ts"

export const libraryRoutes = ({ library, fileTypes }: Services) =>
  new Elysia()
    .use(caller)
    .get(
      "/external/libraries",
      ({ query, principal }) => {
        const asked = { ...filterOf(query, fileTypes), ...pageOf(query) }
        const { after, before } = placesOf(query, asked)
        return after || before
          ? pageByCursor(library, principal.view, { ...asked, after, before, limit: asked.pageSize })
          : pageByNumber(library, principal.view, asked)
      },
      docs.listFiles(),
    )
    .get(
      "/external/libraries/:file_id",
      ({ params, principal }) => library.get(principal.view, params.file_id),
      docs.getFile(),
    )
    .patch(
      "/external/libraries/:file_id",
      ({ params, body, principal }) => library.change(principal.view, params.file_id, body),
      docs.updateFile(),
    )
    .delete(
      "/external/libraries/:file_id",
      async ({ params, principal, set }) => {
        set.headers[RECEIPT_ID] = await library.delete(principal.view, params.file_id)
        set.status = 204
      },
      docs.deleteFile(),
    )
    .get(
      "/external/libraries/:file_id/content",
      async ({ params, principal, request }) =>
        fileResponse(await library.content(principal.view, params.file_id), request),
      docs.downloadFile(),
    )
    .get(
      "/external/libraries/:file_id/text",
      async ({ params, principal, request }) =>
        textResponse((await library.text(principal.view, params.file_id)).bytes, request),
      docs.getFileText(),
    )
    .get(
      "/external/libraries/:file_id/access",
      async ({ params, query, principal }) => {
        const { acl, context_id } = await library.get(principal.view, params.file_id)
        const principals =
          query.principals === undefined
            ? principal.view.principals
            : checkPrincipals("principals", listItems(query.principals) ?? [])
        return { ...explain(acl, principals), acl, context_id }
      },
      docs.explainAccess(),
    )
    .post(
      "/external/libraries/:file_id/reindex",
      async ({ params, principal, status }) => status(202, await library.reindex(principal.view, params.file_id)),
      docs.reindexFile(),
    )
    .get(
      "/external/libraries/:file_id/events",
      async ({ params, principal, context }) => {
        const record = await library.get(principal.view, params.file_id) // a 404 before the stream begins
        return eventStream(signal => fileEvents(library.watch(principal.view, record.id, signal)), context)
      },
      docs.watchFile(),
    )

function filterOf(query: docs.ListQuery, fileTypes: Services["fileTypes"]) {
  return {
    status: eachOf("status", listItems(query.status), FILE_STATUSES),
    types: typesOf("type", listItems(query.type), fileTypes),
    tags: listItems(query.tag),
    name: query.name || undefined,
    contextId: query.context_id ? checkContext(query.context_id) : undefined,
    createdAfter: timeOf("created_after", query.created_after),
    createdBefore: timeOf("created_before", query.created_before),
    sort: query.sort ?? "created_at",
    order: query.order ?? "desc",
    filter: filterOfQuery(query.filter),
  } as const
}

/** @throws AppError invalid_request */
function placesOf({ after, before }: docs.ListQuery, order: FileListRequest) {
  if (after && before) throw invalid("before", "does not go with after")
  return {
    after: after ? filePlace(after, order, "after") : undefined,
    before: before ? filePlace(before, order, "before") : undefined,
  }
}

async function pageByNumber({ files }: Library, view: View, request: FileListRequest) {
  const { data, total } = await files.page(view, request)
  const page = paginated(data, total, request)
  return { ...page, ...edgesOf(data, request, { isFirst: request.page === 1, isLast: !page.pagination.has_next }) }
}

async function pageByCursor({ files }: Library, view: View, request: FileListRequest & FilePageRequest) {
  const { items, hasMore } = await files.pageAfter(view, request)
  const total = await files.total(view, request)
  const isBack = request.before !== undefined
  const edges = edgesOf(items, request, { isFirst: isBack && !hasMore, isLast: !isBack && !hasMore })
  const { pagination } = paginated(items, total, request)
  return { data: items, pagination: { ...pagination, has_next: edges.next !== null }, ...edges }
}

/** What a list goes on with behind a page, and before it. */
const edgesOf = (
  data: FileRecord[],
  order: FileListRequest,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
) => ({
  next: isLast || data.length === 0 ? null : fileCursor(data.at(-1)!, order),
  previous: isFirst || data.length === 0 ? null : fileCursor(data[0]!, order),
})

async function* fileEvents(records: AsyncIterable<FileRecord>): AsyncGenerator<Sent<typeof docs.FileEvent>> {
  for await (const data of records) yield { event: "file", data }
}
