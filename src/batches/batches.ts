/**
 * Batches: many requests that nobody waits for. `worker.ts` carries them out.
 *
 *   validating   the input is read, line by line             ← created
 *   in_progress  its requests are carried out                ← the input is good
 *   cancelling   requests under way are given up             ← asked for, from either of those
 *   finalizing   output and error files are written          ← all is answered, cancelled, out of time, or without rights
 *   completed | failed | expired | cancelled                 ← the files are there; `failed` at once for a bad input
 *
 * A batch acts for the key, token or user that made it, with what those may do at the moment of each request; it ends with
 * them.
 */
import { ownedBy, ownerColumns } from "../access/owner.ts"
import type { Principal } from "../access/principal.ts"
import type { View } from "../access/view.ts"
import { AppError, invalid } from "../errors.ts"
import { noteRemoved } from "../governance/receipts/removals.ts"
import { newId } from "../id.ts"
import type { JobQueue } from "../jobs/queue.ts"
import { type IdPage, type IdPageRequest, readingOf } from "../library/id-pages.ts"
import type { BatchesTable } from "../storage/batches.ts"
import type { Database, Trx } from "../storage/database.ts"
import { type Idempotency, type IdempotentRequest, note } from "../storage/idempotency.ts"
import { inOrder } from "../storage/shared.ts"
import { durationMs } from "../timing.ts"
import { BATCH_PURPOSE, type BatchFile, type BatchFiles } from "./files.ts"
import { MAX_INPUT_BYTES } from "./input.ts"
import { type BatchRecord, toBatchRecord, UNDER_WAY } from "./record.ts"
import { TARGET_URLS, targetUrl } from "./targets.ts"

export const CARRY_OUT_BATCH = "batch"

const DEFAULT_WINDOW = "24h"
const MAX_WINDOW = "7d"
/** Batches of a workspace that are under way. */
const MAX_UNDER_WAY = 100
/** What OpenAI's own takes. */
const MAX_METADATA = { pairs: 16, key: 64, value: 512 }

export interface NewBatch {
  inputFileId: string
  /** What all lines call; undefined: each what it likes. */
  endpoint?: string | undefined
  completionWindow?: string | undefined
  metadata?: Record<string, string> | undefined
}

export class Batches {
  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
    readonly files: BatchFiles,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * A repetition is answered with the batch that the first request made, as it stands now.
   * @throws AppError invalid_request; not_found for an input that the caller does not see; overloaded; conflict for a key
   *   of another request
   */
  create(principal: Principal, given: NewBatch, repetition: IdempotentRequest | undefined): Promise<BatchRecord> {
    return this.idempotency.once(
      repetition,
      () => this.createNew(principal, given, repetition),
      id => this.get(principal.view, id),
    )
  }

  private async createNew(
    { view, holderId }: Principal,
    given: NewBatch,
    repetition: IdempotentRequest | undefined,
  ): Promise<BatchRecord> {
    const { inputFileId, completionWindow = DEFAULT_WINDOW, metadata } = given
    const endpoint = given.endpoint === undefined ? null : (targetUrl(given.endpoint) ?? null)
    if (given.endpoint !== undefined && endpoint === null)
      throw invalid("endpoint", `must be one of ${TARGET_URLS.join(", ")}`)
    const windowMs = windowOf(completionWindow)
    checkMetadata(metadata)
    const now = Date.now()
    const { workspaceId } = view
    const row: BatchesTable = {
      id: newId("batch"),
      workspace_id: workspaceId,
      holder_id: holderId,
      endpoint,
      completion_window: completionWindow,
      metadata: metadata ? JSON.stringify(metadata) : null,
      input_file_id: inputFileId,
      status: "validating",
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + windowMs).toISOString(),
      ...NOTHING_YET,
      ...ownerColumns(view, view.author?.endUser ?? null),
    }
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, workspaceId)
      checkInputFile(await this.files.find(view, inputFileId, trx))
      await refuseMany(trx, workspaceId)
      await trx.insertInto("batches").values(row).execute()
      if (repetition) await note(trx, repetition, row.id)
      await this.queue.enqueue(trx, [jobOf(row)])
    })
    this.queue.announce()
    return toBatchRecord(row)
  }

  /** @throws AppError not_found, also for a batch that the caller does not see */
  async get(view: View, id: string): Promise<BatchRecord> {
    const row = await this.seen(view).where("id", "=", id).executeTakeFirst()
    if (!row) throw noSuchBatch()
    return toBatchRecord(row)
  }

  async list(view: View, request: IdPageRequest): Promise<IdPage<BatchRecord>> {
    const { cursor, direction, compares, rows, page } = readingOf(request)
    const read = await this.seen(view)
      .$if(cursor !== undefined, query => query.where("id", compares, cursor!))
      .orderBy("id", direction)
      .limit(rows)
      .execute()
    const { items, hasMore } = page(read)
    return { items: items.map(toBatchRecord), hasMore }
  }

  /** What is answered stays; one that is ending already, or has ended, is left as it is. @throws AppError not_found; conflict */
  async cancel(view: View, id: string): Promise<BatchRecord> {
    const changed = await this.database
      .updateTable("batches")
      .set({ status: "cancelling", cancelling_at: new Date().toISOString() })
      .where("id", "=", id)
      .where(ownedBy(view, "batches"))
      .where("status", "in", ["validating", "in_progress"])
      .executeTakeFirst()
    const record = await this.get(view, id)
    if (changed.numUpdatedRows === 0n && !["cancelling", "cancelled"].includes(record.status))
      throw new AppError("conflict", { message: `the batch is ${record.status} already` })
    await this.queue.hurry(CARRY_OUT_BATCH, id)
    return record
  }

  /**
   * Removes a batch that has ended, and cancels one that has not. Its files stay.
   * @param receipt that is told of it
   * @throws AppError not_found; conflict until it has ended
   */
  async remove(view: View, id: string, receipt: string): Promise<void> {
    const { status } = await this.get(view, id)
    if (UNDER_WAY.some(each => each === status)) {
      await this.cancel(view, id)
      throw new AppError("conflict", { message: "the batch is yet to end" })
    }
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      const { numDeletedRows } = await trx
        .deleteFrom("batches")
        .where("id", "=", id)
        .where(ownedBy(view, "batches"))
        .where("status", "not in", UNDER_WAY)
        .executeTakeFirst()
      if (numDeletedRows === 0n) throw noSuchBatch()
      await noteRemoved(trx, view, [{ kind: "batch", id }], receipt)
    })
  }

  private seen(view: View) {
    return this.database.selectFrom("batches").selectAll().where(ownedBy(view, "batches"))
  }
}

/** Columns of a batch that has just been made. */
const NOTHING_YET = {
  output_file_id: null,
  error_file_id: null,
  outcome: null,
  errors: null,
  total: 0,
  completed: 0,
  failed: 0,
  answer_bytes: 0,
  in_progress_at: null,
  finalizing_at: null,
  cancelling_at: null,
  finished_at: null,
}

const jobOf = ({ id, workspace_id }: Pick<BatchesTable, "id" | "workspace_id">) =>
  ({ task: CARRY_OUT_BATCH, subject: id, workspaceId: workspace_id, lane: "ordinary" }) as const

/** @throws AppError invalid_request */
function windowOf(text: string): number {
  const ms = durationMs(text)
  if (ms === undefined || ms < durationMs("1m")! || ms > durationMs(MAX_WINDOW)!)
    throw invalid("completion_window", `must be a time such as ${DEFAULT_WINDOW}, from 1m to ${MAX_WINDOW}`)
  return ms
}

/** @throws AppError invalid_request */
function checkMetadata(metadata: Record<string, string> | undefined): void {
  const { pairs, key: longestKey, value: longestValue } = MAX_METADATA
  const entries = Object.entries(metadata ?? {})
  const isTooLong = ([key, value]: [string, string]) => key.length > longestKey || value.length > longestValue
  if (entries.length > pairs || entries.some(isTooLong))
    throw invalid(
      "metadata",
      `must hold at most ${pairs} texts, with keys of ${longestKey} and values of ${longestValue} characters`,
    )
}

function checkInputFile(file: BatchFile | undefined): void {
  if (!file) throw new AppError("not_found", { message: "input_file_id: there is no such file for batches" })
  if (file.purpose !== BATCH_PURPOSE)
    throw invalid("input_file_id", `must have been uploaded with purpose ${BATCH_PURPOSE}`)
  if (file.size > MAX_INPUT_BYTES) throw invalid("input_file_id", `must have at most ${MAX_INPUT_BYTES} bytes`)
}

async function refuseMany(trx: Trx, workspaceId: string): Promise<void> {
  const { count } = await trx
    .selectFrom("batches")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .where("workspace_id", "=", workspaceId)
    .where("status", "in", UNDER_WAY)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_UNDER_WAY)
    throw new AppError("overloaded", { message: "too many batches of this workspace are under way", retryAfter: 60 })
}

const noSuchBatch = (): AppError => new AppError("not_found", { message: "there is no such batch" })
