/** What a change of a file does to its row. */
import { checkAcl } from "../access/acl.ts"
import { checkContext } from "../access/context-id.ts"
import { toStore } from "../access/limits.ts"
import { invalid } from "../errors.ts"
import { findExtension, MIME_TYPES } from "../ingest/formats/formats.ts"
import { checkMetadata, checkTags, foldName, safeName } from "./labels.ts"
import type { FileRow } from "./record.ts"

export interface FileChange {
  name?: string
  tags?: string[]
  /** Beside those that the file has; not with `tags`. */
  add_tags?: string[]
  /** Of those that the file has; not with `tags`. */
  remove_tags?: string[]
  metadata?: Record<string, unknown>
  /** In the place of fields of the same name, beside the others; not with `metadata`. */
  add_metadata?: Record<string, unknown>
  /** Names of fields; not with `metadata`. */
  remove_metadata?: string[]
  context_id?: string | null
  /** Null: everyone in the workspace. */
  acl?: string[] | null
}

const BESIDE = { tags: ["add_tags", "remove_tags"], metadata: ["add_metadata", "remove_metadata"] } as const

/** What it does whatever the file has. @throws AppError invalid_request */
export function columnsOf(change: FileChange): Partial<FileRow> {
  for (const whole of ["tags", "metadata"] as const)
    for (const part of BESIDE[whole])
      if (change[whole] !== undefined && change[part] !== undefined) throw invalid(part, `does not go with ${whole}`)
  checkTags(change.add_tags ?? [])
  checkTags(change.remove_tags ?? [])
  checkMetadata(change.add_metadata ?? {}, "add_metadata")
  const set: Partial<FileRow> = { updated_at: new Date().toISOString() }
  if (change.name !== undefined) {
    set.name = safeName(change.name)
    if (!findExtension(set.name)) throw invalid("name", `must end in one of .${[...MIME_TYPES.keys()].join(", .")}`)
    set.name_folded = foldName(set.name)
  }
  if (change.tags !== undefined) set.tags = JSON.stringify(checkTags(change.tags))
  if (change.metadata !== undefined) set.metadata = JSON.stringify(checkMetadata(change.metadata))
  if (change.context_id !== undefined)
    set.context_id = change.context_id === null ? null : checkContext(change.context_id)
  if (change.acl !== undefined) set.acl = toStore(checkAcl(change.acl))
  return set
}

/** What it adds to what the file has, and takes from it. @throws AppError invalid_request where that becomes too much */
export function columnsBeside(
  { add_tags, remove_tags, add_metadata, remove_metadata }: FileChange,
  former: Pick<FileRow, "tags" | "metadata">,
): Partial<FileRow> {
  const set: Partial<FileRow> = {}
  if (add_tags || remove_tags) {
    const removed = new Set(checkTags(remove_tags ?? []))
    const kept = (JSON.parse(former.tags) as string[]).filter(tag => !removed.has(tag))
    set.tags = JSON.stringify(checkTags([...kept, ...(add_tags ?? [])]))
  }
  if (add_metadata || remove_metadata) {
    const removed = new Set(remove_metadata)
    const kept = Object.entries(JSON.parse(former.metadata)).filter(([name]) => !removed.has(name))
    set.metadata = JSON.stringify(checkMetadata({ ...Object.fromEntries(kept), ...add_metadata }))
  }
  return set
}
