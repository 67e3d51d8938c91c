/** The record of a file, as uploads, lists, searches and streams show it. */
import { t } from "elysia"
import { Issue, integer, JsonObject, nullable, oneOf, Time } from "./schemas.ts"

export const FILE_STATUSES = ["queued", "indexing", "searchable", "failed"] as const

export const FILE = {
  id: "file_01m7y48vkz3s85f1acdta2",
  name: "report.pdf",
  type: "pdf",
  mime_type: "application/pdf",
  size: 482_113,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  status: "searchable",
  stage: null,
  progress: 1,
  error: null,
  warnings: [],
  attempts: 1,
  page_count: 12,
  ocr_page_count: 0,
  chunk_count: 41,
  character_count: 38_204,
  context_id: "project:42",
  tags: ["finance"],
  metadata: { year: 2026 },
  acl: ["group:finance"],
  external_id: null,
  source: null,
  url: null,
  created_at: "2026-11-21T10:00:00.000Z",
  updated_at: "2026-11-21T10:00:02.417Z",
  indexed_at: "2026-11-21T10:00:02.417Z",
}

export const FileSchema = t.Object(
  {
    id: t.String(),
    name: t.String(),
    type: t.String({ description: "Extension, without the dot" }),
    mime_type: t.String(),
    size: integer({ description: "Bytes" }),
    sha256: t.String(),
    status: oneOf(FILE_STATUSES),
    stage: nullable(t.String({ description: "While indexing: extracting, ocr, chunking, embedding, committing" })),
    progress: t.Number({ minimum: 0, maximum: 1 }),
    error: nullable(Issue),
    warnings: t.Array(Issue, { description: "What was skipped or is doubtful" }),
    attempts: integer(),
    page_count: nullable(integer()),
    ocr_page_count: integer(),
    chunk_count: nullable(integer()),
    character_count: nullable(integer()),
    context_id: nullable(t.String()),
    tags: t.Array(t.String()),
    metadata: JsonObject,
    acl: nullable(t.Array(t.String()), {
      description: "Principals that may see it, such as `group:hr`; null: everyone in the workspace",
    }),
    external_id: nullable(t.String({ description: "What the system that brought it calls it" })),
    source: nullable(
      t.Object({
        source_id: t.String(),
        key: t.String({ description: "The entry of the source" }),
        url: nullable(t.String()),
        fingerprint: nullable(t.String({ description: "Changes with the entry's content" })),
      }),
      { description: "Where it comes from, if a source keeps it in sync" },
    ),
    url: nullable(t.String({ description: "Where it can be seen in the place that it comes from" })),
    created_at: Time,
    updated_at: Time,
    indexed_at: nullable(Time),
    duplicate: t.Optional(t.Literal(true, { description: "Only in the answer to an upload: it was there already" })),
    unchanged: t.Optional(
      t.Literal(true, {
        description: "Only in the answer to an upload: the same bytes are known under its external id or its entry",
      }),
    ),
  },
  { title: "File", examples: [FILE] },
)
