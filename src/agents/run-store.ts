/**
 * Runs and their steps in the database. What is written has passed the guard of its run. Every write is one transaction; a
 * run leaves `running` once, whoever comes first.
 */

import { sql } from "kysely"
import { ownerName } from "../access/owner.ts"
import { readBy, sharing } from "../access/shares.ts"
import type { View } from "../access/view.ts"
import type { Account, ModelUsage } from "../account.ts"
import type { ErrorBody } from "../errors.ts"
import { emit } from "../events/outbox.ts"
import { refuseHeld } from "../governance/holds/refuse.ts"
import { noteRemoved } from "../governance/receipts/removals.ts"
import { chargeModel } from "../governance/usage/entries.ts"
import type { Guarded } from "../guarded.ts"
import { newId } from "../id.ts"
import type { Peer } from "../nodes/peers.ts"
import type { Database, Trx } from "../storage/database.ts"
import { GONE, holdFiles, linkStep } from "../storage/file-texts.ts"
import { type IdempotentRequest, note } from "../storage/idempotency.ts"
import { isGivenUp, type Owner } from "../storage/owners.ts"
import type { RunStatus } from "../storage/runs.ts"
import { inOrder } from "../storage/shared.ts"
import type { StepOutcome } from "../tools/calls.ts"
import { ApprovalStore, approvalsOf, cancelApprovals, IS_OPEN, pendingOf } from "./approval-store.ts"
import { PENDING, RunLists } from "./run-lists.ts"
import type { FoundRun, RunRow, StepRow } from "./run-record.ts"
import { type BegunStep, endColumns, type NewRun, newRun, newStep, type RunOutcome, resultColumns } from "./run-rows.ts"

/** Who carries a run out, as its row says. */
export interface RunOwner {
  /** Where its events may be asked for; undefined for a run that has ended or was given up. */
  owner: Peer | undefined
  isRunning: boolean
  /** It waits for a person. */
  isWaiting: boolean
  /** It is running, and whoever carried it out is gone. */
  isGivenUp: boolean
}

/** A run whose owner has ended. */
export interface GivenUpRun {
  id: string
  /** The former one. */
  owner: string | null
  /** It can go on: a call of it waits for a person, or for being told what one said. */
  waits: boolean
}

/** What an event tells of a run that has ended. */
const TOLD = ["id", "workspace_id", "status", "owner_id", "maker", "end_user"] as const
type EndedRun = Pick<RunRow, (typeof TOLD)[number]>

export class RunStore {
  /** Of calls of these runs. */
  readonly approvals: ApprovalStore
  readonly lists: RunLists

  /** @param owner whose the runs are that are written here */
  constructor(
    private readonly database: Database,
    private readonly owner: Owner,
  ) {
    this.approvals = new ApprovalStore(database, owner)
    this.lists = new RunLists(database)
  }

  /** @returns the id of the new run. @param repetition is noted with it, for calls that repeat this one */
  async insert(run: NewRun, repetition: IdempotentRequest | undefined): Promise<string> {
    const id = newId("run")
    await this.database.transaction().execute(async trx => {
      await trx
        .insertInto("agent_runs")
        .values({ ...newRun(id, run), owner: this.owner.id })
        .execute()
      if (repetition) await note(trx, repetition, id)
    })
    return id
  }

  /**
   * Writes calls that began and results that came, in one commit; a step may be in both. A run that has ended has
   * closed its steps: nothing is written then.
   * @param account what models have taken for it so far
   */
  async saveSteps(
    runId: string,
    account: Account,
    begun: Map<number, BegunStep>,
    ended: Map<number, Guarded<StepOutcome>>,
  ): Promise<void> {
    await this.database.transaction().execute(async trx => {
      const there = await holdFiles(
        trx,
        [...ended.values()].flatMap(({ fileIds }) => fileIds),
      )
      // First of the run's rows, so that whoever ends the run waits, and this finds nothing where somebody has.
      let event = await this.takeEvents(trx, runId, begun.size + ended.size)
      if (event === undefined) return
      await this.charge(trx, runId, account, account.usage)
      const rows = new Map<number, StepRow>()
      for (const [step, each] of begun) rows.set(step, newStep(runId, step, each, event++))
      for (const [step, outcome] of ended) {
        const isGone = outcome.fileIds.some(id => !there.has(id))
        const result = { ...resultColumns(outcome), ...(isGone ? { result: GONE } : {}), finished_event: event++ }
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
      for (const [step, { fileIds }] of ended)
        if (fileIds.every(id => there.has(id))) await linkStep(trx, runId, step, fileIds)
    })
  }

  /**
   * @param account counts what models took for it
   * @returns false when the run had already ended: nothing is changed then
   */
  async finish(
    runId: string,
    outcome: Guarded<RunOutcome>,
    account: Account,
    openStepResult: string,
  ): Promise<boolean> {
    return this.database.transaction().execute(async trx => {
      await this.charge(trx, runId, account, outcome.usage)
      const ended = await trx
        .updateTable("agent_runs")
        .set(endColumns(outcome))
        .where("id", "=", runId)
        .where("owner", "=", this.owner.id)
        .where("status", "=", "running")
        .returning(TOLD)
        .executeTakeFirst()
      if (ended) await this.close(trx, ended, openStepResult)
      return ended !== undefined
    })
  }

  /** Runs of nodes that have ended. */
  async givenUp(): Promise<GivenUpRun[]> {
    const open = sql`select 1 from agent_approvals where agent_approvals.run_id = agent_runs.id and ${IS_OPEN}`
    const rows = await this.database
      .selectFrom("agent_runs")
      .select(["id", "owner"])
      .select(sql<number>`checkpoint is not null and exists (${open})`.as("waits"))
      .where("status", "=", "running")
      .where(isGivenUp("agent_runs.owner"))
      .orderBy("id")
      .execute()
    return rows.map(row => ({ ...row, waits: Boolean(row.waits) }))
  }

  /** Makes a run this node's own. @returns false where another was first, or the run has ended */
  async takeOver({ id, owner }: GivenUpRun): Promise<boolean> {
    const { numUpdatedRows } = await this.database
      .updateTable("agent_runs")
      .set({ owner: this.owner.id })
      .where("id", "=", id)
      .where("status", "=", "running")
      .where("owner", owner === null ? "is" : "=", owner)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Ends a run whose model and tools are gone with its owner. @returns false where another node was first */
  fail({ id, owner }: GivenUpRun, error: ErrorBody): Promise<boolean> {
    const columns = { status: "failed", finish_reason: "error", error: JSON.stringify(error) } as const
    return this.endAs(id, columns, "The call was interrupted: the daemon stopped.", owner)
  }

  /** Ends a run whose owner cannot be told to: it finds that in its row. */
  endCancelled(runId: string, openStepResult: string): Promise<boolean> {
    return this.endAs(runId, { status: "cancelled", finish_reason: "cancelled", error: null }, openStepResult)
  }

  async ownerOf(runId: string): Promise<RunOwner> {
    const row = await this.database
      .selectFrom("agent_runs")
      .leftJoin("nodes", join => join.onRef("nodes.id", "=", "agent_runs.owner").on("nodes.ended_at", "is", null))
      .select(["status", "owner", "nodes.url", isGivenUp("agent_runs.owner").as("given_up")])
      .select(sql<number>`exists (${PENDING})`.as("waits"))
      .where("agent_runs.id", "=", runId)
      .executeTakeFirst()
    if (row?.status !== "running") return { owner: undefined, isRunning: false, isWaiting: false, isGivenUp: false }
    const { owner: id, url } = row
    return {
      owner: id && url ? { id, url } : undefined,
      isRunning: true,
      isWaiting: Boolean(row.waits),
      isGivenUp: Boolean(row.given_up),
    }
  }

  async statusesOf(runIds: readonly string[]): Promise<Map<string, RunStatus>> {
    const rows = await this.database
      .selectFrom("agent_runs")
      .select(["id", "status"])
      .where("id", "in", runIds)
      .execute()
    return new Map(rows.map(({ id, status }) => [id, status]))
  }

  async isSeen(view: View, runId: string): Promise<boolean> {
    const found = this.database.selectFrom("agent_runs").select("id").where("id", "=", runId)
    return (await found.where(readBy(view, "agent_runs")).executeTakeFirst()) !== undefined
  }

  /** @param view of a caller who reads: what it does not see is undefined */
  async find(runId: string, view?: View): Promise<FoundRun | undefined> {
    let query = this.database
      .selectFrom("agent_runs")
      .selectAll()
      .select(ownerName("agent_runs"))
      .select(sharing("agent_runs", view))
    if (view) query = query.where(readBy(view, "agent_runs"))
    const row = await query.where("id", "=", runId).executeTakeFirst()
    if (!row) return undefined
    const steps = await this.database
      .selectFrom("agent_steps")
      .selectAll()
      .where("run_id", "=", runId)
      .orderBy("step")
      .execute()
    return { row, steps, approvals: await approvalsOf(this.database, runId) }
  }

  /**
   * @param check may end the transaction by throwing, before anything is removed
   * @returns id of the receipt that says when it is gone; undefined for a run that has not ended: it stays
   * @throws AppError on_hold; what `check` threw
   */
  delete(
    view: View,
    runId: string,
    receipt: string | undefined,
    check: (trx: Trx) => Promise<void> = async () => {},
  ): Promise<string | undefined> {
    return this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await refuseHeld(trx, view.workspaceId, "runs", [runId])
      await check(trx)
      const { numDeletedRows } = await trx
        .deleteFrom("agent_runs")
        .where("id", "=", runId)
        .where("status", "!=", "running")
        .executeTakeFirst()
      return numDeletedRows > 0n ? noteRemoved(trx, view, [{ kind: "run", id: runId }], receipt) : undefined
    })
  }

  /** Ends a run without an outcome of its own. @param owner whose it is to be; whoever's where absent. @returns whether it was running */
  private async endAs(
    runId: string,
    columns: Pick<RunRow, "status" | "finish_reason" | "error">,
    openStepResult: string,
    owner?: string | null,
  ): Promise<boolean> {
    return this.database.transaction().execute(async trx => {
      const ended = await trx
        .updateTable("agent_runs")
        .set({ ...columns, finished_at: new Date().toISOString(), checkpoint: null })
        .where("id", "=", runId)
        .where("status", "=", "running")
        .$if(owner !== undefined, query => query.where("owner", owner === null ? "is" : "=", owner!))
        .returning(TOLD)
        .executeTakeFirst()
      if (ended) await this.close(trx, ended, openStepResult)
      return ended !== undefined
    })
  }

  /** What goes with the end of a run. Nobody who holds the lock of a workspace waits for that of a run. */
  private async close(trx: Trx, { id, workspace_id, status, ...seenBy }: EndedRun, openStepResult: string) {
    await this.closeSteps(trx, id, openStepResult)
    if (status !== "running") await emit(trx, workspace_id, [{ type: `run.${status}`, data: { id }, seenBy }])
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
    const pending = await pendingOf(trx, runId)
    let event = await addEvents(trx, runId, open.length + pending.length + 2)
    await cancelApprovals(trx, runId, pending, event)
    event += pending.length
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

  /** Counts what was taken since the row said it last: after a crash it says what is counted. */
  private async charge(trx: Trx, runId: string, account: Account, usage: ModelUsage): Promise<void> {
    const before = await trx
      .selectFrom("agent_runs")
      .select(["prompt_tokens", "completion_tokens"])
      .where("id", "=", runId)
      .where("owner", "=", this.owner.id)
      .where("status", "=", "running")
      .executeTakeFirst()
    if (!before) return
    const { prompt_tokens, completion_tokens } = usage
    if (prompt_tokens === before.prompt_tokens && completion_tokens === before.completion_tokens) return
    await trx.updateTable("agent_runs").set({ prompt_tokens, completion_tokens }).where("id", "=", runId).execute()
    await chargeModel(trx, account, {
      prompt_tokens: prompt_tokens - before.prompt_tokens,
      completion_tokens: completion_tokens - before.completion_tokens,
    })
  }

  /** Reserves event numbers and returns the first of them; undefined for a run that has ended, or is another node's. */
  private async takeEvents(trx: Trx, runId: string, count: number): Promise<number | undefined> {
    const row = await trx
      .updateTable("agent_runs")
      .set({ event_count: sql<number>`event_count + ${count}` })
      .where("id", "=", runId)
      .where("owner", "=", this.owner.id)
      .where("status", "=", "running")
      .returning("event_count")
      .executeTakeFirst()
    return row && row.event_count - count + 1
  }
}

/** Those that close a run: it is in the caller's hands already. @returns the number of the first */
async function addEvents(trx: Trx, runId: string, count: number): Promise<number> {
  const { event_count } = await trx
    .updateTable("agent_runs")
    .set({ event_count: sql<number>`event_count + ${count}` })
    .where("id", "=", runId)
    .returning("event_count")
    .executeTakeFirstOrThrow()
  return event_count - count + 1
}
