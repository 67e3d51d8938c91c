/** The library: list, record, content, text, change, re-index, watch, delete. */
import { Elysia, t } from "elysia"
import { AppError } from "../../errors.ts"
import { checkContext } from "../../library/labels.ts"
import type { FileRecord } from "../../library/record.ts"
import { caller } from "../context.ts"
import { rangeOf } from "../range.ts"
import {
  eachOf,
  integer,
  JsonObject,
  listItems,
  listOf,
  nullable,
  operation,
  pageOf,
  pageQuery,
  paginated,
  Time,
  timeOf,
  typesOf,
} from "../schemas.ts"
import type { Services } from "../services.ts"
import { eventStream } from "../sse.ts"

const Issue = t.Object({ code: t.String(), message: t.String() })

export const FileRecordSchema = t.Object(
  {
    id: t.String({ examples: ["file_01m7y48vkz3s85f1acdta2"] }),
    name: t.String({ examples: ["report.pdf"] }),
    type: t.String({ examples: ["pdf"] }),
    mime_type: t.String({ examples: ["application/pdf"] }),
    size: integer({ description: "Bytes" }),
    sha256: t.String(),
    status: t.Union([t.Literal("queued"), t.Literal("indexing"), t.Literal("searchable"), t.Literal("failed")]),
    stage: nullable(t.String({ description: "While indexing: extracting, ocr, chunking, embedding, committing" })),
    progress: t.Number({ minimum: 0, maximum: 1 }),
    error: nullable(Issue),
    warnings: t.Array(Issue),
    attempts: integer(),
    page_count: nullable(integer()),
    ocr_page_count: integer(),
    chunk_count: nullable(integer()),
    character_count: nullable(integer()),
    context_id: nullable(t.String()),
    tags: t.Array(t.String()),
    metadata: JsonObject,
    created_at: Time,
    updated_at: Time,
    indexed_at: nullable(Time),
    duplicate: t.Optional(t.Literal(true)),
  },
  { $id: undefined, title: "FileRecord" },
)

const STATUSES = ["queued", "indexing", "searchable", "failed"]
const byId = t.Object({ file_id: t.String() })

const listQuery = t.Object({
  ...pageQuery,
  status: t.Optional(t.String({ description: "Comma-separated: queued, indexing, searchable, failed" })),
  type: t.Optional(t.String({ description: "Comma-separated extensions" })),
  tag: t.Optional(t.String({ description: "Comma-separated; any of them" })),
  name: t.Optional(t.String({ description: "Part of the name, any case" })),
  context_id: t.Optional(t.String({ description: "Only files of this scope" })),
  created_after: t.Optional(t.String({ description: "ISO-8601" })),
  created_before: t.Optional(t.String({ description: "ISO-8601" })),
  sort: t.Optional(t.UnionEnum(["created_at", "updated_at", "name", "size", "status"], { default: "created_at" })),
  order: t.Optional(t.UnionEnum(["asc", "desc"], { default: "desc" })),
})

const changeBody = t.Object({
  name: t.Optional(t.String({ minLength: 1, maxLength: 1_000 })),
  tags: t.Optional(t.Array(t.String())),
  metadata: t.Optional(JsonObject),
  context_id: t.Optional(nullable(t.String())),
})

export const libraryRoutes = ({ library, fileTypes }: Services) =>
  new Elysia()
    .use(caller)
    .get(
      "/external/libraries",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const { data, total } = await library.list(principal.workspaceId, { ...filterOf(query, fileTypes), ...page })
        return paginated(data, total, page)
      },
      {
        scope: "files:read",
        query: listQuery,
        detail: operation({
          summary: "List files",
          tag: "Files",
          success: { description: "One page of records, newest first by default", schema: listOf(FileRecordSchema) },
          errors: ["invalid_request"],
        }),
      },
    )
    .get(
      "/external/libraries/:file_id",
      ({ params, principal }) => library.get(principal.workspaceId, params.file_id),
      {
        scope: "files:read",
        params: byId,
        detail: operation({
          summary: "Get a file's record",
          tag: "Files",
          success: { description: "The record", schema: FileRecordSchema },
          errors: ["not_found"],
        }),
      },
    )
    .patch(
      "/external/libraries/:file_id",
      ({ params, body, principal }) => library.change(principal.workspaceId, params.file_id, body),
      {
        scope: "files:write",
        params: byId,
        body: changeBody,
        detail: operation({
          summary: "Change a file's name, tags, metadata or context",
          tag: "Files",
          success: { description: "The changed record", schema: FileRecordSchema },
          errors: ["invalid_json", "invalid_request", "not_found", "unsupported_media_type", "insufficient_storage"],
          example: { name: "report-2026.pdf", tags: ["finance"], context_id: "project:42" },
        }),
      },
    )
    .delete(
      "/external/libraries/:file_id",
      async ({ params, principal }) => {
        await library.delete(principal.workspaceId, params.file_id)
        return new Response(null, { status: 204 })
      },
      {
        scope: "files:write",
        params: byId,
        detail: operation({
          summary: "Delete a file",
          description: "Gone from search at once; bytes and index entries are removed.",
          tag: "Files",
          success: { status: 204, description: "Deleted" },
          errors: ["not_found"],
        }),
      },
    )
    .get(
      "/external/libraries/:file_id/content",
      async ({ params, principal, request }) => {
        const { path, record } = await library.content(principal.workspaceId, params.file_id)
        return contentResponse(path, record, request.headers)
      },
      {
        scope: "files:read",
        params: byId,
        detail: operation({
          summary: "Download the original",
          description:
            "Range requests are answered, also with `If-Range`; `If-None-Match` with the `ETag` of an earlier answer gives 304.",
          tag: "Files",
          success: {
            description: "The bytes",
            schema: t.String({ format: "binary" }),
            type: "application/octet-stream",
          },
          alternatives: {
            206: {
              description: "A part of the bytes",
              schema: t.String({ format: "binary" }),
              type: "application/octet-stream",
            },
            304: { description: "The bytes are those of the given ETag" },
          },
          errors: ["not_found", "range_not_satisfiable"],
        }),
      },
    )
    .get(
      "/external/libraries/:file_id/text",
      async ({ params, principal }) => {
        const { path } = await library.text(principal.workspaceId, params.file_id)
        return new Response(Bun.file(path), { headers: { "content-type": "text/plain; charset=utf-8" } })
      },
      {
        scope: "files:read",
        params: byId,
        detail: operation({
          summary: "Get the extracted text",
          description: "Positions of hits and citations are offsets into this text, in UTF-16 code units.",
          tag: "Files",
          success: { description: "The text", schema: t.String(), type: "text/plain" },
          errors: ["not_found", "conflict"],
        }),
      },
    )
    .post(
      "/external/libraries/:file_id/reindex",
      async ({ params, principal, set }) => {
        set.status = 202
        return library.reindex(principal.workspaceId, params.file_id)
      },
      {
        scope: "files:write",
        params: byId,
        detail: operation({
          summary: "Read and index a file again",
          description: "The present version stays findable until the new one is.",
          tag: "Files",
          success: { status: 202, description: "Queued", schema: FileRecordSchema },
          errors: ["not_found", "insufficient_storage"],
        }),
      },
    )
    .get(
      "/external/libraries/:file_id/events",
      async ({ params, principal, context }) => {
        const record = await library.get(principal.workspaceId, params.file_id) // a 404 before the stream begins
        return eventStream(signal => fileEvents(library.watch(principal.workspaceId, record.id, signal)), context)
      },
      {
        scope: "files:read",
        params: byId,
        detail: operation({
          summary: "Watch a file until it is searchable or failed",
          description: "Server-sent events named `file`, each with the whole record.",
          tag: "Files",
          success: { description: "The stream", schema: t.String(), type: "text/event-stream" },
          errors: ["not_found"],
        }),
      },
    )

function filterOf(query: typeof listQuery.static, fileTypes: ReadonlyMap<string, string>) {
  return {
    status: eachOf("status", listItems(query.status), STATUSES),
    types: typesOf("type", listItems(query.type), fileTypes),
    tags: listItems(query.tag),
    name: query.name || undefined,
    contextId: query.context_id ? checkContext(query.context_id) : undefined,
    createdAfter: timeOf("created_after", query.created_after),
    createdBefore: timeOf("created_before", query.created_before),
    sort: query.sort ?? "created_at",
    order: query.order ?? "desc",
  } as const
}

function contentResponse(path: string, record: FileRecord, request: Headers): Response {
  const etag = `"${record.sha256}"`
  // A part of bytes that were replaced since is of no use to who asks for the rest of the former ones.
  const isCurrent = (request.get("if-range") ?? etag) === etag
  const range = isCurrent ? rangeOf(request.get("range"), record.size) : undefined
  const headers: Record<string, string> = {
    "content-type": record.mime_type,
    "content-disposition": `attachment; filename="${record.name.replace(/[^\x20-\x7e]|["\\]/g, "_")}"; filename*=UTF-8''${encodeRfc5987(record.name)}`,
    "accept-ranges": "bytes",
    etag,
    "content-security-policy": "sandbox; default-src 'none'",
  }
  if (request.get("if-none-match")?.includes(etag)) return new Response(null, { status: 304, headers })
  if (range === "unsatisfiable")
    throw new AppError("range_not_satisfiable", { headers: { "Content-Range": `bytes */${record.size}` } })
  if (!range) return new Response(Bun.file(path), { headers })
  headers["content-range"] = `bytes ${range.start}-${range.end}/${record.size}`
  return new Response(Bun.file(path).slice(range.start, range.end + 1), { status: 206, headers })
}

const encodeRfc5987 = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

async function* fileEvents(records: AsyncIterable<FileRecord>) {
  for await (const data of records) yield { event: "file", data }
}
