/**
 * One file from bytes to searchable: a reader extracts and cuts → stage in the index → publish. Every step can be done again after a
 * crash. The file becomes searchable, all of it at once, in the transaction that also completes the job, and only while
 * this worker still holds the job's lease.
 */
import type { Job, JobQueue } from "../jobs/queue.ts"
import { log } from "../log.ts"
import type { Blobs } from "../storage/blobs.ts"
import type { Database, Trx } from "../storage/database.ts"
import {
  type ChunkSource,
  type ExtractedDocument,
  ExtractionError,
  type ExtractionErrorCode,
} from "../storage/document.ts"
import type { FilesTable } from "../storage/files.ts"

import { StageClock } from "./stage-clock.ts"

export type Stage = "extracting" | "ocr" | "chunking" | "embedding" | "committing"

/** What a reader made of a file. Text and chunks lie in files: nothing here grows with the document. */
export interface ReadDocument extends Omit<ExtractedDocument, "text" | "blocks"> {
  /** The text in UTF-8, in the temporary directory; may be moved away. */
  textPath: string
  /** UTF-16 code units. */
  characterCount: number
  chunks: ChunkSource
  /** Removes the files that are left. To be called whatever happens. */
  close(): Promise<void>
}

/** Reads and cuts a file in isolation. @throws ExtractionError */
export interface DocumentReader {
  read(
    file: { path: string; name: string; type: string; size: number },
    onProgress: (progress: { stage: "extracting" | "ocr" | "chunking"; progress: number }) => void,
    signal: AbortSignal,
  ): Promise<ReadDocument>
}

/** What indexing needs of the search index. */
export interface IndexWriter {
  stage(
    file: { id: string; workspaceId: string },
    generation: number,
    chunks: ChunkSource,
    on: (stage: "embedding" | "committing", progress: number) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<void>
  publish(trx: Trx, fileId: string, generation: number): Promise<void>
  sweep(): Promise<void>
}

export interface IndexFileDependencies {
  database: Database
  blobs: Blobs
  queue: JobQueue
  reader: DocumentReader
  index: IndexWriter
  /** Whether an attempt failed for the disk's sake alone: it does not count. */
  isDisksFault(error: unknown): Promise<boolean>
  /** A file's record changed. */
  announce(fileId: string): void
}

/** Share of the whole that is done when a stage begins; embedding takes most of a text, reading most of a scan. */
const STAGE_START: Record<Stage, number> = { extracting: 0, ocr: 0, chunking: 0.5, embedding: 0.55, committing: 0.95 }
const STAGE_LENGTH: Record<Stage, number> = {
  extracting: 0.5,
  ocr: 0.5,
  chunking: 0.05,
  embedding: 0.4,
  committing: 0.04,
}
/** Progress is written at most this often: each write is an fsync. */
const PROGRESS_INTERVAL_MS = 500

class LeaseLost extends Error {}

/** The handler of `index_file` jobs. */
export function indexFile(dependencies: IndexFileDependencies) {
  return async (job: Job, signal: AbortSignal): Promise<void> => {
    const file = await dependencies.database
      .selectFrom("files")
      .selectAll()
      .where("id", "=", job.subject)
      .executeTakeFirst()
    if (!file) return removeJob(dependencies, job) // deleted meanwhile
    if (job.attempts > job.maxAttempts)
      return fail(dependencies, job, "internal_error", "the file could not be indexed in several attempts")
    const report = progressReporter(dependencies, file, job.attempts)
    let document: ReadDocument | undefined
    try {
      await report("extracting", 0)
      document = await dependencies.reader.read(
        { path: dependencies.blobs.path(file.blob), name: file.name, type: file.type, size: file.size },
        ({ stage, progress }) => void report(stage, progress).catch(() => {}),
        signal,
      )
      if (document.chunks.count === 0) throw new ExtractionError("no_text", "there is no text in the file")
      const owner = { id: file.id, workspaceId: file.workspace_id }
      await dependencies.index.stage(owner, file.generation, document.chunks, report, signal)
      // Last, so that what is given up before leaves no text behind.
      await dependencies.blobs.moveText(file.id, file.generation, document.textPath)
      await report("committing", 1)
      signal.throwIfAborted()
      await publish(dependencies, job, file, document)
      report.clock.end()
    } catch (error) {
      report.clock.end()
      await report.settled()
      if (error instanceof LeaseLost) return log.info("a newer version took over", { file_id: file.id })
      if (signal.aborted) throw error
      const known = error instanceof ExtractionError && !error.transient
      if (known) return fail(dependencies, job, error.code, error.message)
      if (job.attempts >= job.maxAttempts && !(await dependencies.isDisksFault(error))) {
        log.error("file could not be indexed", { file_id: file.id, error })
        return fail(dependencies, job, "internal_error", "the file could not be indexed in several attempts")
      }
      await requeue(dependencies, file.id)
      throw error
    } finally {
      await document?.close()
    }
  }
}

/** Makes the new generation the one that search sees, and drops what the former one needed. */
async function publish(
  { database, queue, index, blobs, announce }: IndexFileDependencies,
  job: Job,
  file: FilesTable,
  document: ReadDocument,
): Promise<void> {
  const now = new Date().toISOString()
  await database.transaction().execute(async trx => {
    if (!(await queue.complete(trx, job))) throw new LeaseLost()
    await index.publish(trx, file.id, file.generation)
    await trx
      .updateTable("files")
      .set({
        status: "searchable",
        stage: null,
        progress: 1,
        error_code: null,
        error_message: null,
        warnings: JSON.stringify(document.warnings),
        attempts: job.attempts,
        page_count: document.pageCount,
        ocr_page_count: document.ocrPageCount,
        chunk_count: document.chunks.count,
        character_count: document.characterCount,
        live_generation: file.generation,
        live_blob: file.blob,
        updated_at: now,
        indexed_at: now,
      })
      .where("id", "=", file.id)
      .where("generation", "=", file.generation)
      .execute()
  })
  announce(file.id)
  if (file.live_blob && file.live_blob !== file.blob) await blobs.remove(file.live_blob)
  if (file.live_generation !== null && file.live_generation !== file.generation)
    await blobs.removeText(file.id, file.live_generation)
  void index.sweep()
}

/** For good: the record says why. A former generation stays findable. */
async function fail(
  { database, queue, announce }: IndexFileDependencies,
  job: Job,
  code: ExtractionErrorCode,
  message: string,
): Promise<void> {
  await database.transaction().execute(async trx => {
    if (!(await queue.complete(trx, job))) return
    await trx
      .updateTable("files")
      .set({
        status: "failed",
        stage: null,
        error_code: code,
        error_message: message,
        attempts: job.attempts,
        updated_at: new Date().toISOString(),
      })
      .where("id", "=", job.subject)
      .execute()
  })
  announce(job.subject)
}

async function removeJob({ database, queue }: IndexFileDependencies, job: Job): Promise<void> {
  await database.transaction().execute(trx => queue.complete(trx, job))
}

async function requeue({ database, announce }: IndexFileDependencies, fileId: string): Promise<void> {
  await database
    .updateTable("files")
    .set({ status: "queued", stage: null, progress: 0 })
    .where("id", "=", fileId)
    .execute()
  announce(fileId)
}

interface ProgressReporter {
  (stage: Stage, progress: number): Promise<void>
  /** Waits for a write under way, so that a final state is not overwritten by it. */
  settled(): Promise<void>
  clock: StageClock
}

/**
 * Writes stage changes at once and progress now and then; never backwards. On a slow disk a stage is passed over, so
 * that telling of the work takes no longer than the work.
 */
function progressReporter(
  { database, announce }: IndexFileDependencies,
  file: FilesTable,
  attempts: number,
): ProgressReporter {
  let lastStage: Stage | undefined
  let lastProgress = 0
  let writtenAt = Number.NEGATIVE_INFINITY
  let writeTookMs = 0
  let writing: Promise<unknown> = Promise.resolve()
  const clock = new StageClock()
  const report = async (stage: Stage, share: number) => {
    const progress = Math.max(lastProgress, Math.min(0.99, STAGE_START[stage] + STAGE_LENGTH[stage] * share))
    clock.enter(stage)
    const now = performance.now()
    if (now - writtenAt < (stage === lastStage ? PROGRESS_INTERVAL_MS : writeTookMs)) return
    lastStage = stage
    lastProgress = progress
    writtenAt = now
    writing = writing.then(() =>
      database
        .updateTable("files")
        .set({
          status: "indexing",
          stage,
          progress: Math.round(progress * 1000) / 1000,
          attempts,
          updated_at: new Date().toISOString(),
        })
        .where("id", "=", file.id)
        .where("generation", "=", file.generation) // a newer version has a progress of its own
        .execute(),
    )
    await writing
    writtenAt = performance.now()
    writeTookMs = writtenAt - now
    announce(file.id)
  }
  return Object.assign(report, {
    clock,
    settled: () =>
      writing.then(
        () => {},
        () => {},
      ),
  })
}
