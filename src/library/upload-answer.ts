/** What an upload is answered, and the same again for a repetition under its Idempotency-Key. */
import { repetitionKey, type View } from "../access/view.ts"
import type { Trx } from "../storage/database.ts"
import { type IdempotentRequest, keyReused, note, requestHash } from "../storage/idempotency.ts"
import type { UploadLabels } from "./labels.ts"
import type { FileRecord } from "./record.ts"
import type { ReceivedFile } from "./upload-form.ts"

export interface UploadAnswer {
  message: string
  files: FileRecord[]
  /** `source_key` of a file that was brought to a source. */
  rejected: { name: string; source_key?: string; error: { code: string; message: string } }[]
}

/** A form that has come whole. */
export interface ReceivedUpload {
  view: View
  idempotencyKey: string | undefined
  /** See `UploadRequest`. */
  asked?: unknown
  files: ReceivedFile[]
  labels: UploadLabels
  rejected: UploadAnswer["rejected"]
}

export function repetitionOf(upload: ReceivedUpload): IdempotentRequest | undefined {
  const { view, files, labels, rejected, idempotencyKey, asked } = upload
  if (idempotencyKey === undefined) return undefined
  // Not what became of the parts: a full disk rejects today what it takes tomorrow.
  const names = [...files, ...rejected].map(({ name }) => name).sort()
  const hash = requestHash(asked === undefined ? { names, labels } : { asked })
  return { workspaceId: view.workspaceId, operation: "upload", key: repetitionKey(view, idempotencyKey), hash }
}

/** Notes the answer of an upload as its files are recorded, commit by commit. */
export class AnswerNotes {
  /** The files so far as JSON: all of them in one go would hold up everybody else. */
  private readonly texts: string[] = []

  constructor(
    private readonly repetition: IdempotentRequest,
    private readonly rejected: UploadAnswer["rejected"],
  ) {}

  add(files: FileRecord[]): void {
    this.texts.push(JSON.stringify(files).slice(1, -1))
  }

  /** In the transaction of the last files. */
  async write(trx: Trx): Promise<void> {
    await note(trx, this.repetition, `{"files":[${this.texts}],"rejected":${JSON.stringify(this.rejected)}}`)
  }
}

/**
 * What the first request was answered.
 * @param noted by `AnswerNotes`
 * @throws AppError conflict for other bytes; those of a rejected file are not known
 */
export function firstAnswer(again: ReceivedUpload, noted: string): UploadAnswer {
  const { files, rejected } = JSON.parse(noted) as Omit<UploadAnswer, "message">
  const before = new Set(files.map(({ sha256 }) => sha256))
  const now = new Set(again.files.map(({ stored }) => stored.sha256))
  const isOther =
    (again.rejected.length === 0 && !before.isSubsetOf(now)) || (rejected.length === 0 && !now.isSubsetOf(before))
  if (isOther && again.asked === undefined) throw keyReused()
  return { message: describe(files), files, rejected }
}

/** `2 files accepted and queued for indexing, 1 already in the library`: a duplicate is not indexed again. */
export function describe(records: FileRecord[]): string {
  const duplicates = records.filter(record => record.duplicate).length
  const queued = records.length - duplicates
  const files = (count: number) => `${count} ${count === 1 ? "file" : "files"}`
  if (duplicates === 0) return `${files(queued)} accepted and queued for indexing`
  if (queued === 0) return `${files(duplicates)} already in the library`
  return `${files(queued)} accepted and queued for indexing, ${duplicates} already in the library`
}
