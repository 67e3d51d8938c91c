/**
 * Small files from bytes to searchable, many at a time: they share commits, a segment of words and a version of the
 * vectors, which cost as much for one file as for sixty. Each is still read by itself, has a lease of its own, and is
 * seen as a whole or not at all. What is wrong with one concerns that one: a group that cannot be written is taken apart,
 * and its files go one by one.
 */

import { sql } from "kysely"
import { isUsedUp } from "../jobs/queue.ts"
import type { JobFailure, LeasedJob } from "../jobs/worker.ts"
import { log } from "../log.ts"
import { ExtractionError } from "../storage/document.ts"
import { type FilesTable, readingOf } from "../storage/files.ts"
import { filled, words } from "../storage/words.ts"
import { both } from "../threads/both.ts"
import { counted } from "./embedded-tokens.ts"
import { giveUp, type IndexFileDependencies, indexFile, localOriginal } from "./index-file.ts"
import { failUsedUp, publish, removeJob, requeue } from "./outcomes.ts"
import type { QuickDocument, QuickOutcome } from "./process/protocol.ts"
import { StageClock } from "./progress.ts"

/** Passages written together: they are in memory, and the first of them waits for the last. */
const MAX_PASSAGES = 1_024

interface Member {
  job: LeasedJob
  file: FilesTable
}

interface ReadMember extends Member {
  document: QuickDocument
}

/** The handler of `index_file` jobs in the quick lane. */
export const indexGroup =
  (dependencies: IndexFileDependencies) =>
  async (jobs: readonly LeasedJob[], stopping: AbortSignal): Promise<JobFailure[]> => {
    const failures: JobFailure[] = []
    const failed = (job: LeasedJob) => (error: unknown) => void failures.push({ job, error })
    const members = await membersOf(dependencies, jobs)
    if (members.length === 0) return failures
    const clock = new StageClock()
    try {
      clock.enter("extracting")
      const read: ReadMember[] = []
      const [outcomes] = await both(
        readMembers(dependencies, members, stopping),
        tellIndexing(dependencies, members), // nobody waits for the disk to say that reading began
      )
      for (const { outcome, ...member } of outcomes) {
        const document = await documentOf(dependencies, member, outcome).catch(failed(member.job))
        if (document) read.push({ ...member, document })
      }
      for (const part of partsOf(read)) await writePart(dependencies, part, clock, stopping, failed)
    } finally {
      clock.end()
    }
    return failures
  }

/** Jobs with their files; those without one, and those that were tried too often, are done with. */
async function membersOf(dependencies: IndexFileDependencies, jobs: readonly LeasedJob[]): Promise<Member[]> {
  const rows = await dependencies.database
    .selectFrom("files")
    .selectAll()
    .where(
      "id",
      "in",
      jobs.map(({ subject }) => subject),
    )
    .execute()
  const byId = new Map(rows.map(row => [row.id, row]))
  const members: Member[] = []
  for (const job of jobs) {
    const file = byId.get(job.subject)
    if (!file) await removeJob(dependencies, job)
    else if (isUsedUp(job)) await failUsedUp(dependencies, job)
    else members.push({ job, file })
  }
  return members
}

async function tellIndexing({ database, announce }: IndexFileDependencies, members: readonly Member[]): Promise<void> {
  const begun = members.map(({ job, file: { id, generation } }) => ({
    ...{ id, generation, attempts: job.attempts, job: job.id, token: job.leaseToken },
  }))
  const table = words(database).rows({
    ...({ id: "text", generation: "integer", attempts: "integer", job: "text", token: "text" } as const),
  })
  await sql`update files set status = 'indexing', stage = 'extracting', progress = 0, attempts = begun.attempts,
      updated_at = ${new Date().toISOString()}
    from ${filled(table, JSON.stringify(begun))} as begun
    where files.id = begun.id and files.generation = begun.generation
      and exists (select 1 from jobs where jobs.id = begun.job and jobs.lease_token = begun.token)`.execute(database)
  for (const { file } of members) announce(file.id)
}

async function readMembers(
  { quickReader, blobs }: IndexFileDependencies,
  members: readonly Member[],
  stopping: AbortSignal,
): Promise<(Member & { outcome: QuickOutcome })[]> {
  await using copies = new AsyncDisposableStack()
  const outcomes = new Map<Member, QuickOutcome>()
  const present: { member: Member; path: string }[] = []
  const places = members.map(async member => {
    try {
      present.push({ member, path: copies.use(await localOriginal(blobs, member.file.blob, stopping)).path })
    } catch (error) {
      outcomes.set(member, error as Error)
    }
  })
  await Promise.all(places)
  const sources = present.map(({ member: { file }, path }) => ({
    path,
    name: file.name,
    type: file.type,
    size: file.size,
    ...readingOf(file),
  }))
  const read = await quickReader.readAll(sources, stopping)
  for (const [i, { member }] of present.entries()) outcomes.set(member, read[i]!)
  return members.map(member => ({ ...member, outcome: outcomes.get(member)! }))
}

/** @returns undefined where the file is done with: it failed for good, or goes on in the ordinary lane */
async function documentOf(
  dependencies: IndexFileDependencies,
  { job, file }: Member,
  outcome: QuickOutcome,
): Promise<QuickDocument | undefined> {
  if (outcome instanceof Error) return void (await giveUp(dependencies, job, outcome))
  if (outcome !== "not quick" && outcome.chunks.count === 0)
    return void (await giveUp(dependencies, job, new ExtractionError("no_text", "there is no text in the file")))
  if (outcome !== "not quick" && outcome.chunks.count <= MAX_PASSAGES) return outcome
  log.info("a small file is not quick to read: it goes on in the ordinary lane", { file_id: file.id })
  await requeue(dependencies, job)
  await dependencies.queue.changeLane(job, "ordinary")
  dependencies.queue.announce()
  return undefined
}

function partsOf(read: readonly ReadMember[]): ReadMember[][] {
  const parts: ReadMember[][] = []
  let passages = 0
  for (const member of read) {
    const { count } = member.document.chunks
    const part = parts.at(-1)
    if (part && passages + count <= MAX_PASSAGES) part.push(member)
    else {
      parts.push([member])
      passages = 0
    }
    passages += count
  }
  return parts
}

async function writePart(
  dependencies: IndexFileDependencies,
  part: readonly ReadMember[],
  clock: StageClock,
  stopping: AbortSignal,
  failed: (job: LeasedJob) => (error: unknown) => void,
): Promise<void> {
  try {
    for (const { job } of await writeTogether(dependencies, part, clock, stopping))
      failed(job)(new Error(`indexing of ${job.subject} was overtaken`))
  } catch (error) {
    if (stopping.aborted || (await dependencies.isStoresFault(error)))
      for (const { job } of part) await giveUp(dependencies, job, error).catch(failed(job))
    else {
      if (part.length > 1) log.warn("a group of files could not be written; they go one by one", { error })
      for (const { job } of part) await indexFile(dependencies, job).catch(failed(job))
    }
  }
}

/** @returns files that were overtaken meanwhile */
async function writeTogether(
  dependencies: IndexFileDependencies,
  part: readonly ReadMember[],
  clock: StageClock,
  stopping: AbortSignal,
): Promise<ReadMember[]> {
  const { index, blobs, reached = () => {} } = dependencies
  const wanted = part.map(member => ({
    ...member,
    fileId: member.file.id,
    workspaceId: member.file.workspace_id,
    generation: member.file.generation,
    chunks: counted(member.document.chunks),
  }))
  const staged = await index.stageTogether(wanted, stage => clock.enter(stage), stopping)
  // After the stores, so that what is given up before leaves no text behind.
  await Promise.all(
    staged.map(({ file, document }) => blobs.of(file.workspace_id).writeText(file.id, file.generation, document.text)),
  )
  reached("texts written")
  stopping.throwIfAborted()
  const ready = staged.map(({ chunks, ...member }) => ({ ...member, embeddedTokens: chunks.embeddedTokens }))
  await publish(dependencies, ready)
  const done = new Set(staged.map(({ job }) => job))
  return part.filter(({ job }) => !done.has(job))
}
