import { onBoth } from "./migration.ts"

export const users = onBoth(
  "0007-users",
  `
  create table users (
    id text primary key,
    email text not null unique,
    name text not null,
    password_hash text not null,
    role text not null check (role in ('administrator', 'member')),
    created_at text not null,
    last_signed_in_at text,
    disabled_at text
  );
  create table memberships (
    user_id text not null references users(id) on delete cascade,
    workspace_id text not null references workspaces(id) on delete cascade,
    created_at text not null,
    primary key (user_id, workspace_id)
  );
  create table sessions (
    id text primary key,
    user_id text not null references users(id) on delete cascade,
    workspace_id text not null references workspaces(id) on delete cascade,
    token_hash text not null unique,
    user_agent text not null,
    address text not null,
    created_at text not null,
    last_used_at text not null,
    expires_at text not null
  );
  create index sessions_user on sessions (user_id, created_at);
  create table invitations (
    id text primary key,
    email text not null,
    role text not null check (role in ('administrator', 'member')),
    workspace_id text not null references workspaces(id) on delete cascade,
    token_hash text not null unique,
    created_by text not null,
    created_at text not null,
    expires_at text not null,
    accepted_at text
  );
  create table setup_tokens (
    token_hash text primary key,
    created_at text not null
  );
  `,
)
