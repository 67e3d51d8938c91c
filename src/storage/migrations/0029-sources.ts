import { onBoth } from "./migration.ts"

/** Places that are kept in sync, what each has, and how each sync went. See `sources/`. */
export const sources = onBoth(
  "0029-sources",
  `
  create table sources (
    id text primary key,
    workspace_id text not null references workspaces(id),
    type text not null,
    name text not null,
    config text not null,
    credentials text,
    context_id text,
    tags text not null,
    acl text,
    include text not null,
    exclude text not null,
    max_bytes integer,
    schedule text,
    timezone text,
    delete_missing integer not null,
    limits text not null,
    owner_type text,
    owner_id text,
    maker text,
    end_user text,
    paused integer not null default 0,
    outcome text check (outcome in ('synced', 'failed', 'guarded')),
    outages integer not null default 0,
    next_sync_at text,
    sync_id text,
    again integer not null default 0,
    forced integer not null default 0,
    relabel integer not null default 0,
    removal text check (removal in ('keep_files', 'delete_files')),
    created_at text not null,
    updated_at text not null
  );
  create index sources_workspace on sources (workspace_id, id);
  create index sources_due on sources (next_sync_at) where next_sync_at is not null;
  create table source_entries (
    source_id text not null references sources(id) on delete cascade,
    key text not null,
    fingerprint text not null,
    size integer,
    updated_at text,
    name text,
    url text,
    status text not null check (status in ('pending', 'taken', 'failed', 'unsupported', 'skipped', 'gone')),
    error_code text,
    error_message text,
    primary key (source_id, key)
  );
  create index source_entries_status on source_entries (source_id, status, key);
  create table source_syncs (
    id text primary key,
    source_id text not null references sources(id) on delete cascade,
    phase text not null check (phase in ('listing', 'taking', 'ended')),
    forced integer not null,
    started_at text not null,
    finished_at text,
    added integer not null default 0,
    updated integer not null default 0,
    deleted integer not null default 0,
    unchanged integer not null default 0,
    skipped integer not null default 0,
    failed integer not null default 0,
    guarded integer not null default 0,
    error_code text,
    error_message text
  );
  create index source_syncs_source on source_syncs (source_id, id);
  `,
)
