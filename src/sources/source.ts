/** A source as its users see it, spelled as on the wire, and what they may say of one. */
import type { Selectable } from "kysely"
import { checkAcl } from "../access/acl.ts"
import type { Filter } from "../access/filter/filter.ts"
import { stored } from "../access/limits.ts"
import { checkName } from "../access/name.ts"
import type { View } from "../access/view.ts"
import { AppError, invalid } from "../errors.ts"
import { checkTags, type UploadLabels } from "../library/labels.ts"
import type { SourceSyncsTable, SourcesTable } from "../storage/sources.ts"
import { checkSchedule, type Timing } from "../timing.ts"
import { type Connector, type ConnectorParts, SOURCE_TYPES, type SourceKind, type SourceType } from "./connector.ts"
import { SOURCE_KINDS } from "./connectors/index.ts"
import { checkGlobs, leavesOutOf } from "./globs.ts"

export type SourceRow = Selectable<SourcesTable>
export type SyncRow = Selectable<SourceSyncsTable>

export type SourceStatus = "idle" | "syncing" | "failed" | "guarded" | "paused"

export interface SyncRecord {
  sync_id: string
  started_at: string
  finished_at: string | null
  added: number
  updated: number
  deleted: number
  unchanged: number
  skipped: number
  failed: number
  /** Files that were not deleted because they were too many at once. */
  guarded: number
  error: { code: string; message: string } | null
}

export interface SourceRecord {
  id: string
  type: SourceType
  name: string
  config: Record<string, unknown>
  has_credentials: boolean
  context_id: string | null
  tags: string[]
  acl: string[] | null
  include: string[]
  exclude: string[]
  max_bytes: number | null
  schedule: string | null
  timezone: string | null
  delete_missing: boolean
  status: SourceStatus
  last_sync: SyncRecord | null
  next_sync_at: string | null
  created_at: string
  updated_at: string
}

/** What may be said again after a source was made. */
export interface SourceSettings {
  name: string
  config: Record<string, unknown>
  credentials: Record<string, unknown> | null
  context_id: string | null
  tags: string[]
  acl: string[] | null
  include: string[]
  exclude: string[]
  max_bytes: number | null
  schedule: string | null
  timezone: string | null
  delete_missing: boolean
}

export type NewSource = { type: string; name: string; config?: Record<string, unknown> } & Partial<
  Omit<SourceSettings, "name" | "config">
>
export type SourceChange = Partial<SourceSettings> & { paused?: boolean }

const MAX_BYTES = 2 ** 40

/** @throws AppError invalid_request */
export function checkType(type: string): SourceType {
  const known = SOURCE_TYPES.find(each => each === type)
  if (!known) throw invalid("type", `must be one of ${SOURCE_TYPES.join(", ")}`)
  return known
}

/** The methods of every type take what their own checks returned. */
export const kindOf = (type: string): SourceKind => SOURCE_KINDS[type as SourceType]

/** Columns of what is given, but those of `config`, `credentials` and `context_id`. @throws AppError invalid_request */
export function columnsOf(given: SourceChange): Partial<SourceRow> {
  const columns: Partial<SourceRow> = {}
  if (given.name !== undefined) columns.name = checkName(given.name)
  if (given.tags !== undefined) columns.tags = JSON.stringify(checkTags(given.tags))
  if (given.acl !== undefined) columns.acl = given.acl === null ? null : JSON.stringify(checkAcl(given.acl))
  if (given.include !== undefined) columns.include = JSON.stringify(checkGlobs("include", given.include))
  if (given.exclude !== undefined) columns.exclude = JSON.stringify(checkGlobs("exclude", given.exclude))
  if (given.max_bytes !== undefined) columns.max_bytes = checkMaxBytes(given.max_bytes)
  if (given.delete_missing !== undefined) columns.delete_missing = given.delete_missing ? 1 : 0
  if (given.paused !== undefined) columns.paused = given.paused ? 1 : 0
  if (given.schedule !== undefined) columns.schedule = given.schedule
  if (given.timezone !== undefined) columns.timezone = given.timezone
  return columns
}

function checkMaxBytes(value: number | null): number | null {
  if (value !== null && (!Number.isSafeInteger(value) || value < 1 || value > MAX_BYTES))
    throw invalid("max_bytes", `must be a whole number from 1 to ${MAX_BYTES}`)
  return value
}

/** Undefined where a source has no schedule. @throws AppError invalid_request */
export const timingOf = ({ schedule, timezone }: Pick<SourceRow, "schedule" | "timezone">): Timing | undefined =>
  schedule === null ? undefined : checkSchedule(schedule, timezone ?? undefined)

/** Who said where its files lie sees that place: they lie nowhere else. Their acl is none of his. */
export const limitsOf = ({ contexts, filters }: View): string => JSON.stringify({ contexts, filters })

/** What the files of a source are recorded with. */
export function filing(row: SourceRow): { view: View; labels: UploadLabels } {
  const { contexts, filters } = JSON.parse(row.limits) as { contexts: string[] | null; filters: Filter[] }
  const view: View = {
    workspaceId: row.workspace_id,
    contexts,
    filters,
    principals: null,
    models: null,
    own: null,
    author: null,
    mayWiden: true,
  }
  const labels: UploadLabels = {
    contextId: row.context_id,
    tags: JSON.parse(row.tags) as string[],
    metadata: {},
    onDuplicate: "keep_both",
    acl: stored(row.acl),
  }
  return { view, labels }
}

/** @throws AppError conflict for a source that nobody fetches; forbidden where it may not be reached any more */
export function connect(row: SourceRow, credentials: string | null, parts: ConnectorParts): Connector {
  const kind = kindOf(row.type)
  if (!kind.open) throw new AppError("conflict", { message: "files are brought to this source: it fetches none" })
  const config: unknown = JSON.parse(row.config)
  const leavesOut = leavesOutOf(JSON.parse(row.include), JSON.parse(row.exclude))
  return kind.open({ config, credentials: credentials === null ? null : JSON.parse(credentials), parts, leavesOut })
}

export const toSyncRecord = (row: SyncRow): SyncRecord => ({
  sync_id: row.id,
  started_at: row.started_at,
  finished_at: row.finished_at,
  added: row.added,
  updated: row.updated,
  deleted: row.deleted,
  unchanged: row.unchanged,
  skipped: row.skipped,
  failed: row.failed,
  guarded: row.guarded,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
})

/** @param sync its newest @param isAsked one is under way, or will be in a moment */
export function toSourceRecord(row: SourceRow, sync: SyncRow | undefined, isAsked: boolean): SourceRecord {
  return {
    id: row.id,
    type: row.type as SourceType,
    name: row.name,
    config: JSON.parse(row.config),
    has_credentials: row.credentials !== null,
    context_id: row.context_id,
    tags: JSON.parse(row.tags),
    acl: stored(row.acl),
    include: JSON.parse(row.include),
    exclude: JSON.parse(row.exclude),
    max_bytes: row.max_bytes,
    schedule: row.schedule,
    timezone: row.timezone,
    delete_missing: row.delete_missing === 1,
    status: statusOf(row, isAsked),
    last_sync: sync ? toSyncRecord(sync) : null,
    next_sync_at: row.paused ? null : row.next_sync_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

function statusOf({ paused, outcome }: SourceRow, isAsked: boolean): SourceStatus {
  if (paused) return "paused"
  if (isAsked) return "syncing"
  return outcome === null || outcome === "synced" ? "idle" : outcome
}
