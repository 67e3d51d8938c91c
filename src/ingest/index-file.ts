/**
 * One file from bytes to searchable: a reader extracts and cuts → stage in the index → publish. Every step can be done again after a
 * crash. The file becomes searchable, all of it at once, in the transaction that also completes the job, and only while
 * this worker still holds the job's lease.
 */
import { isUsedUp, type JobQueue } from "../jobs/queue.ts"
import type { JobFailure, LeasedJob } from "../jobs/worker.ts"
import { log } from "../log.ts"
import type { Blobs } from "../storage/blobs.ts"
import type { FileVersion } from "../storage/chunks.ts"
import type { Database, Trx } from "../storage/database.ts"
import { type ChunkSource, type ExtractedDocument, ExtractionError } from "../storage/document.ts"
import { fail, failUsedUp, publish, removeJob, requeue } from "./outcomes.ts"
import { progressReporter } from "./progress.ts"

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
    file: { path: string; name: string; type: string; size: number; workspaceId: string },
    onProgress: (progress: { stage: "extracting" | "ocr" | "chunking"; progress: number }) => void,
    signal: AbortSignal,
  ): Promise<ReadDocument>
}

/** What a reader made of a small file, in memory. */
export interface QuickDocument extends Omit<ReadDocument, "textPath" | "close"> {
  text: string
}

/** `not quick`: for the ordinary reader, which finds out what is the matter with it. An Error says why it cannot be read. */
export type QuickOutcome = QuickDocument | "not quick" | Error

/** Reads and cuts small files in isolation, whatever the other reader is busy with. */
export interface QuickDocumentReader {
  /** What became of each, in their order. @throws the reason of `signal` */
  readAll(
    files: readonly { path: string; name: string; type: string; size: number }[],
    signal: AbortSignal,
  ): Promise<QuickOutcome[]>
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
  /** @returns those that may be published: the others were overtaken, or are gone */
  stageTogether<F extends FileVersion & { chunks: ChunkSource }>(
    files: readonly F[],
    on: (stage: "embedding" | "committing") => void,
    signal: AbortSignal,
  ): Promise<F[]>
  publish(trx: Trx, versions: readonly FileVersion[]): Promise<void>
  sweep(): Promise<void>
}

export interface IndexFileDependencies {
  database: Database
  blobs: Blobs
  queue: JobQueue
  reader: DocumentReader
  quickReader: QuickDocumentReader
  index: IndexWriter
  /** Whether an attempt failed for the disk's sake alone: it does not count. */
  isDisksFault(error: unknown): Promise<boolean>
  /** A file's record changed. */
  announce(fileId: string): void
  /** Named points on the way to being searchable, for tests that die at each. */
  reached?(point: string): void
}

/** Does one `index_file` job. @throws what makes it worth another try */
export async function indexFile(dependencies: IndexFileDependencies, job: LeasedJob): Promise<void> {
  const { signal } = job
  const file = await dependencies.database
    .selectFrom("files")
    .selectAll()
    .where("id", "=", job.subject)
    .executeTakeFirst()
  if (!file) return removeJob(dependencies, job) // deleted meanwhile
  if (isUsedUp(job)) return failUsedUp(dependencies, job)
  const report = progressReporter(dependencies, file, job.attempts)
  let document: ReadDocument | undefined
  try {
    await report("extracting", 0)
    document = await dependencies.reader.read(
      {
        path: dependencies.blobs.path(file.blob),
        name: file.name,
        type: file.type,
        size: file.size,
        workspaceId: file.workspace_id,
      },
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
    await publish(dependencies, [{ job, file, document }])
    report.clock.end()
  } catch (error) {
    report.clock.end()
    await report.settled()
    await giveUp(dependencies, job, error)
  } finally {
    await document?.close()
  }
}

/** Says for good why a file cannot be indexed, or queues it again. @throws `error` where it is worth another try */
export async function giveUp(dependencies: IndexFileDependencies, job: LeasedJob, error: unknown): Promise<void> {
  if (job.signal.aborted) throw error
  const known = error instanceof ExtractionError && !error.transient
  if (known) return fail(dependencies, job, error.code, error.message)
  if (job.attempts >= job.maxAttempts && !(await dependencies.isDisksFault(error))) {
    log.error("file could not be indexed", { file_id: job.subject, error })
    return failUsedUp(dependencies, job)
  }
  await requeue(dependencies, job.subject)
  throw error
}

/** The handler of jobs that go one at a time. */
export const indexAlone =
  (dependencies: IndexFileDependencies) =>
  async (jobs: readonly LeasedJob[]): Promise<JobFailure[]> => {
    const failures: JobFailure[] = []
    for (const job of jobs) await indexFile(dependencies, job).catch(error => failures.push({ job, error }))
    return failures
  }
