/**
 * Files that a program brings to a source: each becomes the file of its entry. What is not taken is noted with the entry, so
 * that no manifest asks for it again before it has changed.
 */
import { isNarrow, type View, withinBoth } from "../access/view.ts"
import { AppError, type ErrorCode, invalid, toErrorBody } from "../errors.ts"
import { checkLabels, type UploadLabels } from "../library/labels.ts"
import type { FileRecord } from "../library/record.ts"
import { describe, type UploadAnswer } from "../library/upload-answer.ts"
import { type Brought, broughtBy } from "../library/upload-entries.ts"
import type { ReceivedFile, UploadForm } from "../library/upload-form.ts"
import type { Uploads } from "../library/uploads.ts"
import { log } from "../log.ts"
import type { Database, Trx } from "../storage/database.ts"
import { inOrder } from "../storage/shared.ts"
import { type FindSource, fedSource } from "./fed.ts"
import { heldEntries, KEPT } from "./held-files.ts"
import { judgeOf, statusOf } from "./judging.ts"
import { EXCLUDED, ON_HOLD } from "./listing.ts"
import { filing, type SourceRow } from "./source.ts"
import { type Counted, count } from "./syncs.ts"

/** As of other uploads. */
const FILES_PER_COMMIT = 250
/** How a fingerprint begins that is made of the bytes. */
export const HASHED = "sha256:"
/** What is wrong with a file, not with the moment. */
const LASTING = new Set(["unsupported_file_type", "file_too_large", "empty_file", "forbidden", EXCLUDED, ON_HOLD])

interface Stored {
  key: string
  /** Undefined: that of the last manifest. */
  told: string | undefined
  file: ReceivedFile
}

interface Refused {
  key: string
  told: string | undefined
  name: string
  error: { code: string; message: string }
}

export class BroughtFiles {
  constructor(private readonly parts: { database: Database; uploads: Uploads; sources: FindSource }) {}

  /** Undefined for a form that is of no source. */
  take(view: View, form: UploadForm): Promise<UploadAnswer> | undefined {
    const brought = broughtBy(form)
    return brought && this.record(view, brought, form)
  }

  /** @throws AppError not_found, conflict, forbidden, invalid_request; what refuses all files of the form */
  private async record(view: View, brought: Brought, form: UploadForm): Promise<UploadAnswer> {
    const source = await fedSource(this.parts.sources, view, brought.sourceId)
    const given = checkLabels(form.fields)
    checkContext(source, given)
    const { stored, refused } = await this.sort(source, brought)
    if (stored.length === 0 && refused.length > 0) {
      await this.note(source, refused)
      throw refusalOf(refused)
    }
    const unused = new Set(form.takeFiles())
    try {
      const files = await this.bringAll(view, { source, given, stored, refused, unused })
      await this.note(source, refused)
      const rejected = refused.map(({ key, name, error }) => ({ name, source_key: key, error }))
      return { message: describe(files), files, rejected }
    } finally {
      for (const file of unused) await this.parts.uploads.drop(file)
    }
  }

  private async sort(source: SourceRow, { parts }: Brought): Promise<{ stored: Stored[]; refused: Refused[] }> {
    const judge = judgeOf(source, name => this.parts.uploads.refusalOf(name))
    const stored: Stored[] = []
    const refused: Refused[] = []
    for (const { key, fingerprint: told, part } of parts) {
      const { name } = part
      if ("error" in part) {
        const { code, message } = part.error
        refused.push({ key, told, name, error: { code, message } })
        continue
      }
      const verdict = judge({ key, fingerprint: "", name, size: part.stored.size })
      if (verdict) refused.push({ key, told, name, error: { code: verdict.code, message: verdict.message } })
      else stored.push({ key, told, file: part })
    }
    const hashes = new Map(stored.map(({ key, file }) => [key, file.stored.sha256]))
    const held = await heldEntries(this.parts.database, source, hashes)
    for (const { key, told, file } of stored)
      if (held.has(key)) refused.push({ key, told, name: file.name, error: { code: ON_HOLD, message: KEPT } })
    return { stored: stored.filter(({ key }) => !held.has(key)), refused }
  }

  /**
   * Some hundred in a commit. Where one may be refused for where it lies, each has its own: it must not take others along.
   * @throws AppError where none could be recorded; else those that could not are added to `refused`
   */
  private async bringAll(
    view: View,
    given: { source: SourceRow; given: UploadLabels; stored: Stored[]; refused: Refused[]; unused: Set<ReceivedFile> },
  ): Promise<FileRecord[]> {
    const { source, stored, refused, unused } = given
    const within = withinBoth(view, filing(source).view)
    const together = isNarrow(within) ? 1 : FILES_PER_COMMIT
    const files: FileRecord[] = []
    for (let at = 0; at < stored.length; at += together) {
      const group = stored.slice(at, at + together)
      for (const { file } of group) unused.delete(file)
      try {
        files.push(...(await this.bring(within, source.id, given.given, group)))
      } catch (error) {
        const isAlone = together === 1 && stored.length > 1 && error instanceof AppError && error.status < 500
        if (!isAlone && files.length === 0) throw error
        const { code, message } = toErrorBody(error)
        const left = isAlone ? group : stored.slice(at)
        for (const { key, told, file } of left) refused.push({ key, told, name: file.name, error: { code, message } })
        if (isAlone) continue
        log.warn("the rest of a form could not be recorded", { recorded: files.length, error })
        break
      }
    }
    return files
  }

  private async bring(
    view: View,
    sourceId: string,
    given: UploadLabels,
    group: readonly Stored[],
  ): Promise<FileRecord[]> {
    const listed = await this.listed(sourceId, group)
    const named = group.map(({ key, told, file }) => {
      const fingerprint = fingerprintOf(file, told ?? listed.get(key))
      return { ...file, identity: { sourceId, key, fingerprint } }
    })
    let syncId: string | null = null
    const rules = async (trx: Trx) => {
      await inOrder(trx, view.workspaceId)
      const source = await fedSource(this.parts.sources, view, sourceId, trx)
      const labels = labelsOf(source, given)
      syncId = source.sync_id
      // What an acl of the source's own says is not the caller's doing.
      return { view: { ...view, mayWiden: view.mayWiden || given.acl === undefined }, labels }
    }
    return this.parts.uploads.bring(named, rules, async (trx, records) => {
      if (syncId) await count(trx, syncId, countsOf(records))
      const entries = named.map(({ name, stored, identity: { key, fingerprint } }) => ({
        ...{ source_id: sourceId, key, fingerprint, name, size: stored.size, updated_at: null, url: null },
        ...{ status: "taken" as const, error_code: null, error_message: null },
      }))
      await trx
        .insertInto("source_entries")
        .values(entries)
        .onConflict(conflict =>
          conflict
            .columns(["source_id", "key"])
            .doUpdateSet(eb => ({
              fingerprint: eb.ref("excluded.fingerprint"),
              status: "taken",
              error_code: null,
              error_message: null,
            }))
            // A manifest that tells of a newer version waits for that one.
            .where(eb =>
              eb.or([
                eb("source_entries.fingerprint", "=", eb.ref("excluded.fingerprint")),
                eb("source_entries.status", "=", "gone"),
              ]),
            ),
        )
        .execute()
    })
  }

  /** Fingerprints of the last manifest, of those entries that are brought without one. */
  private async listed(sourceId: string, group: readonly Stored[]): Promise<Map<string, string>> {
    const keys = group.filter(({ told }) => told === undefined).map(({ key }) => key)
    if (keys.length === 0) return new Map()
    const rows = await this.parts.database
      .selectFrom("source_entries")
      .select(["key", "fingerprint"])
      .where("source_id", "=", sourceId)
      .where("key", "in", keys)
      .execute()
    return new Map(rows.map(({ key, fingerprint }) => [key, fingerprint]))
  }

  /** Writes what is wrong with files beside their entries, as far as they stand as the last manifest told of them. */
  private async note(source: SourceRow, refused: readonly Refused[]): Promise<void> {
    const lasting = refused.filter(({ error }) => LASTING.has(error.code))
    if (lasting.length === 0) return
    await this.parts.database.transaction().execute(async trx => {
      await inOrder(trx, source.workspace_id)
      for (const { key, told, error } of lasting) {
        const status = statusOf(error.code)
        if (source.sync_id) await count(trx, source.sync_id, { [status === "failed" ? "failed" : "skipped"]: 1 })
        const change = { status, error_code: error.code, error_message: error.message }
        const entry = trx
          .updateTable("source_entries")
          .set(change)
          .where("source_id", "=", source.id)
          .where("key", "=", key)
          .where("status", "!=", "gone")
        await (told === undefined ? entry : entry.where("fingerprint", "=", told)).execute()
      }
    })
  }
}

/** What the last manifest's sync has brought. */
function countsOf(records: readonly FileRecord[]): Counted {
  const changed = records.filter(({ unchanged }) => !unchanged)
  const added = changed.filter(({ created_at, updated_at }) => created_at === updated_at).length
  return { added, updated: changed.length - added }
}

/** Of the bytes themselves where they are what the fingerprint is made of: they may have changed since it was told. */
const fingerprintOf = ({ stored }: ReceivedFile, told: string | undefined): string =>
  told === undefined || told.startsWith(HASHED) ? HASHED + stored.sha256 : told

/** @throws AppError invalid_request: the files of a source lie in one place */
function checkContext(source: SourceRow, { contextId }: UploadLabels): void {
  if (contextId !== null && contextId !== source.context_id)
    throw invalid("context_id", "must be that of the source, or be left out")
}

/** What the form says, and where it says nothing the source. */
function labelsOf(source: SourceRow, given: UploadLabels): UploadLabels {
  const { labels } = filing(source)
  return {
    ...labels,
    metadata: given.metadata,
    tags: given.tags.length > 0 ? given.tags : labels.tags,
    acl: given.acl === undefined ? labels.acl : given.acl,
  }
}

/** Of a form of which nothing is taken. */
function refusalOf(refused: readonly Refused[]): AppError {
  const { code, message } = refused[0]!.error
  const details = refused.map(({ name, key, error }) => ({ name, source_key: key, ...error }))
  return new AppError(code === EXCLUDED ? "invalid_request" : (code as ErrorCode), { message, details })
}
