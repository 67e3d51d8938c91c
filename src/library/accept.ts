/**
 * Taking files in. Bytes are on disk before this runs; one transaction then makes all rows and jobs of a request, so that
 * an acknowledged file survives anything and a refused one leaves nothing.
 */
import { diskTrouble, invalid } from "../errors.ts"
import { newId } from "../id.ts"
import { indexJob } from "../ingest/task.ts"
import type { JobQueue } from "../jobs/queue.ts"
import type { Blobs, StoredBlob } from "../storage/blobs.ts"
import type { Database, Trx } from "../storage/database.ts"
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

/** An Idempotency-Key is remembered for 24 h. */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000

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
  room: UploadRoom
}

export interface AcceptRequest {
  workspaceId: string
  files: ReceivedFile[]
  labels: UploadLabels
  rejected: UploadAnswer["rejected"]
  idempotencyKey?: string
}

/** Registers received files. Their blobs belong to this function from here on: unused ones are removed. */
export async function acceptFiles(dependencies: AcceptDependencies, request: AcceptRequest): Promise<UploadAnswer> {
  const { database, blobs, queue, changes } = dependencies
  const unused = new Set(request.files.map(file => file.stored.blob))
  const superseded: string[] = []
  try {
    const answer = await database.transaction().execute(async trx => {
      const earlier = request.idempotencyKey && (await findAnswer(trx, request.workspaceId, request.idempotencyKey))
      if (earlier) return earlier
      const records: FileRecord[] = []
      for (const file of request.files) records.push(await register(trx, queue, request, file, superseded))
      const made: UploadAnswer = { message: describe(records), files: records, rejected: request.rejected }
      if (request.idempotencyKey) await rememberAnswer(trx, request.workspaceId, request.idempotencyKey, made)
      const used = await trx
        .selectFrom("files")
        .select("blob")
        .where("blob", "in", [...unused])
        .execute()
      for (const { blob } of used) unused.delete(blob)
      return made
    })
    for (const blob of superseded) unused.add(blob)
    queue.announce()
    for (const { id } of answer.files) changes.announce(id)
    return answer
  } catch (error) {
    // Rolled back: no row refers to any of them. But a commit that the disk failed to sync may be found again after a
    // crash, and then needs its bytes; without one they are swept at the next start.
    if (diskTrouble(error) === "failing") unused.clear()
    else for (const file of request.files) unused.add(file.stored.blob)
    throw error
  } finally {
    for (const blob of unused) await blobs.remove(blob)
  }
}

/** `superseded` collects blobs that no version of a file needs any more once the transaction is committed. */
async function register(
  trx: Trx,
  queue: JobQueue,
  request: AcceptRequest,
  file: ReceivedFile,
  superseded: string[],
): Promise<FileRecord> {
  const { workspaceId, labels } = request
  const sameName = () =>
    trx
      .selectFrom("files")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("name", "=", file.name)
      .where("context_id", labels.contextId === null ? "is" : "=", labels.contextId)
      .orderBy("id", "desc")
      .limit(1)
  if (labels.onDuplicate === "return_existing") {
    const same = await sameName().where("sha256", "=", file.stored.sha256).executeTakeFirst()
    if (same) return { ...toFileRecord(same), duplicate: true }
  }
  const replaced = labels.onDuplicate === "replace" ? await sameName().executeTakeFirst() : undefined
  if (replaced && replaced.blob !== replaced.live_blob) superseded.push(replaced.blob)
  const now = new Date().toISOString()
  const content = {
    size: file.stored.size,
    sha256: file.stored.sha256,
    blob: file.stored.blob,
    type: file.type,
    mime_type: file.mimeType,
    tags: JSON.stringify(labels.tags),
    metadata: JSON.stringify(labels.metadata),
    updated_at: now,
    ...QUEUED,
  }
  const row = replaced
    ? await replace(trx, replaced, content)
    : await insert(trx, workspaceId, file.name, labels.contextId, now, content)
  await queue.enqueue(trx, [indexJob(row)])
  return toFileRecord(row)
}

type Content = Pick<FileRow, "size" | "sha256" | "blob" | "type" | "mime_type" | "tags" | "metadata" | "updated_at"> &
  typeof QUEUED

/** A new version under the old id; what search sees stays the live generation until the new one is published. */
async function replace(trx: Trx, old: FileRow, content: Content): Promise<FileRow> {
  return trx
    .updateTable("files")
    .set({ ...content, generation: old.generation + 1 })
    .where("id", "=", old.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function insert(
  trx: Trx,
  workspaceId: string,
  name: string,
  contextId: string | null,
  now: string,
  content: Content,
): Promise<FileRow> {
  return trx
    .insertInto("files")
    .values({
      id: newId("file"),
      workspace_id: workspaceId,
      name,
      name_folded: foldName(name),
      context_id: contextId,
      created_at: now,
      generation: 1,
      ocr_page_count: 0,
      ...content,
    } as FileRow)
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function findAnswer(trx: Trx, workspaceId: string, key: string): Promise<UploadAnswer | undefined> {
  const since = new Date(Date.now() - IDEMPOTENCY_MS).toISOString()
  await trx.deleteFrom("idempotent_answers").where("created_at", "<", since).execute()
  const row = await trx
    .selectFrom("idempotent_answers")
    .select("body")
    .where("workspace_id", "=", workspaceId)
    .where("operation", "=", "upload")
    .where("key", "=", key)
    .executeTakeFirst()
  return row && (JSON.parse(row.body) as UploadAnswer)
}

async function rememberAnswer(trx: Trx, workspaceId: string, key: string, answer: UploadAnswer): Promise<void> {
  await trx
    .insertInto("idempotent_answers")
    .values({
      workspace_id: workspaceId,
      operation: "upload",
      key,
      status: 202,
      body: JSON.stringify(answer),
      created_at: new Date().toISOString(),
    })
    .execute()
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
