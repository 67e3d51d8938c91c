/** Files of the library. */
import type { PayerColumns } from "./usage.ts"

export interface FilesTables {
  files: FilesTable
}

export type FileStatus = "queued" | "indexing" | "searchable" | "failed"

export interface FilesTable extends PayerColumns {
  id: string
  workspace_id: string
  name: string
  /** The name in lower case, for substring filters and sorting in every script. */
  name_folded: string
  /** Extension without the dot, lower case. */
  type: string
  mime_type: string
  /** Bytes. */
  size: number
  sha256: string
  status: FileStatus
  stage: string | null
  /** 0..1 */
  progress: number
  error_code: string | null
  error_message: string | null
  /** JSON array of {code, message}. */
  warnings: string
  attempts: number
  page_count: number | null
  ocr_page_count: number
  chunk_count: number | null
  character_count: number | null
  context_id: string | null
  /** JSON array of strings. */
  tags: string
  /** JSON object. */
  metadata: string
  /** JSON array of principals; null: everyone in the workspace. */
  acl: string | null
  created_at: string
  updated_at: string
  indexed_at: string | null
  /** What a client of OpenAI said that the file is for; null where it came in otherwise. */
  purpose: string | null
  /** What another system calls it, which brings it anew under the same id. */
  external_id: string | null
  /** Where it can be seen in the place that it comes from. */
  url: string | null
  /** The source that keeps it in sync, and the entry there. Both or none. */
  source_id: string | null
  source_key: string | null
  /** Of the entry, when its bytes were fetched: it changes with them. */
  fingerprint: string | null
  /** JSON of a `Reading`; null: as every file. */
  reading: string | null
  /** Name of the stored bytes; a replaced file gets a new one. */
  blob: string
  /** Counts versions of the content: raised by replace and re-index; what is being or was last indexed. */
  generation: number
  /** The generation that search sees; null before the first success. */
  live_generation: number | null
  /** The blob that belongs to the live generation, kept until a newer one is live. */
  live_blob: string | null
}

/** What a reader has to know of a file beside its bytes. */
export interface Reading {
  /** Of a page of the web: leave out what surrounds its text. */
  mainContent?: boolean
  /** What the server said that the text is written in. */
  charset?: string
}

export const readingOf = ({ reading }: { reading: string | null }): { reading?: Reading } =>
  reading === null ? {} : { reading: JSON.parse(reading) as Reading }

/** Pattern of `warnings` with one of this code. */
export const withWarning = (code: string): string => `%"code":"${code}"%`
