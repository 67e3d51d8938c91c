import { sql } from "kysely"
import { type FormerMigration, runStatements } from "./migration.ts"

/**
 * Jobs take turns by workspace, in lanes. `job_turns` numbers the leases of a lane: whoever has the lowest was served
 * longest ago. Its trigger keeps the claim a single statement.
 */
export const fairTurns: FormerMigration = {
  name: "0009-fair-turns",
  sqlite: async executor => {
    await runStatements(
      executor,
      `
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
      `,
    )
    await sql.raw(TRIGGER).execute(executor)
  },
}

const TRIGGER = `create trigger jobs_counted after update of lease_token on jobs
  when new.lease_token is not null and new.lease_token is not old.lease_token
  begin
    insert into job_turns values (new.task, new.lane, new.workspace_id,
      (select coalesce(max(turn), 0) + 1 from job_turns where task = new.task and lane = new.lane))
    on conflict (task, lane, workspace_id) do update set turn = excluded.turn;
  end`
