/** Sources as their users see them: make, list, change, remove, sync. What a source does by itself is in `sync.ts`. */

import { refuseWider } from "../access/acl.ts"
import { checkContext } from "../access/context-id.ts"
import { stored } from "../access/limits.ts"
import { ownerColumns } from "../access/owner.ts"
import type { View } from "../access/view.ts"
import { AppError, invalid } from "../errors.ts"
import { newId } from "../id.ts"
import { contextIn } from "../library/outside.ts"
import type { Database, Executor, Trx } from "../storage/database.ts"
import { type Idempotency, type IdempotentRequest, note } from "../storage/idempotency.ts"
import { inOrder } from "../storage/shared.ts"
import { Gate } from "../threads/gate.ts"
import { type CoverageItem, type CoverageTotals, coverageOf } from "./coverage.ts"
import { type DryRun, rehearse } from "./dry-run.ts"
import { Fields } from "./fields.ts"
import { relabel } from "./relabel.ts"
import { removeSource } from "./removing.ts"
import { guarded, hasJob, refuseTooMany, rowOf, visible } from "./rows.ts"
import {
  checkType,
  columnsOf,
  connect,
  kindOf,
  limitsOf,
  type NewSource,
  type SourceChange,
  type SourceRecord,
  type SourceRow,
  type SyncRecord,
  type SyncRow,
  timingOf,
  toSourceRecord,
  toSyncRecord,
} from "./source.ts"
import { SYNC_SOURCE, type SyncJobs, type SyncParts, syncJob } from "./sync.ts"
import { isUnfinished, nextSync } from "./syncs.ts"

export interface SourcesDependencies extends Omit<SyncParts, "isStoresFault" | "readers"> {
  jobs: SyncJobs
  idempotency: Idempotency
}

export interface Page {
  page: number
  pageSize: number
}

/** Which files there are to be: what of a source decides it. */
const MEANING = ["config", "include", "exclude", "max_bytes", "delete_missing"] as const
/** Longest that the answer to a removal waits for the files to go; the rest goes in the background. */
const REMOVAL_PATIENCE_MS = 8_000

export class Sources {
  /** A dry run holds a listing in memory. */
  private readonly rehearsals = new Gate({
    places: 4,
    waiting: 16,
    refusal: "too many dry runs are under way",
    retryAfterSeconds: 10,
  })

  constructor(private readonly dependencies: SourcesDependencies) {}

  private get database(): Database {
    return this.dependencies.database
  }

  /**
   * A repetition is answered with the source that the first request made, as it stands now.
   * @throws AppError invalid_request naming the field; forbidden for a place that may not be read, or a context that the caller
   *   does not see; conflict for a key of another request
   */
  create(view: View, given: NewSource, repetition?: IdempotentRequest): Promise<SourceRecord> {
    return this.dependencies.idempotency.once(
      repetition,
      () => this.createNew(view, given, repetition),
      id => this.get(view, id),
    )
  }

  private async createNew(
    view: View,
    given: NewSource,
    repetition: IdempotentRequest | undefined,
  ): Promise<SourceRecord> {
    const { type: givenType, config = {}, credentials = null, ...settings } = given
    const type = checkType(givenType)
    const columns = columnsOf(settings)
    const contextId = contextIn(view, settings.context_id ? checkContext(settings.context_id) : null)
    const id = newId("src")
    const now = new Date().toISOString()
    const row: SourceRow = {
      id,
      workspace_id: view.workspaceId,
      type,
      name: "",
      ...(await this.placeOf({ id, type }, config, credentials)),
      context_id: contextId,
      tags: "[]",
      acl: null,
      include: "[]",
      exclude: "[]",
      max_bytes: null,
      schedule: null,
      timezone: null,
      delete_missing: 1,
      limits: limitsOf(view),
      ...ownerColumns(view, view.author?.endUser ?? null),
      paused: 0,
      outcome: null,
      outages: 0,
      next_sync_at: null,
      sync_id: null,
      again: 0,
      forced: 0,
      relabel: 0,
      removal: null,
      created_at: now,
      updated_at: now,
      ...columns,
    }
    const timing = timingOf(row)
    const isFetched = kindOf(type).open !== undefined
    if (timing && !isFetched) throw invalid("schedule", "does not go with a source that files are brought to")
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await refuseTooMany(trx, view.workspaceId)
      const next = timing && !("every" in timing) ? nextSync(trx, row, 0) : null
      await trx
        .insertInto("sources")
        .values({ ...row, next_sync_at: next })
        .execute()
      if (repetition) await note(trx, repetition, id)
      // What is due again and again is due now; what has set times waits for the first.
      if (timing && "every" in timing) await this.dependencies.queue.enqueueIfNone(trx, syncJob(id, view.workspaceId))
    })
    this.dependencies.queue.announce()
    return this.get(view, id)
  }

  /** Newest first. */
  async list(view: View, { page, pageSize }: Page): Promise<{ data: SourceRecord[]; total: number }> {
    const seen = () => this.database.selectFrom("sources").where(visible(this.database, view))
    const { total } = await seen()
      .select(eb => eb.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow()
    const rows = await seen()
      .selectAll()
      .orderBy("id", "desc")
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .execute()
    return { data: await this.recordsOf(rows), total: Number(total) }
  }

  /** @throws AppError not_found, also for one that the caller does not see */
  async get(view: View, id: string): Promise<SourceRecord> {
    return (await this.recordsOf([await this.find(view, id)]))[0]!
  }

  /** The row. @throws AppError not_found, also for one that the caller does not see */
  async find(view: View, id: string, executor: Executor = this.database): Promise<SourceRow> {
    const row = await executor
      .selectFrom("sources")
      .selectAll()
      .where("id", "=", id)
      .where(visible(executor, view))
      .executeTakeFirst()
    if (!row) throw new AppError("not_found", { message: "there is no such source" })
    return row
  }

  /**
   * Files that it has take over another context, other tags, another acl before this returns.
   * @throws AppError as `create`; invalid_request where credentials would go to a place that they were not given for
   */
  async change(view: View, id: string, change: SourceChange): Promise<SourceRecord> {
    const { config, credentials } = change
    const before = await this.find(view, id)
    const columns = columnsOf(change)
    if (config !== undefined || credentials !== undefined)
      Object.assign(columns, await this.placeOf(before, config ?? JSON.parse(before.config), credentials, before))
    if (change.context_id !== undefined)
      columns.context_id = contextIn(view, change.context_id === null ? null : checkContext(change.context_id))
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await this.write(trx, view, await this.find(view, id, trx), columns)
    })
    await relabel(this.database, id)
    this.dependencies.queue.announce()
    return this.get(view, id)
  }

  private async write(trx: Trx, view: View, row: SourceRow, columns: Partial<SourceRow>): Promise<void> {
    const changed = { ...row, ...columns }
    const timing = timingOf(changed)
    if (timing && !kindOf(row.type).open)
      throw invalid("schedule", "does not go with a source that files are brought to")
    if (columns.acl !== undefined && !view.mayWiden) refuseWider(stored(row.acl), stored(columns.acl))
    const isRelabeled = changed.context_id !== row.context_id || changed.tags !== row.tags || changed.acl !== row.acl
    const isReplanned = changed.schedule !== row.schedule || changed.timezone !== row.timezone
    const isResumed = row.paused === 1 && changed.paused === 0
    // Something else is meant now than what was found gone: the next sync judges anew, under the same guard.
    const isMeantAnew = row.outcome === "guarded" && MEANING.some(column => changed[column] !== row[column])
    await trx
      .updateTable("sources")
      .set({
        ...columns,
        updated_at: new Date().toISOString(),
        ...(isMeantAnew ? { outcome: null } : {}),
        ...(isRelabeled ? { relabel: 1, limits: limitsOf(view) } : {}),
        ...(isReplanned || isResumed ? { next_sync_at: nextSync(trx, changed, 0) } : {}),
      })
      .where("id", "=", row.id)
      .execute()
    // What a pause cut off goes on; and labels are given in any case, should this process end before it has done so.
    if (isRelabeled || (isResumed && (await isUnfinished(trx, row))))
      await this.dependencies.queue.enqueueIfNone(trx, syncJob(row.id, row.workspace_id))
  }

  /**
   * It is gone at once; its files go with it, or become files like others, within a few seconds or in the background.
   * @throws AppError not_found
   */
  async remove(view: View, id: string, deleteFiles: boolean): Promise<void> {
    const { queue } = this.dependencies
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await this.find(view, id, trx)
      await trx
        .updateTable("sources")
        .set({ removal: deleteFiles ? "delete_files" : "keep_files", credentials: null, next_sync_at: null })
        .where("id", "=", id)
        .execute()
      await queue.enqueueIfNone(trx, syncJob(id, view.workspaceId))
    })
    queue.announce()
    const removed = removeSource(this.dependencies, id)
    // The job does what this leaves.
    removed.catch(() => {})
    await Promise.race([removed, Bun.sleep(REMOVAL_PATIENCE_MS)])
  }

  /**
   * Asks for a sync; one that is under way is joined.
   * @throws AppError guarded until it is forced; conflict for one that is paused, or that files are brought to
   */
  async sync(
    view: View,
    id: string,
    { force }: { force: boolean },
  ): Promise<{ sync_id: string | null; status: "syncing" }> {
    await this.ask(id, { view, force, again: force })
    const { sync_id } = await this.find(view, id)
    return { sync_id, status: "syncing" }
  }

  /** Something there has changed: it is looked at once more, also where a sync is under way that may have been there before. */
  async changed(id: string): Promise<void> {
    await this.ask(id, { force: false, again: true }).catch(error => {
      if (!(error instanceof AppError)) throw error // removed, or paused
    })
  }

  /** What the last sync that ended took. */
  async lastDurationMs(id: string): Promise<number> {
    const sync = await this.database
      .selectFrom("source_syncs")
      .select(["started_at", "finished_at"])
      .where("source_id", "=", id)
      .where("finished_at", "is not", null)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst()
    return sync ? Date.parse(sync.finished_at!) - Date.parse(sync.started_at) : 0
  }

  private async ask(
    id: string,
    { view, force, again }: { view?: View; force: boolean; again: boolean },
  ): Promise<void> {
    const { queue } = this.dependencies
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, view?.workspaceId ?? (await rowOf(trx, id)).workspace_id)
      const row = view ? await this.find(view, id, trx) : await rowOf(trx, id)
      const isAsked = await hasJob(trx, id)
      if (!kindOf(row.type).open)
        throw new AppError("conflict", { message: "files are brought to this source: it fetches none" })
      if (row.paused) throw new AppError("conflict", { message: "the source is paused" })
      if (view && row.outcome === "guarded" && !force && !isAsked) throw guarded(await this.newest(trx, row))
      const set = { ...(force ? { forced: 1 } : {}), ...(again && isAsked ? { again: 1 } : {}) }
      if (Object.keys(set).length > 0) await trx.updateTable("sources").set(set).where("id", "=", id).execute()
      await queue.enqueueIfNone(trx, syncJob(id, row.workspace_id))
    })
    queue.announce()
  }

  /** What a sync would do, and nothing is done. @throws AppError conflict as `sync`; fetch_failed where it cannot be listed */
  async dryRun(view: View, id: string, { force }: { force: boolean }, signal: AbortSignal): Promise<DryRun> {
    const source = await this.find(view, id)
    const place = this.rehearsals.enter(view.workspaceId)
    try {
      await place.turn(signal)
      const { database, jobs } = this.dependencies
      const connector = this.connectorOf(source)
      return await rehearse(database, source, connector, jobs.rulesOf(source, force), signal).finally(() =>
        connector.close?.(),
      )
    } finally {
      place.leave()
    }
  }

  /** To be closed by who asked for it. */
  connectorOf(source: SourceRow) {
    const { sealer, partsOf } = this.dependencies
    const credentials = source.credentials === null ? null : sealer.open(source.credentials, source.id)
    return connect(source, credentials, partsOf(source))
  }

  /** Syncs, newest first. */
  async history(view: View, id: string, { page, pageSize }: Page): Promise<{ data: SyncRecord[]; total: number }> {
    await this.find(view, id)
    const syncs = () => this.database.selectFrom("source_syncs").where("source_id", "=", id)
    const { total } = await syncs()
      .select(eb => eb.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow()
    const rows = await syncs()
      .selectAll()
      .orderBy("id", "desc")
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .execute()
    return { data: rows.map(toSyncRecord), total: Number(total) }
  }

  /** Every key with what became of it, in the order of the keys. */
  async coverage(
    view: View,
    id: string,
    request: Page & { status?: readonly string[] | undefined },
  ): Promise<CoverageTotals & { items: CoverageItem[]; matched: number }> {
    await this.find(view, id)
    return coverageOf(this.database, id, request)
  }

  /**
   * Those that are to be watched for changes: what has no schedule syncs on request alone, so that who asks for a dry run, or
   * a sync, finds what he left there.
   */
  watched(types: readonly string[]): Promise<SourceRow[]> {
    return this.database
      .selectFrom("sources")
      .selectAll()
      .where("type", "in", types)
      .where("paused", "=", 0)
      .where("removal", "is", null)
      .where("schedule", "is not", null)
      .where("sync_id", "is not", null)
      .execute()
  }

  /** Columns of where it is. `credentials`: undefined keeps those of `before`, null takes them away. */
  private async placeOf(
    source: Pick<SourceRow, "id" | "type">,
    config: Record<string, unknown>,
    credentials: Record<string, unknown> | null | undefined,
    before?: SourceRow,
  ): Promise<Pick<SourceRow, "config" | "credentials">> {
    const { sealer, partsOf } = this.dependencies
    const kind = kindOf(source.type)
    const fields = new Fields("config", config)
    const checked = kind.config(fields)
    fields.end()
    await kind.admit?.(checked, partsOf(source as SourceRow))
    const text = JSON.stringify(checked)
    if (credentials === undefined && before) {
      const placeOf = kind.place ?? JSON.stringify
      const isElsewhere = before.credentials !== null && placeOf(checked) !== placeOf(JSON.parse(before.config))
      if (isElsewhere) throw invalid("credentials", "must be given anew for another place")
      return { config: text, credentials: before.credentials }
    }
    if (!credentials) return { config: text, credentials: null }
    if (!kind.credentials) throw invalid("credentials", "do not go with this type of source")
    const secret = new Fields("credentials", credentials)
    const given = kind.credentials(secret)
    secret.end()
    return { config: text, credentials: sealer.seal(JSON.stringify(given), source.id) }
  }

  /**
   * Jobs are looked at first and rows once more after them: a sync that ends between would otherwise be shown as ended with the
   * outcome of the one before.
   */
  private async recordsOf(found: readonly SourceRow[]): Promise<SourceRecord[]> {
    if (found.length === 0) return []
    const ids = found.map(({ id }) => id)
    const asked = await this.database
      .selectFrom("jobs")
      .select("subject")
      .where("task", "=", SYNC_SOURCE)
      .where("subject", "in", ids)
      .execute()
    const isAsked = new Set(asked.map(({ subject }) => subject))
    const present = await this.database.selectFrom("sources").selectAll().where("id", "in", ids).execute()
    const rows = found.map(row => present.find(({ id }) => id === row.id) ?? row)
    const syncIds = rows.flatMap(({ sync_id }) => sync_id ?? [])
    const syncs = syncIds.length
      ? await this.database.selectFrom("source_syncs").selectAll().where("id", "in", syncIds).execute()
      : []
    return rows.map(row =>
      toSourceRecord(
        row,
        syncs.find(({ id }) => id === row.sync_id),
        isAsked.has(row.id),
      ),
    )
  }

  private async newest(trx: Trx, { sync_id }: SourceRow): Promise<SyncRow | undefined> {
    return trx.selectFrom("source_syncs").selectAll().where("id", "=", sync_id).executeTakeFirst()
  }
}
