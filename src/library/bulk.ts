/**
 * Work on all files that pass a filter: delete, re-index, patch. A job of the durable queue walks over them in the order of
 * their ids. Each file is dealt with in one transaction, which also moves the job's cursor and only while the lease holds:
 * after a crash the next attempt goes on behind the last file, and none is dealt with twice or by halves. A file is looked
 * at once more when its turn comes: one that no longer passes, or that the caller would not see, is left alone. A job ends
 * with the key or the console user whose it is.
 */
import { sql } from "kysely"
import type { Filter } from "../access/filter/filter.ts"
import type { Holders } from "../access/holders.ts"
import { ownedBy, ownerColumns } from "../access/owner.ts"
import { filteredBy, seenBy, type View, withinBoth } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { emit } from "../events/outbox.ts"
import type { AuditAction, Outcome } from "../governance/audit/actions.ts"
import { actorOfView } from "../governance/audit/entry.ts"
import { tell } from "../governance/audit/pending.ts"
import { closeReceipt, openReceipt } from "../governance/receipts/removals.ts"
import { newId } from "../id.ts"
import { isHeld } from "../jobs/claim.ts"
import { isUsedUp, type JobQueue } from "../jobs/queue.ts"
import type { JobFailure, LeasedJob } from "../jobs/worker.ts"
import { log } from "../log.ts"
import { type Database, readApart, type Trx } from "../storage/database.ts"
import type { FileJobStatus, FileJobsTable } from "../storage/file-jobs.ts"
import { inOrder } from "../storage/shared.ts"
import { words } from "../storage/words.ts"
import { columnsOf, type FileChange } from "./file-change.ts"
import type { Library } from "./library.ts"
import type { FileRecord } from "./record.ts"

export const BULK_ACTIONS = ["delete", "reindex", "patch"] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

export interface BulkRequest {
  action: BulkAction
  filter: Filter
  /** With `patch`. */
  patch?: FileChange
}

/** Spelled as on the wire. */
export interface FileJob {
  job_id: string
  kind: string
  status: FileJobStatus
  done: number
  total: number
  /** Ids. */
  failed: string[]
  created_at: string
  finished_at: string | null
  /** Of a deletion: says when all of it is gone. */
  receipt_id: string | null
}

export const BULK_FILES = "bulk_files"

/** Ids read at a time. */
const PAGE = 200
/** Records of a preview. */
const SAMPLE = 20
/** Ids told of files that failed. */
const MAX_FAILED = 1_000
/** Jobs of a workspace that wait or run. */
const MAX_UNFINISHED = 100
/** How long a job can be asked about after its end. */
const KEPT_MS = 7 * 24 * 3_600_000

export interface BulkDependencies {
  database: Database
  queue: JobQueue
  library: Library
  holders: Pick<Holders, "find">
  /** Whether an attempt failed for the sake of a store alone: it does not count. */
  isStoresFault(error: unknown): Promise<boolean>
}

/** What is stored with a job. */
interface Stored extends BulkRequest {
  view: View
}

interface Action extends Stored {
  /** Of a deletion; of one that a former version began there is none. */
  receipt: string | undefined
}

export class Bulk {
  constructor(private readonly dependencies: BulkDependencies) {}

  /** The files that a job would find, the newest as a sample. */
  async preview(view: View, { filter }: BulkRequest): Promise<{ matched: number; sample: FileRecord[] }> {
    const first = { sort: "created_at", order: "desc", page: 1, pageSize: SAMPLE } as const
    const { data, total } = await this.dependencies.library.list(view, { filter, ...first })
    return { matched: total, sample: data }
  }

  /** @throws AppError invalid_request for a patch that no file could take; overloaded where too many jobs wait */
  async start(view: View, { action, filter, patch }: BulkRequest): Promise<{ job_id: string; matched: number }> {
    const { database, queue } = this.dependencies
    if (action === "patch") columnsOf(patch ?? {})
    const { text, values } = seenBy(filteredBy(view, filter), words(database))
    const [found] = await readApart<{ matched: number; last: string | null }>(
      database,
      `select count(*) as matched, max(files.id) as last from files where ${text}`,
      values,
    )
    const { matched, last } = found!
    const id = newId("job")
    const { workspaceId } = view
    const stored: Stored = { action, filter, ...(patch ? { patch } : {}), view }
    await database.transaction().execute(async trx => {
      await makeRoom(trx, workspaceId)
      await trx
        .insertInto("file_jobs")
        .values({
          id,
          workspace_id: workspaceId,
          kind: `bulk_${action}`,
          request: JSON.stringify(stored),
          status: "queued",
          total: matched,
          last_id: last ?? "",
          receipt_id: action === "delete" ? await openReceipt(trx, view, "bulk") : null,
          created_at: new Date().toISOString(),
          ...ownerColumns(view, view.author?.endUser ?? null),
        } as FileJobsTable)
        .execute()
      await queue.enqueue(trx, [{ task: BULK_FILES, subject: id, workspaceId, lane: "ordinary" }])
    })
    queue.announce()
    return { job_id: id, matched }
  }

  /** @throws AppError not_found, also for a job that the caller does not see */
  async get(view: View, jobId: string): Promise<FileJob> {
    const row = await this.dependencies.database
      .selectFrom("file_jobs")
      .selectAll()
      .where("id", "=", jobId)
      .where(ownedBy(view, "file_jobs"))
      .executeTakeFirst()
    if (!row) throw new AppError("not_found", { message: "there is no such job" })
    const { id, kind, status, done, total, failed, created_at, finished_at, receipt_id } = row
    return { job_id: id, kind, status, done, total, failed: JSON.parse(failed), created_at, finished_at, receipt_id }
  }

  /** The handler of its jobs. */
  handle = async (jobs: readonly LeasedJob[]): Promise<JobFailure[]> => {
    const failures: JobFailure[] = []
    for (const job of jobs) await this.carryOut(job).catch(error => failures.push({ job, error }))
    return failures
  }

  /** @throws what makes it worth another try */
  private async carryOut(job: LeasedJob): Promise<void> {
    const { database } = this.dependencies
    const row = await database.selectFrom("file_jobs").selectAll().where("id", "=", job.subject).executeTakeFirst()
    if (!row || isUsedUp(job)) return this.end(job, "failed")
    await database
      .updateTable("file_jobs")
      .set({ status: "running" })
      .where("id", "=", row.id)
      .where(isHeld(job))
      .execute()
    const stored = JSON.parse(row.request) as Stored
    const failed: string[] = JSON.parse(row.failed)
    try {
      for (let after = row.cursor; ; ) {
        const ids = await this.next(stored, after, row.last_id)
        for (const id of ids) {
          const view = await this.viewNow(row.owner_id, stored)
          if (!view) return await this.end(job, "cancelled")
          await this.dealWith(job, { ...stored, view, receipt: row.receipt_id ?? undefined }, id, failed)
        }
        if (ids.length < PAGE) break
        after = ids.at(-1)!
      }
      await this.end(job, "completed")
    } catch (error) {
      if (job.signal.aborted || job.attempts < job.maxAttempts) throw error
      if (await this.dependencies.isStoresFault(error)) throw error
      log.error("work on many files failed", { job_id: row.id, error })
      await this.end(job, "failed")
    }
  }

  /** What the job saw when it was sent, as far as its owner still sees it; undefined where the owner has no access any more. */
  private async viewNow(ownerId: string | null, { view }: Stored): Promise<View | undefined> {
    if (ownerId === null) return view
    const holder = await this.dependencies.holders.find(ownerId, view.workspaceId)
    return holder && withinBoth(view, holder.view)
  }

  private async next({ view, filter }: Stored, after: string, last: string): Promise<string[]> {
    const { database } = this.dependencies
    const { text, values } = seenBy(filteredBy(view, filter), words(database))
    const rows = await readApart<{ id: string }>(
      database,
      `select files.id from files where ${text} and files.id > ? and files.id <= ? order by files.id limit ?`,
      [...values, after, last, PAGE],
    )
    return rows.map(({ id }) => id)
  }

  private async dealWith(job: LeasedJob, stored: Action, fileId: string, failed: string[]): Promise<void> {
    job.signal.throwIfAborted()
    const told = (trx: Trx, outcome: Outcome, code?: string) =>
      tellAudit(trx, job.subject, stored, { fileId, outcome, code })
    try {
      await this.act(stored, fileId, async trx => {
        await this.advance(trx, job, fileId)
        await told(trx, "success")
      })
    } catch (error) {
      // One that is gone, or that somebody took out of sight, is none of this job's files any more.
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const isGone = error.code === "not_found"
      if (!isGone && failed.length < MAX_FAILED) failed.push(fileId)
      await this.dependencies.database.transaction().execute(async trx => {
        await this.advance(trx, job, fileId, { by: isGone ? 0 : 1, failed })
        if (!isGone) await told(trx, error.code === "on_hold" ? "denied" : "failure", error.code)
      })
    }
  }

  private async act(
    { action, view, filter, patch = {}, receipt }: Action,
    fileId: string,
    also: (trx: Trx) => Promise<void>,
  ): Promise<unknown> {
    const { library } = this.dependencies
    const step = { only: filter, also }
    if (action === "delete") return library.delete(view, fileId, { ...step, receipt })
    return action === "reindex" ? library.reindex(view, fileId, step) : library.change(view, fileId, patch, step)
  }

  /** @throws where the lease is lost: whatever the transaction did is undone */
  private async advance(
    trx: Trx,
    job: LeasedJob,
    fileId: string,
    { by = 1, failed }: { by?: number; failed?: string[] } = {},
  ): Promise<void> {
    const { numUpdatedRows } = await trx
      .updateTable("file_jobs")
      .set(eb => ({
        done: eb("done", "+", by),
        cursor: fileId,
        ...(failed ? { failed: JSON.stringify(failed) } : {}),
      }))
      .where("id", "=", job.subject)
      .where(isHeld(job))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new Error("the lease of the job was lost")
  }

  /** What was to be done and is not there any more is not waited for: the total is then what was done. */
  private async end(job: LeasedJob, status: "completed" | "failed" | "cancelled"): Promise<void> {
    const { database, queue } = this.dependencies
    await database.transaction().execute(async trx => {
      await inOrder(trx, job.workspaceId)
      if ((await queue.complete(trx, [job])).length === 0) return
      const ended = await trx
        .updateTable("file_jobs")
        .set(eb => ({
          status,
          finished_at: new Date().toISOString(),
          request: "{}", // a filter or a patch may name what is gone now
          ...(status === "completed" ? { total: eb.ref("done") } : {}),
        }))
        .where("id", "=", job.subject)
        .returning(["id", "kind", "done", "receipt_id", "owner_id", "maker", "end_user"])
        .executeTakeFirst()
      if (!ended) return
      const { id, kind, done, receipt_id, ...seenBy } = ended
      if (receipt_id && !(await closeReceipt(trx, receipt_id)))
        await trx.updateTable("file_jobs").set({ receipt_id: null }).where("id", "=", id).execute()
      await emit(trx, job.workspaceId, [{ type: "job.completed", data: { id, kind, status, done }, seenBy }])
    })
  }
}

const AUDITED = { delete: "file.delete", reindex: "file.reindex", patch: "file.update" } as const satisfies Record<
  BulkAction,
  AuditAction
>

interface Dealt {
  fileId: string
  outcome: Outcome
  /** Of what it was refused or failed with. */
  code: string | undefined
}

/** A row of each file, as of a request about it. */
const tellAudit = (
  trx: Trx,
  jobId: string,
  { action, view }: Stored,
  { fileId, outcome, code }: Dealt,
): Promise<void> =>
  tell(trx, {
    workspaceId: view.workspaceId,
    action: AUDITED[action],
    outcome,
    actor: actorOfView(view),
    resourceType: "file",
    resourceId: fileId,
    details: { job_id: jobId, ...(code === undefined ? {} : { code }) },
  })

/** Forgets what ended long ago. @throws AppError overloaded */
async function makeRoom(trx: Trx, workspaceId: string): Promise<void> {
  const before = new Date(Date.now() - KEPT_MS).toISOString()
  await trx.deleteFrom("file_jobs").where("workspace_id", "=", workspaceId).where("finished_at", "<", before).execute()
  const { waiting } = await trx
    .selectFrom("file_jobs")
    .select(sql<number>`count(*)`.as("waiting"))
    .where("workspace_id", "=", workspaceId)
    .where("status", "in", ["queued", "running"])
    .executeTakeFirstOrThrow()
  if (Number(waiting) >= MAX_UNFINISHED)
    throw new AppError("overloaded", { message: "too many jobs of this workspace wait already", retryAfter: 30 })
}
