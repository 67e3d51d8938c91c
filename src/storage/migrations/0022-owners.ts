import { onBoth } from "./migration.ts"

/** Whose conversations and runs are; those of former versions are nobody's, but for runs that a key started. */
export const ownersOfWork = onBoth(
  "0022-owners",
  `
  alter table conversations add column owner_type text;
  alter table conversations add column owner_id text;
  alter table conversations add column maker text;
  alter table conversations add column end_user text;
  alter table agent_runs add column owner_type text;
  alter table agent_runs add column owner_id text;
  alter table agent_runs add column maker text;
  alter table agent_runs add column end_user text;
  update agent_runs set owner_type = 'key', owner_id = key_id where key_id in (select id from api_keys);
  create index conversations_end_user on conversations (workspace_id, end_user) where end_user is not null;
  create index agent_runs_end_user on agent_runs (workspace_id, end_user) where end_user is not null;
  `,
)
