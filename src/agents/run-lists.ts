/** Runs as lists show them, by page or by cursor, and the steps and approvals of many of them at once. */
import { type RawBuilder, sql } from "kysely"
import { ownerName } from "../access/owner.ts"
import { type Listed, listedBy, readBy, sharing } from "../access/shares.ts"
import type { View } from "../access/view.ts"
import type { Database } from "../storage/database.ts"
import { filled, texts, words } from "../storage/words.ts"
import { type ApprovalRecord, toApprovalRecord } from "./approval-record.ts"
import { approvalsAmong } from "./approval-store.ts"
import {
  type RunState,
  type RunSummary,
  type StepRecord,
  type StepRow,
  toRunSummary,
  toStepRecord,
} from "./run-record.ts"

export interface RunFilter extends Listed {
  /** All where absent. */
  states?: RunState[]
  endUser?: string
}

export interface RunListRequest extends RunFilter {
  page: number
  pageSize: number
}

export interface RunPageRequest extends RunFilter {
  limit: number
  /** Id of the run that it begins behind. */
  after?: string | undefined
}

/** Of a run: calls that wait for somebody. */
export const PENDING = sql`select 1 from agent_approvals where run_id = agent_runs.id and agent_approvals.status = 'pending'`

/** The condition on rows: those that are shown in one of these states. */
function inStates(states: readonly RunState[]): RawBuilder<boolean> {
  const stored = states.filter(state => state !== "running" && state !== "waiting_for_approval")
  const waits = sql<boolean>`(agent_runs.status = 'running' and exists (${PENDING}))`
  const goes = sql<boolean>`(agent_runs.status = 'running' and not exists (${PENDING}))`
  const any = [
    ...(stored.length > 0 ? [sql<boolean>`agent_runs.status in (${sql.join(stored)})`] : []),
    ...(states.includes("running") ? [goes] : []),
    ...(states.includes("waiting_for_approval") ? [waits] : []),
  ]
  return sql<boolean>`(${sql.join(any, sql` or `)})`
}

export class RunLists {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async page(view: View, request: RunListRequest): Promise<{ data: RunSummary[]; total: number }> {
    const total = await this.total(view, request)
    const data = await this.read(view, matching(view, request), {
      limit: request.pageSize,
      offset: (request.page - 1) * request.pageSize,
    })
    return { data, total }
  }

  async after(view: View, request: RunPageRequest) {
    const { after, limit } = request
    const wanted = matching(view, request)
    const behind = after === undefined ? wanted : sql<boolean>`${wanted} and agent_runs.id < ${after}`
    const read = await this.read(view, behind, { limit: limit + 1 })
    return { items: read.slice(0, limit), hasMore: read.length > limit }
  }

  async total(view: View, filter: RunFilter): Promise<number> {
    const { total } = await this.database
      .selectFrom("agent_runs")
      .select(eb => eb.fn.countAll<number>().as("total"))
      .where(matching(view, filter))
      .executeTakeFirstOrThrow()
    return Number(total)
  }

  /** Those that the caller sees, by id. */
  async existing(view: View, ids: readonly string[]): Promise<Map<string, RunSummary>> {
    const read = await this.read(view, this.among(view, ids), { limit: ids.length })
    return new Map(read.map(each => [each.run_id, each]))
  }

  /**
   * Steps of those of the runs that the caller sees, in order.
   * @param after `index` of the step that they begin behind, 0 for the first
   * @param limit of each run
   */
  async steps(
    view: View,
    ids: readonly string[],
    { after, limit }: { after: number; limit: number },
  ): Promise<Map<string, StepRecord[]>> {
    // Only places are counted through: results are long.
    const { rows } = await sql<StepRow>`
      select agent_steps.* from (
        select run_id, step, row_number() over (partition by run_id order by step) as place
          from agent_steps join agent_runs on agent_runs.id = agent_steps.run_id
          where ${this.among(view, ids)} and step > ${after}
      ) as counted join agent_steps on agent_steps.run_id = counted.run_id and agent_steps.step = counted.step
      where counted.place <= ${limit} order by agent_steps.run_id, agent_steps.step`.execute(this.database)
    return Map.groupBy(rows.map(toStepRecord), (_, at) => rows[at]!.run_id)
  }

  /** Of those of the runs that the caller sees, in the order in which they were asked for. */
  async approvals(view: View, ids: readonly string[]): Promise<Map<string, ApprovalRecord[]>> {
    const seen = sql<boolean>`run_id in (select agent_runs.id from agent_runs where ${this.among(view, ids)})`
    const rows = await approvalsAmong(this.database, seen)
    return Map.groupBy(rows.map(toApprovalRecord), (_, at) => rows[at]!.run_id)
  }

  private among(view: View, ids: readonly string[]): RawBuilder<boolean> {
    const some = filled<boolean>(words(this.database).among("agent_runs.id", "text"), texts(ids))
    return sql<boolean>`${readBy(view, "agent_runs")} and ${some}`
  }

  private async read(
    view: View,
    condition: RawBuilder<boolean>,
    { limit, offset = 0 }: { limit: number; offset?: number },
  ): Promise<RunSummary[]> {
    const rows = await this.database
      .selectFrom("agent_runs")
      .where(condition)
      .selectAll()
      .select(ownerName("agent_runs"))
      .select(sharing("agent_runs", view))
      .select(sql<number>`(select count(*) from agent_steps where run_id = agent_runs.id)`.as("step_count"))
      .select(sql<number>`exists (${PENDING})`.as("waits"))
      .orderBy("id", "desc")
      .limit(limit)
      .offset(offset)
      .execute()
    return rows.map(row => toRunSummary(row, Number(row.step_count), Boolean(row.waits)))
  }
}

function matching(view: View, { states, endUser, ...listed }: RunFilter): RawBuilder<boolean> {
  const parts = [listedBy(view, "agent_runs", listed)]
  if (endUser !== undefined) parts.push(sql<boolean>`end_user = ${endUser}`)
  if (states) parts.push(inStates(states))
  return sql<boolean>`${sql.join(parts, sql` and `)}`
}
