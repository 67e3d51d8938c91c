/**
 * One file from bytes to searchable: a reader extracts and cuts → stage in the index → publish. Every step can be done again after a
 * crash. The file becomes searchable, all of it at once, in the transaction that also completes the job, and only while
 * this worker still holds the job's lease.
 */
import { isUsedUp } from "../jobs/queue.ts"
import type { JobFailure, LeasedJob } from "../jobs/worker.ts"
import { log } from "../log.ts"
import type { Blobs, LocalFile } from "../storage/blobs/blobs.ts"
import type { FileVersion } from "../storage/chunks.ts"
import { type ChunkSource, ExtractionError } from "../storage/document.ts"
import { readingOf } from "../storage/files.ts"
import { counted } from "./embedded-tokens.ts"
import { fail, failUsedUp, type OutcomeDependencies, publish, removeJob, requeue } from "./outcomes.ts"
import type { ReadDocument } from "./process/protocol.ts"
import type { QuickReader } from "./process/quick-reader.ts"
import type { ReaderPool } from "./process/reader-pool.ts"
import { progressReporter } from "./progress.ts"

/** What indexing needs of the search index, said here: two rooms of one rank do not know each other. */
interface IndexWriter {
  stage(
    file: { id: string; workspaceId: string },
    generation: number,
    chunks: ChunkSource,
    on: (stage: "embedding" | "committing", progress: number) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<void>
  /** @returns those that may be published: the others were overtaken, or are gone */
  stageTogether<F extends FileVersion & { workspaceId: string; chunks: ChunkSource }>(
    files: readonly F[],
    on: (stage: "embedding" | "committing") => void,
    signal: AbortSignal,
  ): Promise<F[]>
}

export interface IndexFileDependencies extends OutcomeDependencies {
  reader: Pick<ReaderPool, "read">
  quickReader: Pick<QuickReader, "readAll">
  index: IndexWriter & OutcomeDependencies["index"]
  /** Whether an attempt failed for the disk's sake alone: it does not count. */
  isStoresFault(error: unknown): Promise<boolean>
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
  const report = progressReporter(dependencies, file, job)
  let document: ReadDocument | undefined
  try {
    await report("extracting", 0)
    await using original = await localOriginal(dependencies.blobs, file.blob, signal)
    document = await dependencies.reader.read(
      {
        path: original.path,
        name: file.name,
        type: file.type,
        size: file.size,
        workspaceId: file.workspace_id,
        ...readingOf(file),
      },
      ({ stage, progress }) => void report(stage, progress).catch(() => {}),
      signal,
    )
    if (document.chunks.count === 0) throw new ExtractionError("no_text", "there is no text in the file")
    const owner = { id: file.id, workspaceId: file.workspace_id }
    const chunks = counted(document.chunks)
    await dependencies.index.stage(owner, file.generation, chunks, report, signal)
    // Last, so that what is given up before leaves no text behind.
    const blobs = dependencies.blobs.of(file.workspace_id)
    await blobs.moveText(file.id, file.generation, document.textPath)
    if (document.layoutPath) await blobs.moveLayout(file.id, file.generation, document.layoutPath)
    await report("committing", 1)
    signal.throwIfAborted()
    await publish(dependencies, [{ job, file, document, embeddedTokens: chunks.embeddedTokens }])
    report.clock.end()
  } catch (error) {
    report.clock.end()
    await report.settled()
    await giveUp(dependencies, job, error)
  } finally {
    await document?.close()
  }
}

/** @throws where it is missing */
export async function localOriginal(blobs: Blobs, blob: string, signal: AbortSignal): Promise<LocalFile> {
  const original = await blobs.findOriginal(blob)
  if (!original) throw new Error(`the original ${blob} is missing`)
  return original.local(signal)
}

/** Says for good why a file cannot be indexed, or queues it again. @throws `error` where it is worth another try */
export async function giveUp(dependencies: IndexFileDependencies, job: LeasedJob, error: unknown): Promise<void> {
  if (job.signal.aborted) throw error
  const known = error instanceof ExtractionError && !error.transient
  if (known) return fail(dependencies, job, error.code, error.message, error.warnings)
  if (job.attempts >= job.maxAttempts && !(await dependencies.isStoresFault(error))) {
    log.error("file could not be indexed", { file_id: job.subject, error })
    return failUsedUp(dependencies, job)
  }
  await requeue(dependencies, job)
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
