import { onBoth } from "./migration.ts"

/** Requests that are made again and again at set times, and what became of the last of them. */
export const schedules = onBoth(
  "0031-schedules",
  `
  create table schedules (
    id text primary key,
    workspace_id text not null references workspaces(id),
    holder_id text not null,
    name text not null,
    timing text not null,
    request text not null,
    paused integer not null default 0,
    next_run_at text,
    created_at text not null,
    updated_at text not null,
    owner_type text,
    owner_id text,
    maker text,
    end_user text
  );
  create index schedules_workspace on schedules (workspace_id, id);
  create index schedules_due on schedules (next_run_at) where next_run_at is not null;
  create table schedule_runs (
    id text primary key,
    schedule_id text not null references schedules(id) on delete cascade,
    workspace_id text not null,
    request text not null,
    status text not null check (status in ('running', 'completed', 'failed')),
    begun integer not null default 0,
    round integer not null default 0,
    leftover text,
    status_code integer,
    body text,
    is_cut integer not null default 0,
    error text,
    started_at text not null,
    finished_at text
  );
  create index schedule_runs_schedule on schedule_runs (schedule_id, id);
  create unique index schedule_runs_one on schedule_runs (schedule_id) where status = 'running';
  `,
)
