import { onBoth } from "./migration.ts"

export const keys = onBoth(
  "0001-keys",
  `
  create table workspaces (
    id text primary key,
    name text not null unique,
    created_at text not null,
    enforce_redaction integer not null default 0
  );
  create table api_keys (
    id text primary key,
    workspace_id text not null references workspaces(id),
    name text not null,
    client_id text not null unique,
    private_key_hash text not null,
    secret_hash text not null,
    previous_private_key_hash text,
    previous_secret_hash text,
    previous_until text,
    scopes text not null,
    rate_limit_per_minute integer,
    expires_at text,
    created_at text not null,
    last_used_at text,
    revoked_at text,
    created_by text
  );
  create index api_keys_workspace on api_keys (workspace_id, created_at);
  `,
)
