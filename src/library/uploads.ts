/**
 * Taking files in. `receive` has the bytes of a form on disk before anything is recorded; `commit` then makes rows and
 * jobs together, so that an acknowledged file survives anything and a refused one leaves nothing.
 */
import type { View } from "../access/view.ts"
import { type AppError, diskTrouble, engineTrouble, invalid, toErrorBody } from "../errors.ts"
import type { HeldRoom } from "../governance/usage/held-room.ts"
import type { JobQueue } from "../jobs/queue.ts"
import { log } from "../log.ts"
import type { Blobs } from "../storage/blobs/blobs.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { Reading } from "../storage/files.ts"
import type { Idempotency, IdempotentRequest } from "../storage/idempotency.ts"
import { inOrder } from "../storage/shared.ts"
import type { FileChanges } from "./changes.ts"
import { checkLabels, type UploadLabels } from "./labels.ts"
import { contextIn } from "./outside.ts"
import type { FileRecord } from "./record.ts"
import { type NamedFile, type Registered, register, registerNamed } from "./register.ts"
import {
  AnswerNotes,
  describe,
  firstAnswer,
  notedFiles,
  type ReceivedUpload,
  repetitionOf,
  type UploadAnswer,
} from "./upload-answer.ts"
import { type FileRules, type ReceivedFile, refusalOf, UploadForm } from "./upload-form.ts"
import type { UploadRoom } from "./upload-room.ts"

/** Files that one commit takes in: others write between two commits of a form of thousands, and are answered meanwhile. */
const FILES_PER_COMMIT = 250
/** Of all files of a form together: 4 000 with the largest metadata. */
const MAX_LABEL_BYTES = 64 * 2 ** 20

export interface UploadDependencies {
  database: Database
  blobs: Blobs
  queue: JobQueue
  changes: FileChanges
  idempotency: Idempotency
  room: UploadRoom
  /** Of keys with a quota of bytes. */
  held: HeldRoom
  rules: FileRules
}

export interface UploadRequest {
  /** Duplicates are found among what it shows, and files are put where it sees them. */
  view: View
  /** Who uploads: one key never holds all places. */
  keyId: string
  idempotencyKey: string | undefined
  /** What the request asks for, where that is not its form: under the same key, the same of it is a repetition. */
  asked?: unknown
}

export interface OneFile {
  /** Its extension says what it is, but for what its bytes show. */
  name: string
  bytes: AsyncIterable<Uint8Array>
  /** What its reader has to know beside the bytes; a file that is read otherwise than before is another version. */
  reading?: Reading
  signal?: AbortSignal
}

const NOTHING = { files: [], rejected: [], labels: checkLabels(new Map()) }

export class Uploads {
  constructor(private readonly dependencies: UploadDependencies) {}

  /** So many uploads are under way that others may be refused. */
  get isCrowded(): boolean {
    return this.dependencies.room.isCrowded
  }

  /**
   * Takes a form in: `read` hands its parts over, then its files are recorded together. Whatever fails, no byte stays behind.
   * @param apart what becomes of a form whose files are none of the library; undefined for one whose files are
   * @throws AppError overloaded and insufficient_storage before anything is read; what `read` threw; what refuses the form
   */
  receive<Apart = never>(
    request: UploadRequest,
    read: (form: UploadForm) => Promise<void>,
    apart: (form: UploadForm) => Promise<Apart> | undefined = () => undefined,
  ): Promise<UploadAnswer | Apart> {
    return this.take(request, async form => {
      await read(form)
      const kept = apart(form)
      if (kept) return { apart: await kept }
      await form.refuseOthers()
      return checkLabels(form.fields)
    })
  }

  /**
   * Takes one file in whose labels are known.
   * @param file its name, with an extension that is accepted, and its bytes, which are read once
   * @returns its record, as the answer to an upload has it
   * @throws AppError as `receive`, and what refuses the file
   */
  async takeOne(request: UploadRequest, file: OneFile, labels: UploadLabels): Promise<FileRecord> {
    const { files } = await this.take<never>(request, async form => {
      await form.addFile(file.name, file.bytes, file.signal, file.reading)
      const [rejected] = form.rejected
      if (rejected) throw rejected.error
      return labels
    })
    return files[0]!
  }

  /**
   * What the request got for its one file when it came before, under the same key.
   * @throws AppError conflict where the key belongs to another request
   */
  async answered({ view, idempotencyKey, asked }: UploadRequest): Promise<FileRecord | undefined> {
    const repetition = repetitionOf({ view, idempotencyKey, asked, ...NOTHING })
    const noted = repetition && (await this.dependencies.idempotency.find(repetition))
    return noted === undefined ? undefined : notedFiles(noted)[0]
  }

  private take<Apart>(
    request: UploadRequest,
    read: (form: UploadForm) => Promise<UploadLabels | { apart: Apart }>,
  ): Promise<UploadAnswer | Apart> {
    const { room, blobs, rules, held } = this.dependencies
    return room.hold(request.keyId, async () => {
      await blobs.assertRoom()
      using coming = await held.enter(request.view)
      const form = new UploadForm(blobs, request.view.workspaceId, rules, bytes => coming.through(bytes))
      try {
        const given = await read(form)
        if ("apart" in given) return given.apart
        const { purpose } = form
        const contextId = contextIn(request.view, given.contextId)
        const labels = { ...given, contextId, ...(purpose === undefined ? {} : { purpose }) }
        const rejected = form.rejected.map(({ name, error: { code, message } }) => ({ name, error: { code, message } }))
        return await this.commit({ ...request, labels, rejected, files: form.takeFiles() })
      } catch (error) {
        await form.discard()
        throw error
      }
    })
  }

  /**
   * Stores one file of a source, under the rules of uploads and its own limit. It is to be given to `bring`, or to `drop`.
   * @throws AppError for what is not taken; what reading it threw
   */
  async fetch(
    workspaceId: string,
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<ReceivedFile> {
    const { blobs, rules } = this.dependencies
    await blobs.assertRoom()
    const form = new UploadForm(blobs, workspaceId, { ...rules, maxFileBytes: Math.min(maxBytes, rules.maxFileBytes) })
    await form.addFile(name, bytes, signal)
    return form.takeFiles()[0]!
  }

  /** Why a file of this name is never taken; undefined for one that is. */
  refusalOf(name: string): AppError | undefined {
    return refusalOf(name, this.dependencies.rules)
  }

  /** Removes a file that was fetched for nothing. */
  async drop({ stored }: ReceivedFile): Promise<void> {
    await this.dependencies.blobs.remove(stored.blob)
  }

  /**
   * Records files that a source has fetched, together, under what each is called there. Whatever fails, none of them is.
   * @param rules what they are given, asked for in the transaction, which it may end by throwing
   * @param also done in the same transaction, as its last step
   */
  async bring(
    files: readonly NamedFile[],
    rules: (trx: Trx) => Promise<{ view: View; labels: UploadLabels }>,
    also: (trx: Trx, records: readonly FileRecord[]) => Promise<void>,
  ): Promise<FileRecord[]> {
    const { database, blobs, queue } = this.dependencies
    const unused = new Set(files.map(({ stored }) => stored.blob))
    try {
      await blobs.keepNames(unused)
      const registered = await database.transaction().execute(async trx => {
        const given = await rules(trx)
        const registered = await registerNamed(trx, queue, given, files)
        await also(trx, registered.records)
        return registered
      })
      this.settle(registered, unused)
      return registered.records
    } catch (error) {
      if (isInDoubt(error)) unused.clear()
      throw error
    } finally {
      for (const blob of unused) await blobs.remove(blob)
    }
  }

  /** The files' blobs belong to this from here on: unused ones are removed. */
  private async commit(received: ReceivedUpload): Promise<UploadAnswer> {
    const { blobs, idempotency } = this.dependencies
    const unused = new Set(received.files.map(file => file.stored.blob))
    const repetition = repetitionOf(received)
    try {
      checkLabelBytes(received)
      return await idempotency.once(
        repetition,
        () => this.record(received, repetition, unused),
        async noted => firstAnswer(received, noted),
      )
    } finally {
      for (const blob of unused) await blobs.remove(blob)
    }
  }

  /**
   * A form of more files than go into one commit takes several. Where a later one fails, its files and those after it are
   * rejected; a daemon that is killed amid them keeps what was committed, though nobody was told.
   * @param unused blobs that no file needs; those that get a row are taken out, those that lose theirs put in
   */
  private async record(
    received: ReceivedUpload,
    repetition: IdempotentRequest | undefined,
    unused: Set<string>,
  ): Promise<UploadAnswer> {
    const { blobs } = this.dependencies
    const answer: UploadAnswer = { message: "", files: [], rejected: [...received.rejected] }
    const notes = repetition && new AnswerNotes(repetition, answer.rejected)
    await blobs.keepNames(unused)
    for (let at = 0; at < received.files.length; at += FILES_PER_COMMIT) {
      const group = received.files.slice(at, at + FILES_PER_COMMIT)
      const isLast = at + group.length === received.files.length
      try {
        const registered = await this.commitGroup(received, group, isLast, notes)
        answer.files.push(...registered.records)
        this.settle(registered, unused)
      } catch (error) {
        if (isInDoubt(error)) for (const { stored } of group) unused.delete(stored.blob)
        if (answer.files.length === 0) throw error
        log.warn("the rest of a form could not be recorded", { recorded: answer.files.length, error })
        const { code, message } = toErrorBody(error)
        answer.rejected.push(...received.files.slice(at).map(({ name }) => ({ name, error: { code, message } })))
        break
      }
    }
    return { ...answer, message: describe(answer.files) }
  }

  /** What was registered is committed: tells of it. @param unused as of `record` */
  private settle({ records, needed, superseded }: Registered, unused: Set<string>): void {
    const { queue, changes } = this.dependencies
    for (const blob of needed) unused.delete(blob)
    for (const blob of superseded) unused.add(blob)
    queue.announce()
    for (const { id } of records) changes.announce(id)
  }

  private commitGroup(
    received: ReceivedUpload,
    group: ReceivedFile[],
    isLast: boolean,
    notes: AnswerNotes | undefined,
  ): Promise<Registered> {
    const { database, queue } = this.dependencies
    return database.transaction().execute(async trx => {
      await inOrder(trx, received.view.workspaceId)
      const registered = await register(trx, queue, received, group)
      notes?.add(registered.records)
      if (isLast) await notes?.write(trx)
      return registered
    })
  }
}

/**
 * Whether a transaction that failed may have been made all the same: else no row refers to its files. A commit that the disk
 * failed to sync may be found again after a crash, one whose answer the network lost may have been made, and then they need
 * their bytes; without one they are swept at the next start.
 */
const isInDoubt = (error: unknown): boolean => diskTrouble(error) === "failing" || engineTrouble(error) !== undefined

/** @throws AppError invalid_request: labels are kept with every file, and shown with every file of the answer */
function checkLabelBytes({ files, labels }: ReceivedUpload): void {
  const bytes = Buffer.byteLength(JSON.stringify([labels.metadata, labels.tags]))
  if (bytes * files.length > MAX_LABEL_BYTES)
    throw invalid("metadata", `times the number of files must have at most ${MAX_LABEL_BYTES} bytes, tags included`)
}
