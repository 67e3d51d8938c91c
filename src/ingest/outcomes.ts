/** How indexing ends: files are published, failed for good, or queued again. */

import { sql } from "kysely"
import { FILE_TO_TELL, type FileToTell, tellOfFiles } from "../events/files.ts"
import { charge, rowOf } from "../governance/usage/entries.ts"
import { payerOfFile } from "../governance/usage/payer.ts"
import { isHeld } from "../jobs/claim.ts"
import type { JobQueue } from "../jobs/queue.ts"
import type { LeasedJob } from "../jobs/worker.ts"
import { log } from "../log.ts"
import type { Blobs } from "../storage/blobs/blobs.ts"
import type { FileVersion } from "../storage/chunks.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { ExtractionErrorCode, Warning } from "../storage/document.ts"
import { forgetNotes } from "../storage/file-texts.ts"
import type { FilesTable } from "../storage/files.ts"
import { inOrder } from "../storage/shared.ts"
import { filled, words } from "../storage/words.ts"
import type { ReadDocument } from "./process/protocol.ts"

export interface OutcomeDependencies {
  database: Database
  blobs: Blobs
  queue: JobQueue
  index: {
    publish(trx: Trx, versions: readonly FileVersion[]): Promise<void>
    sweep(): Promise<void>
  }
  /** A file's record changed. */
  announce(fileId: string): void
  /** Named points on the way to being searchable, for tests that die at each. */
  reached?(point: string): void
}

/** A file whose new generation is staged. */
export interface ReadyFile {
  job: LeasedJob
  file: FilesTable
  document: Pick<ReadDocument, "warnings" | "pageCount" | "ocrPageCount" | "characterCount" | "chunks">
  embeddedTokens: number
}

/**
 * Makes the new generations those that search sees, and drops what the former ones needed. The jobs were leased
 * together. A file whose lease was lost is left out: a newer version took over.
 */
export async function publish(dependencies: OutcomeDependencies, ready: readonly ReadyFile[]): Promise<void> {
  const { database, queue, index, blobs, announce, reached = () => {} } = dependencies
  const published = await database.transaction().execute(async trx => {
    await inOrder(trx, ...ready.map(({ job }) => job.workspaceId))
    const held = new Set(
      await queue.complete(
        trx,
        ready.map(({ job }) => job),
      ),
    )
    const files = ready.filter(({ job }) => held.has(job))
    if (files.length === 0) return files
    await index.publish(
      trx,
      files.map(({ file }) => ({ fileId: file.id, generation: file.generation })),
    )
    reached("generations published")
    const { rows } = await sql<FileToTell>`update files set
        status = 'searchable', stage = null, progress = 1, error_code = null, error_message = null,
        warnings = done.warnings, attempts = done.attempts, page_count = done.pages, ocr_page_count = done.ocr_pages,
        chunk_count = done.chunks, character_count = done.characters,
        live_generation = files.generation, live_blob = blob, updated_at = done.at, indexed_at = done.at
      from ${filled(words(trx).rows(DONE), JSON.stringify(files.map(doneOf)))} as done
      where files.id = done.id and files.generation = done.generation
      returning files.id, files.workspace_id, files.context_id, files.external_id, files.acl`.execute(trx)
    await charge(trx, files.map(readingOf))
    reached("files published")
    const replaced = files.filter(({ file }) => file.live_generation !== null).map(({ file }) => file.id)
    // Made of a text that nobody finds any more.
    await forgetNotes(trx, replaced)
    await tellOfFiles(trx, "file.searchable", rows)
    reached("events written")
    return files
  })
  reached("committed")
  for (const { job } of ready)
    if (!published.some(file => file.job === job)) log.info("a newer version took over", { file_id: job.subject })
  for (const { file } of published) {
    announce(file.id)
    if (file.live_blob && file.live_blob !== file.blob) await blobs.remove(file.live_blob)
    if (file.live_generation !== null && file.live_generation !== file.generation)
      await blobs.removeText(file.id, file.live_generation)
  }
  void index.sweep()
}

const DONE = {
  ...({ id: "text", generation: "integer", warnings: "text", attempts: "integer", pages: "integer" } as const),
  ...({ ocr_pages: "integer", chunks: "integer", characters: "integer", at: "text" } as const),
}

const doneOf = ({ job, file, document }: ReadyFile) => ({
  id: file.id,
  generation: file.generation,
  warnings: JSON.stringify(document.warnings),
  attempts: job.attempts,
  pages: document.pageCount,
  ocr_pages: document.ocrPageCount,
  chunks: document.chunks.count,
  characters: document.characterCount,
  at: new Date().toISOString(),
})

/** What making it searchable took. */
const readingOf = ({ file, document, embeddedTokens }: ReadyFile) =>
  rowOf(payerOfFile(file), {
    embedded_tokens: embeddedTokens,
    pages: document.pageCount ?? 0,
    ocr_pages: document.ocrPageCount,
  })

/** For good: the record says why. A former generation stays findable. */
export async function fail(
  { database, queue, announce }: OutcomeDependencies,
  job: LeasedJob,
  code: ExtractionErrorCode,
  message: string,
  warnings: readonly Warning[] = [],
): Promise<void> {
  await database.transaction().execute(async trx => {
    await inOrder(trx, job.workspaceId)
    if ((await queue.complete(trx, [job])).length === 0) return
    const failed = await trx
      .updateTable("files")
      .set({
        status: "failed",
        stage: null,
        error_code: code,
        error_message: message,
        warnings: JSON.stringify(warnings),
        attempts: job.attempts,
        updated_at: new Date().toISOString(),
      })
      .where("id", "=", job.subject)
      .returning(FILE_TO_TELL)
      .execute()
    await tellOfFiles(trx, "file.failed", failed, { error: { code } })
  })
  announce(job.subject)
}

/** For good, after all the attempts that it may have. */
export const failUsedUp = (dependencies: OutcomeDependencies, job: LeasedJob): Promise<void> =>
  fail(dependencies, job, "internal_error", "the file could not be indexed in several attempts")

export async function removeJob({ database, queue }: OutcomeDependencies, job: LeasedJob): Promise<void> {
  await database.transaction().execute(trx => queue.complete(trx, [job]))
}

/** What nobody works on any more waits, and whoever looks sees that. To be called once leases were reclaimed. */
export async function requeueInterrupted(database: Database): Promise<void> {
  await database
    .updateTable("files")
    .set({ status: "queued", stage: null, progress: 0 })
    .where("status", "=", "indexing")
    .where("id", "not in", database.selectFrom("jobs").select("subject").where("lease_token", "is not", null))
    .execute()
}

/** To be tried again: whoever looks sees that it waits. */
export async function requeue({ database, announce }: OutcomeDependencies, job: LeasedJob): Promise<void> {
  await database
    .updateTable("files")
    .set({ status: "queued", stage: null, progress: 0 })
    .where("id", "=", job.subject)
    .where(isHeld(job))
    .execute()
  announce(job.subject)
}
