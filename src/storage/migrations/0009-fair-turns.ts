import { sql } from "kysely"
import { forPostgres, type Migration, runStatements } from "./migration.ts"

/**
 * Jobs take turns by workspace, in lanes. `job_turns` numbers the leases of a lane: whoever has the lowest was served
 * longest ago. Its trigger keeps the claim a single statement.
 */
export const fairTurns: Migration = {
  name: "0009-fair-turns",
  sqlite: async executor => {
    await runStatements(executor, TABLES)
    await sql.raw(TRIGGER).execute(executor)
  },
  postgres: async executor => {
    await runStatements(executor, forPostgres(TABLES))
    for (const statement of POSTGRES_TRIGGER) await sql.raw(statement).execute(executor)
  },
}

const TABLES = `
  alter table jobs add column workspace_id text not null default '';
  alter table jobs add column lane text not null default 'ordinary';
  update jobs set workspace_id = coalesce((select workspace_id from files where files.id = jobs.subject), '');
  drop index jobs_due;
  create index jobs_due on jobs (task, lane, workspace_id, run_at, id);
  create index jobs_leased on jobs (task, lane, workspace_id, lease_until) where lease_token is not null;
  create table job_turns (
    task text not null,
    lane text not null,
    workspace_id text not null,
    turn integer not null,
    primary key (task, lane, workspace_id)
  ) without rowid;
  create index job_turns_newest on job_turns (task, lane, turn);
  `

const TRIGGER = `create trigger jobs_counted after update of lease_token on jobs
  when new.lease_token is not null and new.lease_token is not old.lease_token
  begin
    insert into job_turns values (new.task, new.lane, new.workspace_id,
      (select coalesce(max(turn), 0) + 1 from job_turns where task = new.task and lane = new.lane))
    on conflict (task, lane, workspace_id) do update set turn = excluded.turn;
  end`

/** The same on PostgreSQL, once a statement. */
const POSTGRES_TRIGGER = [
  `create function jobs_counted() returns trigger language plpgsql as $$
   begin
     insert into job_turns (task, lane, workspace_id, turn)
       select task, lane, workspace_id,
         (select coalesce(max(turn), 0) from job_turns where job_turns.task = leased.task and job_turns.lane = leased.lane)
           + row_number() over (partition by task, lane order by workspace_id)
       from (
         select distinct after.task, after.lane, after.workspace_id from after join before on before.id = after.id
         where after.lease_token is not null and after.lease_token is distinct from before.lease_token
       ) as leased
       order by task, lane, workspace_id
     on conflict (task, lane, workspace_id) do update set turn = excluded.turn;
     return null;
   end $$`,
  `create trigger jobs_counted after update on jobs referencing old table as before new table as after
   for each statement execute function jobs_counted()`,
]
