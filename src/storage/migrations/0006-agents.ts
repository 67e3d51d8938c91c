import { onBoth } from "./migration.ts"

export const agents = onBoth(
  "0006-agents",
  `
  create table agent_runs (
    id text primary key,
    workspace_id text not null references workspaces(id),
    key_id text not null,
    status text not null check (status in ('running', 'completed', 'failed', 'timed_out', 'cancelled')),
    task text not null,
    model text not null,
    request text not null,
    additional_metadata text not null default '{}',
    output text not null default '',
    structured_output text,
    citations text not null default '[]',
    finish_reason text,
    error text,
    prompt_tokens integer not null default 0,
    completion_tokens integer not null default 0,
    ner_count integer not null default 0,
    started_at text not null,
    deadline_at text not null,
    finished_at text,
    event_count integer not null default 0,
    idempotency_key text,
    request_hash text not null
  );
  create index agent_runs_workspace on agent_runs (workspace_id, id);
  create index agent_runs_alive on agent_runs (status) where status = 'running';
  create unique index agent_runs_idempotency on agent_runs (workspace_id, idempotency_key) where idempotency_key is not null;
  create table agent_steps (
    run_id text not null references agent_runs(id) on delete cascade,
    step integer not null,
    type text not null,
    tool_call_id text not null,
    name text not null,
    arguments text not null,
    result text,
    is_error integer not null default 0,
    started_at text not null,
    duration_ms real,
    started_event integer not null,
    finished_event integer,
    primary key (run_id, step)
  );
  `,
)
