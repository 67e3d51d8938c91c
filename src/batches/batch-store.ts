/** Batches at work, in the database. Whoever writes holds the job of the batch: where the lease is lost, nothing is written. */
import { sql } from "kysely"
import { emit } from "../events/outbox.ts"
import { isHeld } from "../jobs/claim.ts"
import type { JobQueue } from "../jobs/queue.ts"
import type { LeasedJob } from "../jobs/worker.ts"
import type { BatchesTable, BatchLinesTable, BatchStatus } from "../storage/batches.ts"
import type { Database, Trx } from "../storage/database.ts"
import { inOrder, timeOf } from "../storage/shared.ts"
import type { BatchFile } from "./files.ts"
import type { InputLine, LineProblem } from "./input.ts"

export type BatchLine = BatchLinesTable

/** How a batch ends. */
export type BatchEnd = "completed" | "failed" | "expired" | "cancelled"

/** Some 6 values a row; SQLite takes 32 766. */
const LINES_PER_INSERT = 1_000
/** Answers read at a time: each may have 16 MB. */
const ANSWERS_PER_PAGE = 8

const BEHIND_THE_LEASE = "the lease of the batch was lost"

export class BatchStore {
  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
  ) {}

  find(id: string): Promise<BatchesTable | undefined> {
    return this.database.selectFrom("batches").selectAll().where("id", "=", id).executeTakeFirst()
  }

  inputOf({ input_file_id: id }: BatchesTable): Promise<BatchFile | undefined> {
    return this.database.selectFrom("batch_files").selectAll().where("id", "=", id).executeTakeFirst()
  }

  /** The lines of a good input: they may be carried out from now on. */
  async begin(job: LeasedJob, batch: BatchesTable, lines: readonly InputLine[]): Promise<void> {
    const urls = new Set(lines.map(({ url }) => url))
    await this.database.transaction().execute(async trx => {
      await trx.deleteFrom("batch_lines").where("batch_id", "=", batch.id).execute()
      for (let at = 0; at < lines.length; at += LINES_PER_INSERT)
        await trx
          .insertInto("batch_lines")
          .values(lines.slice(at, at + LINES_PER_INSERT).map(line => ({ batch_id: batch.id, ...line })) as BatchLine[])
          .execute()
      const now = new Date().toISOString()
      // One that was cancelled meanwhile stays so; its lines are told in the error file.
      await trx
        .updateTable("batches")
        .set({ status: "in_progress" })
        .where("id", "=", batch.id)
        .where("status", "=", "validating")
        .execute()
      const endpoint = batch.endpoint ?? (urls.size === 1 ? [...urls][0]! : null)
      await this.change(trx, job, { in_progress_at: now, total: lines.length, endpoint })
    })
  }

  /** Lines that are due and have no answer, those first that waited longest. */
  waiting(batchId: string, except: readonly number[], limit: number): Promise<BatchLine[]> {
    return this.database
      .selectFrom("batch_lines")
      .selectAll()
      .where("batch_id", "=", batchId)
      .where("answer", "is", null)
      .where("due_at", "<=", timeOf(this.database))
      .$if(except.length > 0, query => query.where("line", "not in", except))
      .orderBy("due_at")
      .orderBy("line")
      .limit(limit)
      .execute()
  }

  /** When the next line without an answer is due; undefined where there is none. */
  async nextDue(batchId: string): Promise<string | undefined> {
    const row = await this.database
      .selectFrom("batch_lines")
      .select(eb => eb.fn.min("due_at").as("due_at"))
      .where("batch_id", "=", batchId)
      .where("answer", "is", null)
      .executeTakeFirst()
    return row?.due_at ?? undefined
  }

  /** Before it is carried out, so that a later try knows of this one. */
  async changeLine(job: LeasedJob, { batch_id, line }: BatchLine, change: Partial<BatchLine>): Promise<void> {
    const { numUpdatedRows } = await this.database
      .updateTable("batch_lines")
      .set(change)
      .where("batch_id", "=", batch_id)
      .where("line", "=", line)
      .where("answer", "is", null)
      .where(isHeld(job))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new Error(BEHIND_THE_LEASE)
  }

  /** Puts lines off that could not be carried out now. */
  async putOff(job: LeasedJob, line: BatchLine, waitMs: number): Promise<void> {
    const due = timeOf(this.database, waitMs) as unknown as string
    await this.changeLine(job, line, { begun: 0, tries: line.tries + 1, due_at: due })
  }

  /** The answer of a line: once. */
  async record(job: LeasedJob, line: BatchLine, answer: string, isError: boolean): Promise<void> {
    await this.database.transaction().execute(async trx => {
      const { numUpdatedRows } = await trx
        .updateTable("batch_lines")
        .set({ answer, is_error: Number(isError) })
        .where("batch_id", "=", line.batch_id)
        .where("line", "=", line.line)
        .where("answer", "is", null)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw new Error("the line has an answer already")
      const counted = isError ? ("failed" as const) : ("completed" as const)
      await this.change(trx, job, {
        [counted]: sql<number>`${sql.ref(counted)} + 1`,
        answer_bytes: sql<number>`answer_bytes + ${Buffer.byteLength(answer)}`,
      } as object)
    })
  }

  /** From here on the files are written; `errors` say why it ends before its end. */
  async finalize(job: LeasedJob, outcome: BatchEnd, errors: readonly LineProblem[] = []): Promise<void> {
    await this.database.transaction().execute(trx =>
      this.change(trx, job, {
        status: "finalizing",
        outcome,
        finalizing_at: new Date().toISOString(),
        ...(errors.length > 0 ? { errors: JSON.stringify(errors) } : {}),
      }),
    )
  }

  /** Answers for one of the files, in the order of the lines; those without one are null. */
  async *answers(batchId: string, of: "output" | "errors"): AsyncGenerator<Pick<BatchLine, "custom_id" | "answer">> {
    for (let after = 0; ; ) {
      const page = await this.database
        .selectFrom("batch_lines")
        .select(["line", "custom_id", "answer"])
        .where("batch_id", "=", batchId)
        .where("line", ">", after)
        .where(eb =>
          of === "output" ? eb("is_error", "=", 0) : eb.or([eb("is_error", "=", 1), eb("answer", "is", null)]),
        )
        .orderBy("line")
        .limit(ANSWERS_PER_PAGE)
        .execute()
      yield* page
      if (page.length < ANSWERS_PER_PAGE) return
      after = page.at(-1)!.line
    }
  }

  /** With its files, its event, and the end of its job, or nothing of all that. */
  async end(
    job: LeasedJob,
    batch: BatchesTable,
    status: BatchEnd,
    { output, errorFile, errors }: { output?: BatchFile; errorFile?: BatchFile; errors?: readonly LineProblem[] } = {},
  ): Promise<void> {
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, batch.workspace_id)
      const files = [output, errorFile].filter(file => file !== undefined)
      if (files.length > 0) await trx.insertInto("batch_files").values(files).execute()
      await this.change(trx, job, {
        status,
        output_file_id: output?.id ?? null,
        error_file_id: errorFile?.id ?? null,
        finished_at: new Date().toISOString(),
        ...(errors ? { errors: JSON.stringify(errors) } : {}),
      })
      await trx.deleteFrom("batch_lines").where("batch_id", "=", batch.id).execute()
      const { total, completed, failed } = batch
      const data = { id: batch.id, status, request_counts: { total, completed, failed } }
      const type = EVENTS[status]
      if (type) await emit(trx, batch.workspace_id, [{ type, data, seenBy: batch }])
      await this.queue.complete(trx, [job])
    })
  }

  /** The job of a batch that has ended, or is gone. */
  async forget(job: LeasedJob): Promise<void> {
    await this.database.transaction().execute(trx => this.queue.complete(trx, [job]))
  }

  /** @throws where the lease is lost: whatever the transaction did is undone */
  private async change(trx: Trx, job: LeasedJob, change: Partial<BatchesTable>): Promise<void> {
    const { numUpdatedRows } = await trx
      .updateTable("batches")
      .set(change)
      .where("id", "=", job.subject)
      .where(isHeld(job))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new Error(BEHIND_THE_LEASE)
  }
}

/** Who cancels a batch knows of it. */
const EVENTS = {
  completed: "batch.completed",
  failed: "batch.failed",
  expired: "batch.failed",
  cancelled: undefined,
} as const satisfies Record<BatchEnd & BatchStatus, unknown>
