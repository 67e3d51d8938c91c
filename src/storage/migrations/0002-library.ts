import { onBoth } from "./migration.ts"

export const library = onBoth(
  "0002-library",
  `
  create table files (
    id text primary key,
    workspace_id text not null references workspaces(id),
    name text not null,
    name_folded text not null,
    type text not null,
    mime_type text not null,
    size integer not null,
    sha256 text not null,
    status text not null check (status in ('queued', 'indexing', 'searchable', 'failed')),
    stage text,
    progress real not null default 0,
    error_code text,
    error_message text,
    warnings text not null default '[]',
    attempts integer not null default 0,
    page_count integer,
    ocr_page_count integer not null default 0,
    chunk_count integer,
    character_count integer,
    context_id text,
    tags text not null default '[]',
    metadata text not null default '{}',
    created_at text not null,
    updated_at text not null,
    indexed_at text,
    blob text not null,
    generation integer not null default 1,
    live_generation integer,
    live_blob text
  );
  create index files_workspace on files (workspace_id, created_at, id);
  create index files_status on files (workspace_id, status);
  create index files_same on files (workspace_id, name, context_id, sha256);
  create table idempotent_answers (
    workspace_id text not null,
    operation text not null,
    key text not null,
    status integer not null,
    body text not null,
    created_at text not null,
    primary key (workspace_id, operation, key)
  );
  `,
)
