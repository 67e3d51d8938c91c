/** Sources, what they have, and how their syncs went; `sources/` reads and writes them. */
import type { Generated } from "kysely"
import type { OwnedColumns } from "./owned.ts"

export interface SourcesTables {
  sources: SourcesTable
  source_entries: SourceEntriesTable
  source_syncs: SourceSyncsTable
}

export interface SourcesTable extends OwnedColumns {
  id: string
  workspace_id: string
  type: string
  name: string
  /** JSON object. */
  config: string
  /** JSON object, sealed under the id; null for none. */
  credentials: string | null
  /** Where its files lie, and what they carry. Lists and `acl` are JSON. */
  context_id: string | null
  tags: string
  acl: string | null
  /** JSON arrays of globs over keys. */
  include: string
  exclude: string
  /** Larger entries are skipped; null: as large as an upload may be. */
  max_bytes: number | null
  /** `15m`, or cron in `timezone`; null: on request, and when it is told of a change. */
  schedule: string | null
  timezone: string | null
  /** 1: files go when their entries do. */
  delete_missing: number
  /** JSON {contexts, filters}: what those see who said where its files lie; outside of it there are none. */
  limits: string
  paused: Generated<number>
  /** Of the last sync that ended; null before. */
  outcome: "synced" | "failed" | "guarded" | null
  /** Failed syncs since the last good one. */
  outages: Generated<number>
  /** By the database's clock; null: none is planned. */
  next_sync_at: string | null
  /** The newest sync, ended or not. */
  sync_id: string | null
  /** 1: something changed after the present sync began. */
  again: Generated<number>
  /** 1: the next sync, or what is left of the present one, is forced. */
  forced: Generated<number>
  /** 1: files are still to be given the context, tags and acl above. */
  relabel: Generated<number>
  /** Set: it is being removed, and exists for nobody. */
  removal: "keep_files" | "delete_files" | null
  created_at: string
  updated_at: string
}

/** `taken` beside no file: somebody deleted that. `gone`: no longer there, and its file is to be deleted. */
export type EntryStatus = "pending" | "taken" | "failed" | "unsupported" | "skipped" | "gone"

/** An entry as the last complete listing had it. Whether its bytes are in the library, its row of `files` tells. */
export interface SourceEntriesTable {
  source_id: string
  key: string
  fingerprint: string
  size: number | null
  updated_at: string | null
  name: string | null
  url: string | null
  status: EntryStatus
  /** With `failed`, `unsupported` and `skipped`. */
  error_code: string | null
  error_message: string | null
}

export interface SourceSyncsTable {
  id: string
  source_id: string
  /** `taking`: the listing is complete and noted; what is pending is fetched, what is gone deleted. */
  phase: "listing" | "taking" | "ended"
  forced: number
  started_at: string
  finished_at: string | null
  /** Entries. */
  added: Generated<number>
  updated: Generated<number>
  deleted: Generated<number>
  unchanged: Generated<number>
  skipped: Generated<number>
  failed: Generated<number>
  /** Files that were not deleted because they were too many; 0 where nothing was held back. */
  guarded: Generated<number>
  error_code: string | null
  error_message: string | null
}
