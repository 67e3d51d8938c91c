/** The statement that leases jobs, by rules that `queue.ts` explains. */
import { type RawBuilder, sql } from "kysely"
import type { Executor } from "../storage/database.ts"
import type { JobsTable, Lane } from "../storage/jobs.ts"
import { timeOf, unlocked } from "../storage/shared.ts"

/** Renewed every third of it; long enough for a machine that stalls on disk. */
export const LEASE_MS = 60_000
/** From so many interruptions on, a job is a suspect. */
export const SUSPECT_AFTER = 5

export interface Claim {
  task: string
  lane: Lane
  /** At most. */
  count: number
  /** Of the new lease. */
  token: string
  owner: string | null
  /** Tokens of jobs that the caller works on, which he does not get again. */
  held: readonly string[]
  /** Only of workspaces that have none at work. */
  idleOnly: boolean
}

export type LeasedRow = Pick<
  JobsTable,
  "id" | "subject" | "workspace_id" | "lane" | "payload" | "attempts" | "max_attempts" | "interruptions"
>

/** Whether a job is still whose lease it was: for what is written about its subject while it is at work. */
export const isHeld = ({ id, leaseToken }: { id: string; leaseToken: string }): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from jobs where jobs.id = ${id} and jobs.lease_token = ${leaseToken})`

/**
 * Workspaces take turns: first those that have the fewest at work, of these those that were served longest ago; within a
 * workspace the oldest job goes first. To be called by one caller of a lane at a time.
 */
export async function claim(
  executor: Executor,
  { task, lane, count, token, owner, held, idleOnly }: Claim,
): Promise<LeasedRow[]> {
  const now = timeOf(executor)
  const ofLane = sql`task = ${task} and lane = ${lane}`
  const isFree = sql`(interruptions < ${SUSPECT_AFTER} or not exists (select 1 from jobs as other
    where other.task = ${task} and other.interruptions >= ${SUSPECT_AFTER}
      and other.lease_token is not null and other.lease_until > ${now}))`
  const isDue = sql`run_at <= ${now} and ${isFree} and (lease_token is null
    or (lease_until <= ${now} and lease_token not in (${sql.join(["", ...held])})))`
  const { rows } = await sql<LeasedRow>`
    with recursive
      known(workspace_id) as (
        select min(workspace_id) from jobs where ${ofLane}
        union all
        select (select min(workspace_id) from jobs where ${ofLane} and workspace_id > known.workspace_id)
        from known where workspace_id is not null
      ),
      asking as (
        select workspace_id,
          (select count(*) from jobs where ${ofLane} and workspace_id = known.workspace_id
            and lease_token is not null and lease_until > ${now}) as running,
          coalesce((select turn from job_turns where ${ofLane} and workspace_id = known.workspace_id), 0) as turn
        from known
        where exists (select 1 from jobs where ${ofLane} and workspace_id = known.workspace_id and ${isDue})
      ),
      waiting as (
        select * from asking where ${idleOnly ? sql`running = 0` : sql`running >= 0`}
        order by running, turn, workspace_id limit ${count}
      ),
      due as (
        select jobs.id, waiting.turn,
          running + row_number() over (partition by jobs.workspace_id order by run_at, jobs.id) as place
        from waiting join jobs on jobs.id in (
          select id from jobs where ${ofLane} and workspace_id = waiting.workspace_id and ${isDue}
          order by run_at, id limit ${count}
        )
      )
    update jobs set attempts = attempts + 1, lease_token = ${token}, lease_until = ${timeOf(executor, LEASE_MS)},
      owner = ${owner}
    where id in (
      select id from jobs where id in (select id from due order by place, turn, id limit ${count}) ${unlocked(executor)}
    )
    returning id, subject, workspace_id, lane, payload, attempts, max_attempts, interruptions`.execute(executor)
  return rows
}
