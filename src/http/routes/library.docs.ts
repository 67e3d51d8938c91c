/** What the routes of the library take and answer. */
import { t } from "elysia"
import { event, FAILURE } from "../events.ts"
import { FileSchema } from "../file-record.ts"
import { FilterParameter } from "../filter-request.ts"
import { operation } from "../operation.ts"
import { DELETED } from "../receipt-id.ts"
import { JsonObject, listOf, nullable, pageQuery, STREAM_TOKEN } from "../schemas.ts"

const byId = t.Object({ file_id: t.String() })

const listQuery = t.Object({
  ...pageQuery,
  after: t.Optional(t.String({ description: "`next` of an answer in the same order: `page_size` files behind it" })),
  before: t.Optional(t.String({ description: "`previous` of an answer in the same order: the files before it" })),
  status: t.Optional(t.String({ description: "Comma-separated: queued, indexing, searchable, failed" })),
  type: t.Optional(t.String({ description: "Comma-separated extensions" })),
  tag: t.Optional(t.String({ description: "Comma-separated; any of them" })),
  name: t.Optional(t.String({ description: "Part of the name, any case" })),
  context_id: t.Optional(t.String({ description: "Only files of this scope" })),
  created_after: t.Optional(t.String({ description: "ISO-8601" })),
  created_before: t.Optional(t.String({ description: "ISO-8601" })),
  filter: t.Optional(FilterParameter),
  sort: t.Optional(t.UnionEnum(["created_at", "updated_at", "name", "size", "status"], { default: "created_at" })),
  order: t.Optional(t.UnionEnum(["asc", "desc"], { default: "desc" })),
})
export type ListQuery = typeof listQuery.static

const CURSOR =
  "WyJmaWxlcyBjcmVhdGVkX2F0IGRlc2MiLCIyMDI2LTExLTIwVDEwOjAwOjAwLjAwMFoiLCJmaWxlXzAxbTd5NDh2a3ozczg1ZjFhY2R0YTIiXQ"
const FileList = t.Object(
  {
    ...listOf(FileSchema, "").properties,
    next: nullable(t.String(), { description: "Leads to what follows; null at the end", examples: [CURSOR] }),
    previous: nullable(t.String(), {
      description: "Leads to what goes before; null at the beginning",
      examples: [null],
    }),
  },
  { title: "FileList" },
)

export const listFiles = operation({
  id: "listFiles",
  audit: "nothing",
  scope: "files:read",
  summary: "List files",
  description:
    "A value that no parameter knows is 400 and named. Pages by number may repeat or skip files while others come and go; pass `next` as `after`, or `previous` as `before`, to go on exactly where an answer ended. `page` is not looked at then.",
  tag: "Files",
  query: listQuery,
  answers: { 200: { description: "One page, newest first by default", schema: FileList } },
  errors: ["invalid_filter"],
})

export const getFile = operation({
  id: "getFile",
  audit: "nothing",
  scope: "files:read",
  summary: "Get a file's record",
  description: "`status` says how far indexing is; `failed` comes with an `error`.",
  tag: "Files",
  params: byId,
  answers: { 200: { description: "The record", schema: FileSchema } },
  errors: ["not_found"],
})

export const fileChange = {
  name: t.Optional(t.String({ minLength: 1, maxLength: 1_000 })),
  tags: t.Optional(t.Array(t.String())),
  add_tags: t.Optional(t.Array(t.String(), { description: "Beside those that a file has; not with `tags`" })),
  remove_tags: t.Optional(t.Array(t.String(), { description: "Of those that a file has; not with `tags`" })),
  metadata: t.Optional(JsonObject),
  add_metadata: t.Optional(
    t.Record(t.String(), t.Unknown(), {
      description: "Fields beside those that a file has, in the place of those of the same name; not with `metadata`",
    }),
  ),
  remove_metadata: t.Optional(
    t.Array(t.String(), { description: "Names of fields that a file loses; not with `metadata`" }),
  ),
  context_id: t.Optional(nullable(t.String())),
  acl: t.Optional(nullable(t.Array(t.String({ examples: ["group:hr"] })), { description: "See the record" })),
}

export const updateFile = operation({
  id: "updateFile",
  audit: { action: "file.update", id: "params.file_id", fields: true },
  scope: "files:write",
  summary: "Change a file's name, tags, metadata, context or acl",
  description:
    "The new name must end in an extension that an upload may have. `tags` and `metadata` replace all that the file has; `add_…` and `remove_…` leave the rest as it is, and what is in both is added.",
  tag: "Files",
  params: byId,
  body: t.Object(fileChange),
  example: { name: "report-2026.pdf", tags: ["finance"], context_id: "project:42" },
  answers: { 200: { description: "The changed record", schema: FileSchema } },
  errors: ["not_found"],
})

export const deleteFile = operation({
  id: "deleteFile",
  audit: { action: "file.delete", id: "params.file_id" },
  held: "refused",
  scope: "files:write",
  summary: "Delete a file",
  description: "Gone from search at once; bytes and index entries are removed.",
  tag: "Files",
  params: byId,
  answers: { 204: DELETED },
  errors: ["not_found"],
})

export const downloadFile = operation({
  id: "downloadFile",
  audit: { action: "file.download", id: "params.file_id" },
  scope: "files:read",
  summary: "Download the original",
  description:
    "The type is the file's own. Range requests are answered, also with `If-Range`; `If-None-Match` with the `ETag` of an earlier answer gives 304.",
  tag: "Files",
  params: byId,
  answers: {
    200: { description: "The bytes", type: "*/*" },
    206: { description: "A part of the bytes", type: "*/*" },
    304: { description: "The bytes are those of the given ETag" },
  },
  errors: ["not_found", "range_not_satisfiable"],
})

export const getFileText = operation({
  id: "getFileText",
  audit: { action: "file.download", id: "params.file_id" },
  scope: "files:read",
  summary: "Get the extracted text",
  description: "Positions of hits and citations are offsets into this text, in UTF-16 code units.",
  tag: "Files",
  params: byId,
  answers: { 200: { description: "The text", type: "text/plain", example: "Lease of the boathouse\n\n§ 1 …" } },
  errors: ["not_found", "conflict"],
})

export const reindexFile = operation({
  id: "reindexFile",
  audit: { action: "file.reindex", id: "params.file_id" },
  scope: "files:write",
  summary: "Read and index a file again",
  description: "The present version stays findable until the new one is.",
  tag: "Files",
  params: byId,
  answers: { 202: { description: "Queued", schema: FileSchema } },
  errors: ["not_found"],
})

export const explainAccess = operation({
  id: "explainAccess",
  audit: "nothing",
  scope: "files:read",
  summary: "Why does somebody see a file, or not?",
  description:
    "With `principals`: as a token of this caller would that has them. Without: as the caller itself. A file that the caller does not see is 404.",
  tag: "Files",
  params: byId,
  query: t.Object({
    principals: t.Optional(t.String({ description: "Comma-separated, such as `group:hr,user:42`; may be empty" })),
  }),
  answers: {
    200: {
      description: "The answer",
      schema: t.Object(
        {
          visible: t.Boolean({ examples: [true] }),
          reason: t.String({ examples: ["the acl names group:hr"] }),
          acl: nullable(t.Array(t.String()), { examples: [["group:hr"]] }),
          context_id: nullable(t.String(), { examples: ["project:42"] }),
        },
        { title: "FileAccess" },
      ),
    },
  },
  errors: ["not_found"],
})

export const FileEvent = t.Union([event("file", FileSchema), ...FAILURE], { title: "FileStreamEvent" })

export const watchFile = operation({
  id: "watchFile",
  audit: "nothing",
  scope: "files:read",
  summary: "Watch a file until it is searchable or failed",
  description: "Server-sent events named `file`, each with the whole record.",
  tag: "Files",
  params: byId,
  query: t.Object({ stream_token: STREAM_TOKEN }),
  answers: { 200: { description: "The stream", events: FileEvent } },
  errors: ["not_found"],
})
