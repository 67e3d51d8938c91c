/**
 * Approvals in the database. Each is `pending` until one of four writes comes first: a decision (`approved`, `denied`), its
 * time (`expired`), or the end of the run (`cancelled`). An approved call is taken once, by the node that carries the run
 * out, and only while the run is that node's: its effect comes about once at most.
 */
import { type RawBuilder, sql } from "kysely"
import { ownedBy, ownerColumns } from "../access/owner.ts"
import type { View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { emit } from "../events/outbox.ts"
import type { Fields, Guarded } from "../guarded.ts"
import { newId } from "../id.ts"
import type { Database, Executor, Trx } from "../storage/database.ts"
import type { Owner } from "../storage/owners.ts"
import type { ApprovalStatus } from "../storage/runs.ts"
import { type ApprovalRow, type Decision, toApprovalRecord } from "./approval-record.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { noSuchRun } from "./endings.ts"

/** Of approvals: the call waits for the answer, or for being told of it. What was taken has perhaps been carried out. */
export const IS_OPEN = sql<boolean>`(agent_approvals.taken = 0 and agent_approvals.status <> 'cancelled' and exists (
  select 1 from agent_steps where agent_steps.run_id = agent_approvals.run_id
    and agent_steps.step = agent_approvals.step and agent_steps.result is null))`

/** Calls of a workspace that may wait for somebody; further ones are refused to the model. */
const MAX_PENDING = 100

export interface AskedApproval {
  step: number
  tool: string
  arguments: Record<string, unknown>
  expiresAt: string
}

export const ASKED_APPROVAL: Fields<AskedApproval> = { step: "own", tool: "own", arguments: "json", expiresAt: "own" }

export interface Verdict {
  status: ApprovalStatus
  reason: string | null
}

export class ApprovalStore {
  constructor(
    private readonly database: Database,
    private readonly owner: Owner,
  ) {}

  /**
   * @param checkpoint what the run goes on from, which is stored with it
   * @returns its id; null where too many wait already; undefined where the run has ended, or is another node's
   */
  async ask(
    runId: string,
    { step, tool, arguments: args, expiresAt }: Guarded<AskedApproval>,
    checkpoint: Guarded<Checkpoint>,
  ) {
    return this.database.transaction().execute(async trx => {
      const run = await this.nextEvent(trx, runId, this.owner.id)
      if (!run) return undefined
      const { id: _, event_count, ...seenBy } = run
      const { workspace_id } = run
      const { pending } = await trx
        .selectFrom("agent_approvals")
        .select(eb => eb.fn.countAll<number>().as("pending"))
        .where("workspace_id", "=", workspace_id)
        .where("status", "=", "pending")
        .executeTakeFirstOrThrow()
      if (Number(pending) >= MAX_PENDING) {
        await giveBackEvent(trx, runId)
        return null
      }
      const id = newId("appr")
      const values = { ...{ id, run_id: runId, workspace_id, step, tool }, arguments: JSON.stringify(args) }
      const times = { created_at: new Date().toISOString(), expires_at: expiresAt, requested_event: event_count }
      await trx
        .insertInto("agent_approvals")
        .values({ ...values, ...times, ...UNDECIDED })
        .execute()
      await trx
        .updateTable("agent_runs")
        .set({ checkpoint: JSON.stringify(checkpoint) })
        .where("id", "=", runId)
        .execute()
      const data = { id: runId, approval_id: id, tool }
      await emit(trx, workspace_id, [{ type: "run.waiting_for_approval", data, seenBy }])
      return id
    })
  }

  /** Whether a call that waits has its answer, or its time is over: `take` has a verdict then. */
  async isAnswered(runId: string): Promise<boolean> {
    const { rows } = await sql`select 1 from agent_approvals where run_id = ${runId} and ${IS_OPEN}
      and (status <> 'pending' or expires_at <= ${new Date().toISOString()}) limit 1`.execute(this.database)
    return rows.length > 0
  }

  /** What was decided, once; undefined while nothing is. What is past its time expires here. */
  async take(runId: string, id: string): Promise<Verdict | undefined> {
    return this.database.transaction().execute(async trx => {
      const row = await trx.selectFrom("agent_approvals").selectAll().where("id", "=", id).executeTakeFirstOrThrow()
      if (row.status === "pending") {
        if (row.expires_at > new Date().toISOString()) return undefined
        return {
          status: (await this.settle(trx, runId, id, { status: "expired" })) ? "expired" : "cancelled",
          reason: null,
        }
      }
      if (row.status !== "approved") return { status: row.status, reason: row.reason }
      const { numUpdatedRows } = await trx
        .updateTable("agent_approvals")
        .set({ taken: 1 })
        .where("id", "=", id)
        .where("taken", "=", 0)
        .where(eb =>
          eb.exists(
            eb
              .selectFrom("agent_runs")
              .select("id")
              .where("id", "=", runId)
              .where("status", "=", "running")
              .where("owner", "=", this.owner.id),
          ),
        )
        .executeTakeFirst()
      return { status: numUpdatedRows > 0n ? "approved" : "cancelled", reason: row.reason }
    })
  }

  /**
   * @param view of who decides
   * @throws AppError not_found; conflict where something else was decided, or nothing can be any more
   */
  async decide(view: View, runId: string, id: string, decision: Decision, reason: Guarded<string> | null) {
    const status = decision === "approve" ? "approved" : "denied"
    const {
      owner_type: decided_by_type,
      owner_id: decided_by,
      end_user,
    } = ownerColumns(view, view.author?.endUser ?? null)
    await this.database.transaction().execute(async trx => {
      const run = await trx
        .selectFrom("agent_runs")
        .select("id")
        .where(ownedBy(view, "agent_runs"))
        .where("id", "=", runId)
        .executeTakeFirst()
      if (!run) throw noSuchRun()
      await this.settle(trx, runId, id, { status, reason, decided_by_type, decided_by, end_user })
    })
    const decided = (await approvalsOf(this.database, runId)).find(each => each.id === id)
    if (!decided) throw new AppError("not_found", { message: "the run asked for no such approval" })
    if (decided.status === status) return toApprovalRecord(decided)
    const message =
      decided.status === "pending" ? "the approval has expired" : `the approval is ${decided.status} already`
    throw new AppError("conflict", { message })
  }

  /** @returns whether it was pending, of a run that goes on */
  private async settle(trx: Trx, runId: string, id: string, decided: Partial<ApprovalRow>): Promise<boolean> {
    const now = new Date().toISOString()
    const pending = await trx
      .selectFrom("agent_approvals")
      .select("id")
      .where("id", "=", id)
      .where("run_id", "=", runId)
      .where("status", "=", "pending")
      .where("expires_at", decided.status === "expired" ? "<=" : ">", now)
      .executeTakeFirst()
    const run = pending && (await this.nextEvent(trx, runId))
    if (!run) return false
    const { numUpdatedRows } = await trx
      .updateTable("agent_approvals")
      .set({ ...decided, decided_at: now, decided_event: run.event_count })
      .where("id", "=", id)
      .where("status", "=", "pending") // of two who decide at once the run's row let one wait
      .executeTakeFirst()
    if (numUpdatedRows === 0n) await giveBackEvent(trx, runId)
    return numUpdatedRows > 0n
  }

  /** Locks the row of a run that goes on, and takes the number of its next event. */
  private nextEvent(trx: Trx, runId: string, owner?: string) {
    let update = trx
      .updateTable("agent_runs")
      .set({ event_count: sql<number>`event_count + 1` })
      .where("id", "=", runId)
      .where("status", "=", "running")
    if (owner !== undefined) update = update.where("owner", "=", owner)
    return update.returning(["id", "workspace_id", "event_count", "owner_id", "maker", "end_user"]).executeTakeFirst()
  }
}

/** The row is locked: the number that was taken last is given back before anybody takes the next. */
const giveBackEvent = (trx: Trx, runId: string) =>
  trx.updateTable("agent_runs").set({ event_count: sql<number>`event_count - 1` }).where("id", "=", runId).execute()

const UNDECIDED = {
  status: "pending",
  reason: null,
  taken: 0,
  decided_by_type: null,
  decided_by: null,
  end_user: null,
  decided_at: null,
  decided_event: null,
} as const

/** Of a run, in the order in which they were asked for. */
export const approvalsOf = (executor: Executor, runId: string): Promise<ApprovalRow[]> =>
  approvalsAmong(executor, sql<boolean>`run_id = ${runId}`)

/** Those of the runs that a condition names. */
export const approvalsAmong = (executor: Executor, condition: RawBuilder<boolean>): Promise<ApprovalRow[]> =>
  executor
    .selectFrom("agent_approvals")
    .selectAll()
    .select(
      sql<string | null>`coalesce((select name from api_keys where api_keys.id = agent_approvals.decided_by),
        (select name from users where users.id = agent_approvals.decided_by))`.as("decider_name"),
    )
    .where(condition)
    .orderBy("requested_event")
    .execute()

/** Those that nobody decided before the run ended. @param event number of the first event that tells of one */
export async function cancelApprovals(
  trx: Trx,
  runId: string,
  pending: readonly string[],
  event: number,
): Promise<void> {
  const decided_at = new Date().toISOString()
  for (const [at, id] of pending.entries())
    await trx
      .updateTable("agent_approvals")
      .set({ status: "cancelled", decided_at, decided_event: event + at })
      .where("id", "=", id)
      .where("run_id", "=", runId)
      .execute()
}

export const pendingOf = async (trx: Trx, runId: string): Promise<string[]> =>
  (
    await trx
      .selectFrom("agent_approvals")
      .select("id")
      .where("run_id", "=", runId)
      .where("status", "=", "pending")
      .orderBy("id")
      .execute()
  ).map(({ id }) => id)
