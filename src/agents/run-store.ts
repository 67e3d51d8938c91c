/** The rows of runs and steps; what is written to them has passed the guard of its run. Every write is one transaction; a run leaves `running` once, whoever comes first. */
import { sql } from "kysely"
import type { ErrorBody } from "../errors.ts"
import type { Guarded } from "../guarded.ts"
import { newId } from "../id.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { Warning } from "../storage/document.ts"
import { IDEMPOTENCY_MS } from "../storage/idempotency.ts"
import type { RunStatus } from "../storage/runs.ts"
import type { Citation } from "./passages.ts"
import { type FinishReason, type RunRow, type RunSummary, type StepRow, toRunSummary } from "./run-record.ts"

/** What a new run is about. */
export interface RunDescription {
  task: string
  model: string
  /** What was asked for, as far as it is not a column of its own. */
  request: {
    tools: string[]
    file_ids: string[]
    context_id: string | null
    max_steps: number
    output_schema: Record<string, unknown> | null
    redaction: boolean
  }
  additionalMetadata: Record<string, unknown>
  nerCount: number
}

export interface NewRun {
  workspaceId: string
  keyId: string
  described: Guarded<RunDescription>
  startedAt: Date
  deadlineAt: Date
  idempotencyKey: string | null
  requestHash: string
}

export interface RunOutcome {
  status: Exclude<RunStatus, "running">
  output: string
  structuredOutput: unknown
  citations: Citation[]
  finishReason: FinishReason
  error: ErrorBody | null
  warnings: Warning[]
  usage: { prompt_tokens: number; completion_tokens: number }
  nerCount: number
}

export interface StepOutcome {
  result: string
  isError: boolean
  durationMs: number
}

/** A call as a step keeps it. */
export interface StepCall {
  id: string
  name: string
  arguments: unknown
}

export interface BegunStep {
  call: Guarded<StepCall>
  startedAt: string
}

export class RunStore {
  constructor(private readonly database: Database) {}

  /** @returns the id of the new run, or the run that this idempotency key already started */
  async insert(run: NewRun): Promise<{ id: string } | { earlier: RunRow }> {
    const { described } = run
    return this.database.transaction().execute(async trx => {
      const earlier =
        run.idempotencyKey === null
          ? undefined
          : await this.claim(trx, run.workspaceId, run.idempotencyKey, run.startedAt)
      if (earlier) return { earlier }
      const id = newId("run")
      await trx
        .insertInto("agent_runs")
        .values({
          id,
          workspace_id: run.workspaceId,
          key_id: run.keyId,
          status: "running",
          task: described.task,
          model: described.model,
          request: JSON.stringify(described.request),
          additional_metadata: JSON.stringify(described.additionalMetadata),
          output: "",
          structured_output: null,
          citations: "[]",
          finish_reason: null,
          error: null,
          warnings: "[]",
          prompt_tokens: 0,
          completion_tokens: 0,
          ner_count: described.nerCount,
          started_at: run.startedAt.toISOString(),
          deadline_at: run.deadlineAt.toISOString(),
          finished_at: null,
          event_count: 1, // run_started
          idempotency_key: run.idempotencyKey,
          request_hash: run.requestHash,
        })
        .execute()
      return { id }
    })
  }

  /** The run that this idempotency key started within the last day. */
  async findByIdempotencyKey(workspaceId: string, key: string, now: Date): Promise<RunRow | undefined> {
    const row = await this.database
      .selectFrom("agent_runs")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("idempotency_key", "=", key)
      .executeTakeFirst()
    return row && now.getTime() - Date.parse(row.started_at) < IDEMPOTENCY_MS ? row : undefined
  }

  /** The run that holds this idempotency key; one older than a day lets go of it. */
  private async claim(trx: Trx, workspaceId: string, key: string, now: Date): Promise<RunRow | undefined> {
    const row = await trx
      .selectFrom("agent_runs")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("idempotency_key", "=", key)
      .executeTakeFirst()
    if (!row) return undefined
    if (now.getTime() - Date.parse(row.started_at) < IDEMPOTENCY_MS) return row
    await trx.updateTable("agent_runs").set({ idempotency_key: null }).where("id", "=", row.id).execute()
    return undefined
  }

  /**
   * Writes calls that began and results that came, in one commit; a step may be in both. A run that has ended has
   * closed its steps: nothing is written then.
   */
  async saveSteps(
    runId: string,
    begun: Map<number, BegunStep>,
    ended: Map<number, Guarded<StepOutcome>>,
  ): Promise<void> {
    await this.database.transaction().execute(async trx => {
      const run = await trx
        .selectFrom("agent_runs")
        .select(["status", "event_count"])
        .where("id", "=", runId)
        .executeTakeFirst()
      if (run?.status !== "running") return
      let event = run.event_count
      const rows = new Map<number, StepRow>()
      for (const [step, each] of begun) rows.set(step, newStep(runId, step, each, ++event))
      for (const [step, outcome] of ended) {
        const result = { ...resultColumns(outcome), finished_event: ++event }
        const row = rows.get(step)
        if (row) Object.assign(row, result)
        else
          await trx
            .updateTable("agent_steps")
            .set(result)
            .where("run_id", "=", runId)
            .where("step", "=", step)
            .execute()
      }
      if (rows.size > 0)
        await trx
          .insertInto("agent_steps")
          .values([...rows.values()])
          .execute()
      await trx.updateTable("agent_runs").set({ event_count: event }).where("id", "=", runId).execute()
    })
  }

  /** @returns false when the run had already ended: nothing is changed then */
  async finish(runId: string, outcome: Guarded<RunOutcome>, openStepResult: string): Promise<boolean> {
    return this.database.transaction().execute(async trx => {
      const { numUpdatedRows } = await trx
        .updateTable("agent_runs")
        .set({
          status: outcome.status,
          output: outcome.output,
          structured_output: outcome.structuredOutput === undefined ? null : JSON.stringify(outcome.structuredOutput),
          citations: JSON.stringify(outcome.citations),
          finish_reason: outcome.finishReason,
          error: outcome.error && JSON.stringify(outcome.error),
          warnings: JSON.stringify(outcome.warnings),
          prompt_tokens: outcome.usage.prompt_tokens,
          completion_tokens: outcome.usage.completion_tokens,
          ner_count: outcome.nerCount,
          finished_at: new Date().toISOString(),
        })
        .where("id", "=", runId)
        .where("status", "=", "running")
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return false
      await this.closeSteps(trx, runId, openStepResult)
      return true
    })
  }

  /** Runs that were alive when the process died; their model and tools are gone, so they cannot go on. */
  async failInterrupted(error: ErrorBody): Promise<number> {
    const alive = await this.database.selectFrom("agent_runs").select("id").where("status", "=", "running").execute()
    for (const { id } of alive)
      await this.database.transaction().execute(async trx => {
        await trx
          .updateTable("agent_runs")
          .set({
            status: "failed",
            finish_reason: "error",
            error: JSON.stringify(error),
            finished_at: new Date().toISOString(),
          })
          .where("id", "=", id)
          .where("status", "=", "running")
          .execute()
        await this.closeSteps(trx, id, "The call was interrupted: the daemon stopped.")
      })
    return alive.length
  }

  async find(runId: string): Promise<{ row: RunRow; steps: StepRow[] } | undefined> {
    const row = await this.database.selectFrom("agent_runs").selectAll().where("id", "=", runId).executeTakeFirst()
    if (!row) return undefined
    const steps = await this.database
      .selectFrom("agent_steps")
      .selectAll()
      .where("run_id", "=", runId)
      .orderBy("step")
      .execute()
    return { row, steps }
  }

  /** @returns false for a run that has not ended: it stays */
  async delete(runId: string): Promise<boolean> {
    const { numDeletedRows } = await this.database
      .deleteFrom("agent_runs")
      .where("id", "=", runId)
      .where("status", "!=", "running")
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  /** Newest first. */
  async list(
    workspaceId: string,
    request: { statuses?: RunStatus[]; page: number; pageSize: number },
  ): Promise<{ data: RunSummary[]; total: number }> {
    let query = this.database.selectFrom("agent_runs").where("workspace_id", "=", workspaceId)
    if (request.statuses) query = query.where("status", "in", request.statuses)
    const { total } = await query.select(eb => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
    const rows = await query
      .selectAll()
      .select(sql<number>`(select count(*) from agent_steps where run_id = agent_runs.id)`.as("step_count"))
      .orderBy("id", "desc")
      .limit(request.pageSize)
      .offset((request.page - 1) * request.pageSize)
      .execute()
    return { data: rows.map(row => toRunSummary(row, Number(row.step_count))), total: Number(total) }
  }

  /** Steps without a result get one that says why; two more events close the run's stream. */
  private async closeSteps(trx: Trx, runId: string, result: string): Promise<void> {
    const open = await trx
      .selectFrom("agent_steps")
      .select(["step", "started_at"])
      .where("run_id", "=", runId)
      .where("result", "is", null)
      .orderBy("step")
      .execute()
    let event = await this.takeEvents(trx, runId, open.length + 2)
    for (const { step, started_at } of open)
      await trx
        .updateTable("agent_steps")
        .set({
          result,
          is_error: 1,
          duration_ms: Math.max(0, Date.now() - Date.parse(started_at)),
          finished_event: event++,
        })
        .where("run_id", "=", runId)
        .where("step", "=", step)
        .execute()
  }

  /** Reserves event numbers and returns the first of them. */
  private async takeEvents(trx: Trx, runId: string, count: number): Promise<number> {
    const { event_count } = await trx
      .updateTable("agent_runs")
      .set({ event_count: sql<number>`event_count + ${count}` })
      .where("id", "=", runId)
      .returning("event_count")
      .executeTakeFirstOrThrow()
    return event_count - count + 1
  }
}

const newStep = (runId: string, step: number, { call, startedAt }: BegunStep, event: number): StepRow => ({
  run_id: runId,
  step,
  type: "tool_call",
  tool_call_id: call.id,
  name: call.name,
  arguments: JSON.stringify(call.arguments),
  result: null,
  is_error: 0,
  started_at: startedAt,
  duration_ms: null,
  started_event: event,
  finished_event: null,
})

const resultColumns = ({ result, isError, durationMs }: StepOutcome) => ({
  result,
  is_error: isError ? 1 : 0,
  duration_ms: Math.round(durationMs * 10) / 10,
})
