/**
 * Manifests: a program says what there is, and learns what of it is to be brought. The same comparison as of sources that
 * fetch by themselves; what they would fetch waits here for its upload.
 */
import { instantOf } from "../access/filter/instant.ts"
import type { View } from "../access/view.ts"
import { invalid } from "../errors.ts"
import type { JobQueue } from "../jobs/queue.ts"
import { safeName } from "../library/labels.ts"
import type { Library } from "../library/library.ts"
import { fingerprintIssue, keyIssue } from "../library/upload-entries.ts"
import type { Uploads } from "../library/uploads.ts"
import { log } from "../log.ts"
import { type Database, readApart, type Trx } from "../storage/database.ts"
import type { FileStatus } from "../storage/files.ts"
import { inOrder } from "../storage/shared.ts"
import type { EntryStatus } from "../storage/sources.ts"
import { Turns } from "../threads/turns.ts"
import { HASHED } from "./brought.ts"
import type { Entry } from "./connector.ts"
import { type FindSource, fedSource } from "./fed.ts"
import { heldKeys } from "./held-files.ts"
import { judgeOf } from "./judging.ts"
import { EXCLUDED, type Finished, Listing, type Verdict } from "./listing.ts"
import { deleteGone } from "./removing.ts"
import { guarded } from "./rows.ts"
import type { SourceRow } from "./source.ts"
import { syncJob } from "./sync.ts"
import { beginSync, count, endSync, listed } from "./syncs.ts"

export interface ManifestRequest {
  entries: readonly Entry[]
  /** Undefined: as the source says. */
  deleteMissing: boolean | undefined
  /** Says what would be done, and does nothing. */
  dryRun: boolean
  /** Also a mass deletion; and what failed, or was deleted here, is asked for again. */
  force: boolean
}

export interface ManifestAnswer {
  /** Keys whose files are to be brought, in the order of the manifest. */
  upload: string[]
  unchanged: number
  deleted: number
  /** Left out by the source's own rules, or empty. */
  skipped: number
  /** What is here and cannot be found, and is not asked for again. */
  failed: { key: string; error: Reason }[]
  /** With a dry run: so much would be deleted that it must be forced. */
  guarded: boolean
}

interface Reason {
  code: string
  message: string
}

/** Of a manifest. */
export const MAX_MANIFEST_ENTRIES = 100_000
const TURN_MS = 5
/** Rows read at a time. */
const PAGE = 2_000
const SHA256 = /^[0-9a-f]{64}$/i
/** Longest that the answer waits for what is gone to be deleted. */
const DELETION_PATIENCE_MS = 8_000

/** Entries are left out for these reasons on purpose. */
const WANTED_OUT = new Set([EXCLUDED, "empty_file"])
const DELETED_HERE: Reason = { code: "deleted", message: "its file was deleted here; force brings it back" }

export interface ManifestParts {
  database: Database
  sources: FindSource
  uploads: Uploads
  library: Pick<Library, "delete">
  queue: JobQueue
  /** Bytes of one upload. */
  maxFileBytes: number
}

export class Manifests {
  constructor(private readonly parts: ManifestParts) {}

  /**
   * What is to be brought; what is gone is deleted before this returns.
   * @throws AppError not_found, conflict; guarded for a mass deletion that is not forced: then nothing is changed
   */
  async take(view: View, sourceId: string, request: ManifestRequest): Promise<ManifestAnswer> {
    const { database, sources } = this.parts
    const startedAt = new Date().toISOString()
    const source = await fedSource(sources, view, sourceId)
    const compared = await this.compare(source, request)
    const { listing, finished, answer } = compared
    if (request.dryRun) return answer
    const check = async (trx: Trx) => {
      await inOrder(trx, source.workspace_id)
      await fedSource(sources, view, sourceId, trx)
    }
    if (finished.guarded === 0) {
      await listing.note(database, check)
      await listing.noteGone(database, finished, check)
    }
    await this.conclude(view, sourceId, startedAt, compared)
    if (finished.guarded > 0) throw guarded(finished)
    if (finished.deleted.length > 0) await this.deleteGone(source, check)
    return answer
  }

  private async compare(source: SourceRow, { entries, deleteMissing, force }: ManifestRequest): Promise<Compared> {
    const verdicts = new Map<string, Verdict>()
    const rule = judgeOf(source, name => this.parts.uploads.refusalOf(name))
    const judge = (entry: Entry) => {
      const verdict = rule(entry) ?? this.tooLarge(entry)
      if (verdict) verdicts.set(entry.key, verdict)
      return verdict
    }
    const deletes = deleteMissing ?? source.delete_missing === 1
    const listing = await Listing.begin(this.parts.database, source.id, {
      judge,
      deleteMissing: deletes,
      forced: force,
    })
    const turns = new Turns(TURN_MS)
    const upload: string[] = []
    const reasons = await this.reasons(source.id)
    const failed: ManifestAnswer["failed"] = []
    let skipped = 0
    for (const entry of entries) {
      const { key } = entry
      const kind = listing.see(entry)
      const reason = verdicts.get(key) ?? reasons.get(key)
      if (kind === "added" || kind === "updated") upload.push(key)
      else if (reason && WANTED_OUT.has(reason.code)) skipped++
      else if (reason) failed.push({ key, error: { code: reason.code, message: reason.message } })
      await turns.next()
    }
    const finished = listing.finish()
    const unchanged = entries.length - upload.length - skipped - failed.length
    const held = await heldKeys(this.parts.database, source, finished.deleted)
    const deleted = finished.guarded || finished.deleted.length - held.size
    return { listing, finished, answer: { upload, unchanged, deleted, skipped, failed, guarded: finished.guarded > 0 } }
  }

  private tooLarge({ size }: Entry): Verdict | undefined {
    const { maxFileBytes } = this.parts
    if (size === undefined || size <= maxFileBytes) return undefined
    return { status: "skipped", code: "file_too_large", message: `it has more than ${maxFileBytes} bytes` }
  }

  /** Why entries that are as they were cannot be found. */
  private async reasons(sourceId: string): Promise<Map<string, Reason>> {
    const reasons = new Map<string, Reason>()
    for (let after = ""; ; ) {
      const rows = await readApart<TroubledRow>(this.parts.database, TROUBLED, [sourceId, after, PAGE])
      for (const row of rows) {
        const reason = reasonOf(row)
        if (reason) reasons.set(row.key, reason)
      }
      if (rows.length < PAGE) return reasons
      after = rows.at(-1)!.key
    }
  }

  /** Notes the comparison as a sync, which counts what is brought afterwards. */
  private async conclude(view: View, sourceId: string, startedAt: string, compared: Compared): Promise<void> {
    const { finished, answer } = compared
    const { database, sources, queue } = this.parts
    await database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      const source = await fedSource(sources, view, sourceId, trx)
      const { id } = await beginSync(trx, source)
      const { unchanged, skipped, failed } = answer
      await listed(trx, id, { added: 0, updated: 0, unchanged, skipped, failed: failed.length }, finished.guarded)
      await count(trx, id, { deleted: answer.guarded ? 0 : answer.deleted })
      await trx.updateTable("source_syncs").set({ started_at: startedAt }).where("id", "=", id).execute()
      await endSync(trx, source, id)
      // Should this process end before it has deleted what is gone.
      if (finished.deleted.length > 0) await queue.enqueueIfNone(trx, syncJob(sourceId, source.workspace_id))
    })
    queue.announce()
  }

  /** For a while; the job does what this leaves. */
  private async deleteGone({ id, workspace_id }: SourceRow, check: (trx: Trx) => Promise<void>): Promise<void> {
    const deleting = deleteGone(this.parts, { sourceId: id, workspaceId: workspace_id, check, deleted: async () => {} })
    deleting.catch(error => log.debug("a manifest's deletion goes on as a job", { source: id, error }))
    await Promise.race([deleting.catch(() => {}), Bun.sleep(DELETION_PATIENCE_MS)])
  }
}

interface Compared {
  listing: Listing
  finished: Finished
  answer: ManifestAnswer
}

interface TroubledRow {
  key: string
  status: EntryStatus
  error_code: string | null
  error_message: string | null
  file_status: FileStatus | null
  file_code: string | null
  file_message: string | null
  /** Whether the file is that of the entry as it was listed. */
  is_current: number | boolean | null
}

const TROUBLED = `
  select e.key, e.status, e.error_code, e.error_message, f.status as file_status, f.error_code as file_code,
    f.error_message as file_message, f.fingerprint = e.fingerprint as is_current
  from source_entries as e left join files as f on f.source_id = e.source_id and f.source_key = e.key
  where e.source_id = ? and e.key > ?
    and (e.status in ('failed', 'unsupported', 'skipped') or f.status = 'failed' or (e.status = 'taken' and f.id is null))
  order by e.key limit ?`

function reasonOf(row: TroubledRow): Reason | undefined {
  if (row.is_current)
    return row.file_status === "failed" ? { code: row.file_code ?? "", message: row.file_message ?? "" } : undefined
  if (row.status === "taken") return row.file_status === null ? DELETED_HERE : undefined
  return { code: row.error_code ?? "", message: row.error_message ?? "" }
}

/** One entry of a request. @throws AppError invalid_request naming it */
export function manifestEntry(given: Record<string, unknown>, at: number): Entry {
  const { key, fingerprint, sha256, size, updated_at, name } = given
  const refuse = (field: string, issue: string | undefined) => {
    if (issue !== undefined) throw invalid(`entries.${at}.${field}`, issue)
  }
  refuse("key", keyIssue(key))
  if (isAbsent(fingerprint) && isAbsent(sha256)) refuse("fingerprint", "must be told, or sha256")
  if (!isAbsent(fingerprint)) refuse("fingerprint", fingerprintIssue(fingerprint))
  if (!isAbsent(sha256) && !(typeof sha256 === "string" && SHA256.test(sha256)))
    refuse("sha256", "must be 64 hexadecimal digits")
  if (!isAbsent(size) && !(Number.isSafeInteger(size) && (size as number) >= 0))
    refuse("size", "must be a whole number of bytes")
  const time = typeof updated_at === "string" ? instantOf(updated_at) : undefined
  if (!isAbsent(updated_at) && time === undefined) refuse("updated_at", "must be an ISO-8601 time")
  if (!isAbsent(name) && !(typeof name === "string" && safeName(name) !== ""))
    refuse("name", "must be the name of a file")
  return {
    key: key as string,
    fingerprint: (fingerprint as string | undefined) ?? HASHED + (sha256 as string).toLowerCase(),
    ...(isAbsent(size) ? {} : { size: size as number }),
    ...(time === undefined ? {} : { updatedAt: time }),
    ...(isAbsent(name) ? {} : { name: safeName(name as string) }),
  }
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null
