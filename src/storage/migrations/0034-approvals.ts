import { onBoth } from "./migration.ts"

/** Calls of tools that a person must allow before they are carried out. */
export const approvals = onBoth(
  "0034-approvals",
  `
  create table agent_approvals (
    id text primary key,
    run_id text not null references agent_runs(id) on delete cascade,
    workspace_id text not null,
    step integer not null,
    tool text not null,
    arguments text not null,
    status text not null check (status in ('pending', 'approved', 'denied', 'expired', 'cancelled')),
    reason text,
    taken integer not null default 0,
    decided_by_type text,
    decided_by text,
    end_user text,
    created_at text not null,
    expires_at text not null,
    decided_at text,
    requested_event integer not null,
    decided_event integer
  );
  create index agent_approvals_run on agent_approvals (run_id);
  create index agent_approvals_pending on agent_approvals (workspace_id) where status = 'pending';
  `,
)
