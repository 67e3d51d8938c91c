/** The public record of a file, spelled as on the wire (section 3 of the API). */
import type { Selectable } from "kysely"
import type { FileStatus, FilesTable } from "../storage/files.ts"

export interface FileRecord {
  id: string
  name: string
  type: string
  mime_type: string
  /** Bytes. */
  size: number
  sha256: string
  status: FileStatus
  stage: string | null
  progress: number
  error: { code: string; message: string } | null
  warnings: { code: string; message: string }[]
  attempts: number
  page_count: number | null
  ocr_page_count: number
  chunk_count: number | null
  character_count: number | null
  context_id: string | null
  tags: string[]
  metadata: Record<string, unknown>
  /** Who sees it: principals; null: everyone in the workspace. */
  acl: string[] | null
  /** What the system that brought it calls it. */
  external_id: string | null
  /** Where it comes from, if a source keeps it in sync. */
  source: { source_id: string; key: string; url: string | null; fingerprint: string | null } | null
  /** Where it can be seen in the place that it comes from. */
  url: string | null
  created_at: string
  updated_at: string
  indexed_at: string | null
  /** Only in an upload's answer: this file was there already. */
  duplicate?: true
  /** Only in an upload's answer: the same bytes are known under its id, and nothing was done. */
  unchanged?: true
}

export type FileRow = Selectable<FilesTable>

export function toFileRecord(row: FileRow): FileRecord {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    mime_type: row.mime_type,
    size: row.size,
    sha256: row.sha256,
    status: row.status,
    stage: row.stage,
    progress: row.progress,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
    warnings: JSON.parse(row.warnings),
    attempts: row.attempts,
    page_count: row.page_count,
    ocr_page_count: row.ocr_page_count,
    chunk_count: row.chunk_count,
    character_count: row.character_count,
    context_id: row.context_id,
    tags: JSON.parse(row.tags),
    metadata: JSON.parse(row.metadata),
    acl: row.acl === null ? null : JSON.parse(row.acl),
    external_id: row.external_id,
    source:
      row.source_id === null
        ? null
        : { source_id: row.source_id, key: row.source_key ?? "", url: row.url, fingerprint: row.fingerprint },
    url: row.url,
    created_at: row.created_at,
    updated_at: row.updated_at,
    indexed_at: row.indexed_at,
  }
}
