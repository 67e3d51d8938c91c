/**
 * Syncs as jobs of the durable queue: list what there is, note what is to be done, do it, end. A job works on one source,
 * for a slice of time, and then goes behind the others, so that a source with a hundred thousand files holds up none. What a
 * kill cuts off the next attempt goes on with: see `syncs.ts`.
 */
import { isNarrow } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { isUsedUp, type JobQueue, type NewJob } from "../jobs/queue.ts"
import type { JobFailure, LeasedJob } from "../jobs/worker.ts"
import type { Library } from "../library/library.ts"
import type { Uploads } from "../library/uploads.ts"
import { log } from "../log.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { Sealer } from "../storage/sealed.ts"
import { inOrder } from "../storage/shared.ts"
import { Lru } from "../threads/lru.ts"
import { type Connector, type ConnectorParts, Emptied, type Entry, Outage } from "./connector.ts"
import type { SourceFolders } from "./folders.ts"
import { Intake } from "./intake.ts"
import { judgeOf } from "./judging.ts"
import { heldSource, Stopped } from "./lease.ts"
import { Listing, type ListingCounts, type ListingRules } from "./listing.ts"
import { moveFiles } from "./moving.ts"
import { relabel } from "./relabel.ts"
import { deleteGone, removeSource } from "./removing.ts"
import { connect, filing, kindOf, type SourceRow, type SyncRow } from "./source.ts"
import { beginSync, count, endSync, isUnfinished, listed, type SyncError } from "./syncs.ts"
import { Taking } from "./taking.ts"

export const SYNC_SOURCE = "sync_source"

export interface SyncParts {
  database: Database
  queue: JobQueue
  library: Library
  uploads: Uploads
  sealer: Sealer
  folders: SourceFolders
  /** Files that are read at the same time. */
  readers: number
  partsOf(source: SourceRow): ConnectorParts
  /** Whether something failed for the sake of our own disk or engine alone. */
  isStoresFault(error: unknown): Promise<boolean>
}

export const syncJob = (sourceId: string, workspaceId: string): NewJob => ({
  task: SYNC_SOURCE,
  subject: sourceId,
  workspaceId,
  lane: "ordinary",
})

/** How long one source is worked on while others wait. */
const SLICE_MS = 15_000
/** The others that wait are older then. */
const BEHIND_MS = 50
/** Sources whose files in the queue are counted. */
const MAX_INTAKES = 1_000
/** Entries seen between two writes. */
const NOTE_EVERY = 1_000

export class SyncJobs {
  private readonly intakes = new Lru<string, Intake>({ entries: MAX_INTAKES })

  constructor(private readonly parts: SyncParts) {}

  /** The handler of its jobs. */
  handle = async (jobs: readonly LeasedJob[]): Promise<JobFailure[]> => {
    const failures: JobFailure[] = []
    for (const job of jobs) await this.carryOut(job).catch(error => failures.push({ job, error }))
    return failures
  }

  /** @throws what is the fault of our stores, and the reason of the job's signal */
  private async carryOut(job: LeasedJob): Promise<void> {
    const { database } = this.parts
    const source = await database.selectFrom("sources").selectAll().where("id", "=", job.subject).executeTakeFirst()
    if (source?.removal) await removeSource(this.parts, source.id, job.signal)
    if (!source || source.removal) return this.letGo(job)
    if (source.relabel) await relabel(database, source.id, job.signal)
    if (source.paused) return this.letGo(job)
    if (!kindOf(source.type).open) {
      await this.deleteGone(job, source, async () => {})
      return this.letGo(job)
    }
    try {
      if (isUsedUp(job)) throw new Error("the sync ended with the daemon again and again")
      await this.sync(job, source)
    } catch (error) {
      job.signal.throwIfAborted()
      if (error instanceof Stopped) return this.letGo(job)
      if (await this.parts.isStoresFault(error)) throw error
      await this.end(job, source, errorOf(error, source))
    }
  }

  private async sync(job: LeasedJob, { id, workspace_id }: SourceRow): Promise<void> {
    const { database, sealer, partsOf, queue } = this.parts
    const { source, sync } = await database.transaction().execute(async trx => {
      const held = await heldSource(trx, job, workspace_id)
      return { source: held, sync: await beginSync(trx, held) }
    })
    const credentials = source.credentials === null ? null : sealer.open(source.credentials, id)
    const connector = connect(source, credentials, partsOf(source))
    try {
      if (sync.phase === "listing") await this.list(job, source, sync, connector)
      const intake = this.intakes.get(id) ?? new Intake(database, this.parts.readers)
      this.intakes.set(id, intake)
      const taking = new Taking(this.parts, { source, syncId: sync.id, connector, job, intake })
      if (!(await taking.run(performance.now() + SLICE_MS))) {
        await queue.handBack(job, BEHIND_MS)
        return
      }
    } finally {
      await connector.close?.().catch(error => log.debug("a source did not close", { source: id, error }))
    }
    await this.deleteGone(job, source, trx => count(trx, sync.id, { deleted: 1 }))
    await this.end(job, source)
  }

  private deleteGone(
    job: LeasedJob,
    { id, workspace_id }: SourceRow,
    deleted: (trx: Trx) => Promise<void>,
  ): Promise<void> {
    const check = (trx: Trx) => heldSource(trx, job, workspace_id)
    return deleteGone(this.parts, { sourceId: id, workspaceId: workspace_id, check, deleted })
  }

  /** Whatever is thrown here deletes nothing. */
  private async list(job: LeasedJob, source: SourceRow, sync: SyncRow, connector: Connector): Promise<void> {
    const { database } = this.parts
    const check = async (trx: Trx) => void (await heldSource(trx, job, source.workspace_id))
    const listing = await Listing.begin(database, source.id, this.rulesOf(source, sync.forced === 1))
    await seeAll(listing, connector, job.signal, () => listing.note(database, check))
    const finished = listing.finish()
    await moveFiles(database, source, finished.moved, async (trx, files) => {
      await check(trx)
      await count(trx, sync.id, { updated: files })
    })
    await listing.noteGone(database, finished, check)
    await database.transaction().execute(async trx => {
      await check(trx)
      await listed(trx, sync.id, listing.counts, finished.guarded)
    })
  }

  /** How entries of the source are judged now. */
  rulesOf(source: SourceRow, forced: boolean): ListingRules {
    const judge = judgeOf(source, name => this.parts.uploads.refusalOf(name))
    // Where a filter may refuse a name each file is judged anew.
    const moves = kindOf(source.type).contentFingerprints === true && !isNarrow(filing(source).view)
    return { judge, deleteMissing: source.delete_missing === 1, forced, moves }
  }

  /** The end of a sync, and of its job; another one follows where somebody asked for it meanwhile. */
  private async end(job: LeasedJob, source: SourceRow, error?: SyncError): Promise<void> {
    const { database, queue } = this.parts
    await database
      .transaction()
      .execute(async trx => {
        const held = await heldSource(trx, job, source.workspace_id)
        await queue.complete(trx, [job])
        // One that failed before it began is a sync all the same.
        await endSync(trx, held, (await beginSync(trx, held)).id, error)
        if (held.again || held.relabel) await queue.enqueueIfNone(trx, syncJob(source.id, source.workspace_id))
      })
      .catch(failure => {
        if (!(failure instanceof Stopped)) throw failure
        return this.letGo(job)
      })
    queue.announce()
  }

  /** Nothing is to be done, or not now; unless somebody has asked for something meanwhile, who found this job at work. */
  private async letGo(job: LeasedJob): Promise<void> {
    const { database, queue } = this.parts
    await database.transaction().execute(async trx => {
      await inOrder(trx, job.workspaceId)
      if ((await queue.complete(trx, [job])).length === 0) return
      const source = await trx.selectFrom("sources").selectAll().where("id", "=", job.subject).executeTakeFirst()
      if (source && (await isWanted(trx, source))) await queue.enqueueIfNone(trx, syncJob(source.id, job.workspaceId))
    })
    queue.announce()
  }
}

/** Whether a job has something to do with the source as it is now. */
async function isWanted(trx: Trx, source: SourceRow): Promise<boolean> {
  if (source.removal || source.relabel) return true
  return !source.paused && kindOf(source.type).open !== undefined && (await isUnfinished(trx, source))
}

/**
 * Shows every entry to the listing.
 * @param note called again and again, and at the end
 * @param saw told what is to become of each
 * @throws what the connector throws
 */
export async function seeAll(
  listing: Listing,
  connector: Connector,
  signal: AbortSignal,
  note: () => Promise<void>,
  saw: (entry: Entry, kind: keyof ListingCounts | undefined) => void = () => {},
): Promise<void> {
  try {
    for await (const entry of connector.list(signal)) {
      saw(entry, listing.see(entry))
      if (listing.waiting >= NOTE_EVERY) await note()
    }
  } catch (error) {
    if (!(error instanceof Emptied) || !listing.mayBeEmpty) throw error
  }
  signal.throwIfAborted()
  await note()
}

/**
 * As users see it. The log has the code, not the words, which may name files; and what nobody foresaw, of which users see
 * nothing.
 */
function errorOf(error: unknown, { id }: SourceRow): SyncError {
  const known = error instanceof AppError || error instanceof Outage
  const code = error instanceof AppError ? error.code : "source_unavailable"
  log.warn("a source could not be synced", known ? { source: id, code } : { source: id, error })
  return { code, message: known ? error.message : "the source could not be read" }
}
