/** Rows and jobs of received files: what one transaction of an upload writes. */
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely"
import { refuseWider } from "../access/acl.ts"
import { stored, toStore } from "../access/limits.ts"
import { seen, type View } from "../access/view.ts"
import { AppError, invalid } from "../errors.ts"
import { heldAmong, keepHeldIds, refuse } from "../governance/holds/refuse.ts"
import { noteRemoved, type Removal } from "../governance/receipts/removals.ts"
import { payerColumns } from "../governance/usage/payer.ts"
import { refuseBeyondQuota } from "../governance/usage/quotas.ts"
import { newId } from "../id.ts"
import { indexJob } from "../ingest/task.ts"
import type { JobQueue } from "../jobs/queue.ts"
import type { Trx } from "../storage/database.ts"
import type { Reading } from "../storage/files.ts"
import type { Schema } from "../storage/schema.ts"
import { filled, words } from "../storage/words.ts"
import { foldName, type Identity, type UploadLabels } from "./labels.ts"
import { QUEUED } from "./library.ts"
import { refuseOutside } from "./outside.ts"
import { type FileRecord, type FileRow, toFileRecord } from "./record.ts"
import type { ReceivedFile } from "./upload-form.ts"
import { notePage } from "./web/page-rows.ts"

export interface Registered {
  records: FileRecord[]
  /** Blobs of the rows that were written. */
  needed: string[]
  /** Blobs that no version of a file needs any more once the transaction is committed. */
  superseded: string[]
}

/** Rows and jobs of some files of a form, in a few statements whatever their number. */
export async function register(
  trx: Trx,
  queue: JobQueue,
  { view, labels }: { view: View; labels: UploadLabels },
  files: ReceivedFile[],
): Promise<Registered> {
  if (labels.identity) return registerKnown(trx, queue, { view, labels }, files, labels.identity)
  const sameAs = (name: string, sha256: string) => (labels.onDuplicate === "replace" ? name : `${sha256} ${name}`)
  const known = new Map<string, FileRow>()
  if (labels.onDuplicate !== "keep_both")
    for (const row of await findSame(trx, view, labels, files)) known.set(sameAs(row.name, row.sha256), row)
  const held = labels.onDuplicate === "replace" ? await heldOf(trx, view, [...known.values()]) : NONE_HELD
  const added = new Map<string, FileRow>()
  const replaced = new Map<string, FileRow>()
  const superseded: string[] = []
  const former: Removal[] = []
  const records = files.map(file => {
    const key = sameAs(file.name, file.stored.sha256)
    const same = known.get(key)
    if (same && labels.onDuplicate === "return_existing") return { ...toFileRecord(same), duplicate: true as const }
    if (same && labels.acl !== undefined && !view.mayWiden) refuseWider(stored(same.acl), labels.acl)
    if (same) refuseReplacing(held, same, file)
    const row = same ? nextVersion(same, view, file, labels) : newRow(view, file, labels)
    if (same && same.blob !== same.live_blob) superseded.push(same.blob)
    if (same) former.push(...formerVersion(same, file))
    if (labels.onDuplicate !== "keep_both") known.set(key, row) // the form may hold it twice
    const rows = same && !added.has(same.id) ? replaced : added
    rows.set(row.id, row)
    return toFileRecord(row)
  })
  if (added.size > 0)
    await trx
      .insertInto("files")
      .values([...added.values()])
      .execute()
  for (const { id, ...row } of replaced.values()) await trx.updateTable("files").set(row).where("id", "=", id).execute()
  const rows = [...added.values(), ...replaced.values()]
  await refuseOutside(
    trx,
    view,
    rows.map(({ id }) => id),
  )
  if (rows.length > 0) await refuseBeyondQuota(trx, view)
  await noteFormer(trx, view, former)
  await queue.enqueue(trx, rows.map(indexJob))
  return { records, needed: rows.map(({ blob }) => blob), superseded }
}

type Held = Awaited<ReturnType<typeof heldAmong>>
const NONE_HELD: Held = new Map()

/** Which of the files are held, and stay so though what is said of them changes. */
async function heldOf(trx: Trx, { workspaceId }: View, files: readonly FileRow[]): Promise<Held> {
  const ids = files.map(({ id }) => id)
  const held = await heldAmong(trx, workspaceId, "files", ids)
  await keepHeldIds(trx, workspaceId, "files", [...held.keys()])
  return held
}

/** Another version ends the former one. @throws AppError on_hold */
function refuseReplacing(held: Held, { id, sha256 }: FileRow, { stored: { sha256: replacing } }: ReceivedFile): void {
  const hold = held.get(id)
  if (hold !== undefined && sha256 !== replacing) refuse(new Map([[id, hold]]))
}

/** A file whose identity says which one it is, whatever its name. */
export interface NamedFile extends ReceivedFile {
  identity: Identity
}

/** One of a form. */
function registerKnown(
  trx: Trx,
  queue: JobQueue,
  given: { view: View; labels: UploadLabels },
  files: readonly ReceivedFile[],
  identity: Identity,
): Promise<Registered> {
  const [file] = files
  if (!file || files.length > 1) throw invalid("file", "must be one where the form names its external id or its entry")
  return registerNamed(trx, queue, given, [{ ...file, identity }])
}

/**
 * Files that another system names, no two of them alike: each is new, the next version of the one that was named so before,
 * or, with the same bytes, that one as it is. What a caller does not see is not met.
 * @throws AppError not_found where the file of an entry is one that the caller does not see
 */
export async function registerNamed(
  trx: Trx,
  queue: JobQueue,
  { view, labels }: { view: View; labels: UploadLabels },
  files: readonly NamedFile[],
): Promise<Registered> {
  const identities = files.map(({ identity }) => identity)
  const known = await findKnown(trx, view, labels.contextId, identities)
  const held = await heldOf(trx, view, [...known.values()])
  const registered: Registered = { records: [], needed: [], superseded: [] }
  const added: FileRow[] = []
  const changed: FileRow[] = []
  const unchanged: string[] = []
  const former: Removal[] = []
  for (const file of files) {
    const same = known.get(nameOf(file.identity))
    const identity = columnsOfIdentity(file.identity)
    if (same && labels.acl !== undefined && !view.mayWiden) refuseWider(stored(same.acl), labels.acl)
    if (same && isSame(same, file)) {
      const set = { ...identity, ...(isRefresh(file.identity) ? {} : toldAnew(same, labels)) }
      await trx.updateTable("files").set(set).where("id", "=", same.id).execute()
      unchanged.push(same.id)
      registered.records.push({ ...toFileRecord({ ...same, ...set }), unchanged: true })
      continue
    }
    if (same) refuseReplacing(held, same, file)
    const row = {
      ...(same ? nextVersion(same, view, file, labels) : newRow(view, file, labels)),
      ...identity,
      // What somebody noted about it is not the source's to take away.
      ...(same && "sourceId" in file.identity && Object.keys(labels.metadata).length === 0
        ? { metadata: same.metadata }
        : {}),
      name: file.name,
      name_folded: foldName(file.name),
      context_id: labels.contextId,
      ...(same && isRefresh(file.identity) ? labelsAsTheyAre(same) : {}),
    }
    if (same && same.blob !== same.live_blob) registered.superseded.push(same.blob)
    if (same) former.push(...formerVersion(same, file))
    const rows = same ? changed : added
    rows.push(row)
    registered.records.push(toFileRecord(row))
    registered.needed.push(row.blob)
  }
  if (added.length > 0) await trx.insertInto("files").values(added).execute()
  for (const { id, ...columns } of changed) await trx.updateTable("files").set(columns).where("id", "=", id).execute()
  const rows = [...added, ...changed]
  await refuseOutside(trx, view, [...rows.map(({ id }) => id), ...unchanged])
  if (rows.length > 0) await refuseBeyondQuota(trx, view)
  await noteFormer(trx, view, former)
  await queue.enqueue(trx, rows.map(indexJob))
  for (const [at, { identity }] of files.entries())
    if ("page" in identity) await notePage(trx, registered.records[at]!.id, identity.page)
  return registered
}

/** Bytes that are replaced leave as those of a deleted file do, once others take their place in searches. */
const formerVersion = ({ id, sha256, blob, generation, status }: FileRow, { stored }: ReceivedFile): Removal[] => {
  if (sha256 === stored.sha256) return []
  const traces = { blobs: [blob], generation, ...(status === "indexing" ? { isRead: true as const } : {}) }
  return [{ kind: "version", id, sha256s: [sha256], traces }]
}

async function noteFormer(trx: Trx, view: View, [first, ...others]: Removal[]): Promise<void> {
  if (first) await noteRemoved(trx, view, [first, ...others])
}

/** Nobody asked: what was said of the file meanwhile stays. */
const isRefresh = (identity: Identity): boolean => "page" in identity && identity.fileId !== undefined

const labelsAsTheyAre = ({ tags, metadata, context_id }: FileRow): Partial<FileRow> => ({ tags, metadata, context_id })

/** Whether nothing is to be indexed anew. */
const isSame = (known: FileRow, { stored, reading }: ReceivedFile): boolean =>
  known.sha256 === stored.sha256 && known.status !== "failed" && known.reading === toColumn(reading)

const toColumn = (reading: Reading | undefined): string | null => (reading ? JSON.stringify(reading) : null)

/** By `nameOf`. */
async function findKnown(
  trx: Trx,
  view: View,
  contextId: string | null,
  identities: readonly Identity[],
): Promise<Map<string, FileRow>> {
  const known = new Map<string, FileRow>()
  for (const identity of identities) {
    const isSeen = seen(trx, view)
    const files = trx.selectFrom("files").selectAll().select(isSeen.as("seen")).orderBy("id", "desc").limit(1)
    const row = await ofIdentity(files, identity, isSeen, contextId).executeTakeFirst()
    if (!row && "page" in identity && identity.fileId)
      throw new AppError("not_found", { message: "the file of this page is gone" })
    if (!row) continue
    const { seen: isShown, ...file } = row
    if (!isShown)
      throw new AppError("not_found", { message: "the file of this entry is not seen with these credentials" })
    known.set(nameOf(identity), file)
  }
  return known
}

type Seen = RawBuilder<boolean>

/** A page may be in several contexts, a file in each. */
function ofIdentity<O>(
  files: SelectQueryBuilder<Schema, "files", O>,
  identity: Identity,
  isSeen: Seen,
  contextId: string | null,
) {
  if ("externalId" in identity) return files.where(isSeen).where("external_id", "=", identity.externalId)
  if ("sourceId" in identity)
    return files.where("source_id", "=", identity.sourceId).where("source_key", "=", identity.key)
  if (identity.fileId) return files.where("id", "=", identity.fileId)
  return files
    .where(isSeen)
    .where("context_id", contextId === null ? "is" : "=", contextId)
    .where("id", "in", eb => eb.selectFrom("web_pages").select("file_id").where("url", "=", identity.page.url))
}

const nameOf = (identity: Identity): string =>
  "page" in identity
    ? `page ${identity.page.url}`
    : "externalId" in identity
      ? `external ${identity.externalId}`
      : `${identity.sourceId} ${identity.key}`

function columnsOfIdentity(identity: Identity): Partial<FileRow> {
  if ("page" in identity) return { url: identity.page.url }
  return {
    ...("externalId" in identity
      ? { external_id: identity.externalId }
      : { source_id: identity.sourceId, source_key: identity.key, fingerprint: identity.fingerprint }),
    ...(identity.url === undefined ? {} : { url: identity.url }),
  }
}

/** What the labels say of a file whose bytes are the same, where that differs; they cannot say that it has none any more. */
function toldAnew(known: FileRow, { acl, contextId, tags, metadata, url }: UploadLabels): Partial<FileRow> {
  const told: Partial<FileRow> = {
    ...(acl === undefined ? {} : { acl: toStore(acl) }),
    ...(contextId === null ? {} : { context_id: contextId }),
    ...(tags.length === 0 ? {} : { tags: JSON.stringify(tags) }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata: JSON.stringify(metadata) }),
    ...(url === undefined ? {} : { url }),
  }
  const differs = Object.entries(told).some(([column, value]) => known[column as keyof FileRow] !== value)
  return differs ? { ...told, updated_at: new Date().toISOString() } : {}
}

/** The newest file that the caller sees for each that has its name and context, and its bytes where those count. */
async function findSame(
  trx: Trx,
  view: View,
  { contextId, onDuplicate }: UploadLabels,
  files: ReceivedFile[],
): Promise<FileRow[]> {
  const wanted = JSON.stringify(files.map(({ name, stored }) => ({ name, sha256: stored.sha256 })))
  const sameBytes = onDuplicate === "replace" ? sql`true` : sql`files.sha256 = wanted.sha256`
  const sameContext = contextId === null ? sql`files.context_id is null` : sql`files.context_id = ${contextId}`
  const { rows } = await sql<FileRow>`
    select * from files where id in (
      select (
        select max(files.id) from files
        where ${seen(trx, view)} and files.name = wanted.name and ${sameContext} and ${sameBytes}
      ) from ${filled(words(trx).rows({ name: "text", sha256: "text" }), wanted)} as wanted
    )`.execute(trx)
  return rows
}

const contentOf = (view: View, { type, mimeType, stored, reading }: ReceivedFile, labels: UploadLabels) => ({
  ...payerColumns(view),
  size: stored.size,
  sha256: stored.sha256,
  blob: stored.blob,
  type,
  mime_type: mimeType,
  tags: JSON.stringify(labels.tags),
  metadata: JSON.stringify(labels.metadata),
  ...(labels.acl === undefined ? {} : { acl: toStore(labels.acl) }),
  ...(labels.url === undefined ? {} : { url: labels.url }),
  reading: toColumn(reading),
  updated_at: new Date().toISOString(),
  ...QUEUED,
})

/** Under the old id; what search sees stays the live generation until the new one is published. */
const nextVersion = (old: FileRow, view: View, file: ReceivedFile, labels: UploadLabels): FileRow => ({
  ...old,
  ...contentOf(view, file, labels),
  generation: old.generation + 1,
})

function newRow(view: View, file: ReceivedFile, labels: UploadLabels): FileRow {
  const content = contentOf(view, file, labels)
  return {
    id: newId("file"),
    workspace_id: view.workspaceId,
    name: file.name,
    name_folded: foldName(file.name),
    context_id: labels.contextId,
    purpose: labels.purpose ?? null,
    acl: null,
    external_id: null,
    url: null,
    source_id: null,
    source_key: null,
    fingerprint: null,
    created_at: content.updated_at,
    page_count: null,
    ocr_page_count: 0,
    chunk_count: null,
    character_count: null,
    indexed_at: null,
    generation: 1,
    live_generation: null,
    live_blob: null,
    ...content,
  }
}
