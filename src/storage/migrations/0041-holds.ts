import { onBoth } from "./migration.ts"

/** What may not be deleted now, and after how long the rest is. */
export const holds = onBoth(
  "0041-holds",
  `
  create table holds (
    id text primary key,
    workspace_id text not null references workspaces(id),
    name text not null,
    filter text,
    end_user text,
    context_id text,
    created_at text not null
  );
  create index holds_workspace on holds (workspace_id, id);
  create table held (
    hold_id text not null references holds(id) on delete cascade,
    kind text not null,
    id text not null,
    primary key (hold_id, kind, id)
  );
  create index held_id on held (id);
  create table retention (
    workspace_id text primary key references workspaces(id),
    rules text not null,
    updated_at text not null
  );
  create table retention_passes (
    id text primary key,
    workspace_id text not null references workspaces(id),
    rules text not null,
    started_at text not null,
    finished_at text,
    cursor text not null,
    counts text not null
  );
  create index retention_passes_workspace on retention_passes (workspace_id, id);
  `,
)
