/**
 * Taking files in. Bytes are on disk before this runs; a transaction then makes rows and jobs together, so that an
 * acknowledged file survives anything and a refused one leaves nothing.
 */
import { sql } from "kysely"
import { diskTrouble, invalid, toErrorBody } from "../errors.ts"
import { newId } from "../id.ts"
import { indexJob } from "../ingest/task.ts"
import type { JobQueue } from "../jobs/queue.ts"
import { log } from "../log.ts"
import type { Blobs, StoredBlob } from "../storage/blobs.ts"
import type { Database, Trx } from "../storage/database.ts"
import { type Idempotency, type IdempotentRequest, keyReused, note, requestHash } from "../storage/idempotency.ts"
import type { FileChanges } from "./changes.ts"
import { checkContext, checkTags, foldName, parseMetadata } from "./labels.ts"
import { QUEUED } from "./library.ts"
import { type FileRecord, type FileRow, toFileRecord } from "./record.ts"
import type { UploadRoom } from "./upload-room.ts"

export const DUPLICATE_RULES = ["return_existing", "replace", "keep_both"] as const
export type DuplicateRule = (typeof DUPLICATE_RULES)[number]

/** A file part whose bytes are stored. */
export interface ReceivedFile {
  name: string
  type: string
  mimeType: string
  stored: StoredBlob
}

/** The text parts of an upload, checked. */
export interface UploadLabels {
  contextId: string | null
  tags: string[]
  metadata: Record<string, unknown>
  onDuplicate: DuplicateRule
}

export interface UploadAnswer {
  message: string
  files: FileRecord[]
  rejected: { name: string; error: { code: string; message: string } }[]
}

/** Files that one commit takes in: others write between two commits of a form of thousands, and are answered meanwhile. */
const FILES_PER_COMMIT = 250
/** Of all files of a form together: 4 000 with the largest metadata. */
const MAX_LABEL_BYTES = 64 * 2 ** 20

/** @throws AppError invalid_request naming the part */
export function checkLabels(fields: ReadonlyMap<string, string[]>): UploadLabels {
  const one = (name: string) => fields.get(name)?.at(-1)
  const contextId = one("context_id")
  const metadata = one("metadata")
  const onDuplicate = one("on_duplicate") || "return_existing"
  if (!DUPLICATE_RULES.includes(onDuplicate as DuplicateRule))
    throw invalid("on_duplicate", `must be one of ${DUPLICATE_RULES.join(", ")}`)
  return {
    contextId: contextId ? checkContext(contextId) : null,
    tags: checkTags(fields.get("tags") ?? []),
    metadata: metadata ? parseMetadata(metadata) : {},
    onDuplicate: onDuplicate as DuplicateRule,
  }
}

export interface AcceptDependencies {
  database: Database
  blobs: Blobs
  queue: JobQueue
  changes: FileChanges
  idempotency: Idempotency
  room: UploadRoom
}

export interface AcceptRequest {
  workspaceId: string
  files: ReceivedFile[]
  labels: UploadLabels
  rejected: UploadAnswer["rejected"]
  idempotencyKey?: string | undefined
}

/**
 * Registers received files. Their blobs belong to this function from here on: unused ones are removed.
 *
 * A form of more files than go into one commit takes several. Where a later one fails, its files and those after it are
 * rejected; a daemon that is killed amid them keeps what was committed, though nobody was told.
 */
export async function acceptFiles(dependencies: AcceptDependencies, request: AcceptRequest): Promise<UploadAnswer> {
  const { blobs, idempotency } = dependencies
  const unused = new Set(request.files.map(file => file.stored.blob))
  const repetition = repetitionOf(request)
  try {
    checkLabelBytes(request)
    return await idempotency.once(
      repetition,
      () => take(dependencies, request, repetition, unused),
      async noted => firstAnswer(request, JSON.parse(noted)),
    )
  } finally {
    for (const blob of unused) await blobs.remove(blob)
  }
}

/** @throws AppError invalid_request: labels are kept with every file, and shown with every file of the answer */
function checkLabelBytes({ files, labels }: AcceptRequest): void {
  const bytes = Buffer.byteLength(JSON.stringify([labels.metadata, labels.tags]))
  if (bytes * files.length > MAX_LABEL_BYTES)
    throw invalid("metadata", `times the number of files must have at most ${MAX_LABEL_BYTES} bytes, tags included`)
}

function repetitionOf({ workspaceId, files, labels, rejected, idempotencyKey }: AcceptRequest) {
  if (idempotencyKey === undefined) return undefined
  // Not what became of the parts: a full disk rejects today what it takes tomorrow.
  const names = [...files, ...rejected].map(({ name }) => name).sort()
  const hash = requestHash({ names, labels })
  return { workspaceId, operation: "upload", key: idempotencyKey, hash } satisfies IdempotentRequest
}

/** @throws AppError conflict for other bytes; those of a rejected file are not known */
function firstAnswer(request: AcceptRequest, { files, rejected }: Omit<UploadAnswer, "message">): UploadAnswer {
  const [then, now] = [files.map(({ sha256 }) => sha256), request.files.map(({ stored }) => stored.sha256)]
  const [first, again] = [new Set(then), new Set(now)]
  const isOther =
    (request.rejected.length === 0 && !first.isSubsetOf(again)) || (rejected.length === 0 && !again.isSubsetOf(first))
  if (isOther) throw keyReused()
  return { message: describe(files), files, rejected }
}

/** @param unused blobs that no file needs; those that get a row are taken out, those that lose theirs put in */
async function take(
  dependencies: AcceptDependencies,
  request: AcceptRequest,
  repetition: IdempotentRequest | undefined,
  unused: Set<string>,
): Promise<UploadAnswer> {
  const { database, blobs, queue, changes } = dependencies
  const answer: UploadAnswer = { message: "", files: [], rejected: [...request.rejected] }
  const texts: string[] = [] // the files so far as JSON: all of them in one go would hold up everybody else
  await blobs.keepNames(unused)
  for (let at = 0; at < request.files.length; at += FILES_PER_COMMIT) {
    const group = request.files.slice(at, at + FILES_PER_COMMIT)
    const isLast = at + group.length === request.files.length
    try {
      const { records, needed, superseded } = await database.transaction().execute(async trx => {
        const registered = await register(trx, queue, request, group)
        if (!repetition) return registered
        texts.push(JSON.stringify(registered.records).slice(1, -1))
        if (isLast) await note(trx, repetition, `{"files":[${texts}],"rejected":${JSON.stringify(answer.rejected)}}`)
        return registered
      })
      answer.files.push(...records)
      for (const blob of needed) unused.delete(blob)
      for (const blob of superseded) unused.add(blob)
      queue.announce()
      for (const { id } of records) changes.announce(id)
    } catch (error) {
      // Rolled back: no row refers to any of them. But a commit that the disk failed to sync may be found again after a
      // crash, and then needs its bytes; without one they are swept at the next start.
      if (diskTrouble(error) === "failing") for (const { stored } of group) unused.delete(stored.blob)
      if (answer.files.length === 0) throw error
      log.warn("the rest of a form could not be recorded", { recorded: answer.files.length, error })
      const { code, message } = toErrorBody(error)
      answer.rejected.push(...request.files.slice(at).map(({ name }) => ({ name, error: { code, message } })))
      break
    }
  }
  return { ...answer, message: describe(answer.files) }
}

interface Registered {
  records: FileRecord[]
  /** Blobs of the rows that were written. */
  needed: string[]
  /** Blobs that no version of a file needs any more once the transaction is committed. */
  superseded: string[]
}

/** Rows and jobs of some files of a form, in a few statements whatever their number. */
async function register(
  trx: Trx,
  queue: JobQueue,
  { workspaceId, labels }: AcceptRequest,
  files: ReceivedFile[],
): Promise<Registered> {
  const sameAs = (name: string, sha256: string) => (labels.onDuplicate === "replace" ? name : `${sha256} ${name}`)
  const known = new Map<string, FileRow>()
  if (labels.onDuplicate !== "keep_both")
    for (const row of await findSame(trx, workspaceId, labels, files)) known.set(sameAs(row.name, row.sha256), row)
  const added = new Map<string, FileRow>()
  const replaced = new Map<string, FileRow>()
  const superseded: string[] = []
  const records = files.map(file => {
    const key = sameAs(file.name, file.stored.sha256)
    const same = known.get(key)
    if (same && labels.onDuplicate === "return_existing") return { ...toFileRecord(same), duplicate: true as const }
    const row = same ? nextVersion(same, file, labels) : newRow(workspaceId, file, labels)
    if (same && same.blob !== same.live_blob) superseded.push(same.blob)
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
  await queue.enqueue(trx, rows.map(indexJob))
  return { records, needed: rows.map(({ blob }) => blob), superseded }
}

/** The newest file for each that has its name and context, and its bytes where those count. */
async function findSame(
  trx: Trx,
  workspaceId: string,
  { contextId, onDuplicate }: UploadLabels,
  files: ReceivedFile[],
): Promise<FileRow[]> {
  const wanted = JSON.stringify(files.map(({ name, stored }) => [name, stored.sha256]))
  const sameBytes = onDuplicate === "replace" ? sql`true` : sql`same.sha256 = json_extract(wanted.value, '$[1]')`
  const { rows } = await sql<FileRow>`
    select files.* from json_each(${wanted}) as wanted cross join files on files.id = (
      select max(id) from files as same
      where same.workspace_id = ${workspaceId} and same.name = json_extract(wanted.value, '$[0]')
        and same.context_id is ${contextId} and ${sameBytes}
    )`.execute(trx)
  return rows
}

const contentOf = ({ type, mimeType, stored }: ReceivedFile, labels: UploadLabels) => ({
  size: stored.size,
  sha256: stored.sha256,
  blob: stored.blob,
  type,
  mime_type: mimeType,
  tags: JSON.stringify(labels.tags),
  metadata: JSON.stringify(labels.metadata),
  updated_at: new Date().toISOString(),
  ...QUEUED,
})

/** Under the old id; what search sees stays the live generation until the new one is published. */
const nextVersion = (old: FileRow, file: ReceivedFile, labels: UploadLabels): FileRow => ({
  ...old,
  ...contentOf(file, labels),
  generation: old.generation + 1,
})

function newRow(workspaceId: string, file: ReceivedFile, labels: UploadLabels): FileRow {
  const content = contentOf(file, labels)
  return {
    id: newId("file"),
    workspace_id: workspaceId,
    name: file.name,
    name_folded: foldName(file.name),
    context_id: labels.contextId,
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

/** `2 files accepted and queued for indexing, 1 already in the library`: a duplicate is not indexed again. */
function describe(records: FileRecord[]): string {
  const duplicates = records.filter(record => record.duplicate).length
  const queued = records.length - duplicates
  const files = (count: number) => `${count} ${count === 1 ? "file" : "files"}`
  if (duplicates === 0) return `${files(queued)} accepted and queued for indexing`
  if (queued === 0) return `${files(duplicates)} already in the library`
  return `${files(queued)} accepted and queued for indexing, ${duplicates} already in the library`
}
