/** What an upload is answered, and the same again for a repetition under its Idempotency-Key. */
import { repetitionKey, type View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import type { Trx } from "../storage/database.ts"
import {
  type ForgottenFile,
  type IdempotentRequest,
  keyReused,
  linkToFiles,
  note,
  requestHash,
} from "../storage/idempotency.ts"
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
  private readonly ids: string[] = []

  constructor(
    private readonly repetition: IdempotentRequest,
    private readonly rejected: UploadAnswer["rejected"],
  ) {}

  add(files: FileRecord[]): void {
    this.texts.push(JSON.stringify(files).slice(1, -1))
    for (const { id } of files) this.ids.push(id)
  }

  /** In the transaction of the last files. */
  async write(trx: Trx): Promise<void> {
    await note(trx, this.repetition, `{"files":[${this.texts}],"rejected":${JSON.stringify(this.rejected)}}`)
    await linkToFiles(trx, this.repetition, this.ids)
  }
}

/**
 * What the first request was answered.
 * @param noted by `AnswerNotes`
 * @throws AppError conflict for other bytes; those of a rejected file are not known. As `notedFiles`
 */
export function firstAnswer(again: ReceivedUpload, noted: string): UploadAnswer {
  const { files: all, rejected } = JSON.parse(noted) as Noted
  const before = new Set(all.map(({ sha256 }) => sha256))
  const now = new Set(again.files.map(({ stored }) => stored.sha256))
  const isOther =
    (again.rejected.length === 0 && !before.isSubsetOf(now)) || (rejected.length === 0 && !now.isSubsetOf(before))
  if (isOther && again.asked === undefined) throw keyReused()
  const files = notedFiles(noted)
  return { message: describe(files), files, rejected }
}

interface Noted extends Pick<UploadAnswer, "rejected"> {
  files: (FileRecord | ForgottenFile)[]
}

/** Those of the first answer that were not deleted since. @throws AppError not_found where all were */
export function notedFiles(noted: string): FileRecord[] {
  const { files } = JSON.parse(noted) as Noted
  const there = files.filter((file): file is FileRecord => !("forgotten" in file))
  if (there.length === 0 && files.length > 0)
    throw new AppError("not_found", { message: "what came with this request has been deleted" })
  return there
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
