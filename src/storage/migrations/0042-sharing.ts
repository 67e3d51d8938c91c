import { onBoth } from "./migration.ts"

/** Who reads conversations and runs that are somebody else's. */
export const sharing = onBoth(
  "0042-sharing",
  `
  alter table conversations add column shared_with_all integer not null default 0;
  alter table agent_runs add column shared_with_all integer not null default 0;
  create index conversations_shared on conversations (workspace_id) where shared_with_all = 1;
  create index agent_runs_shared on agent_runs (workspace_id) where shared_with_all = 1;
  create table conversation_shares (
    work_id text not null references conversations(id) on delete cascade,
    user_id text not null references users(id) on delete cascade,
    created_at text not null,
    primary key (work_id, user_id)
  );
  create index conversation_shares_user on conversation_shares (user_id);
  create table run_shares (
    work_id text not null references agent_runs(id) on delete cascade,
    user_id text not null references users(id) on delete cascade,
    created_at text not null,
    primary key (work_id, user_id)
  );
  create index run_shares_user on run_shares (user_id);
  `,
)
