import { onBoth } from "./migration.ts"

/**
 * What happened, written with the change that it tells of; and where files come from: the id that another system has for
 * one, or the entry of a source that it is kept in sync with.
 */
export const events = onBoth(
  "0026-events",
  `
  create table events (
    seq integer primary key autoincrement,
    id text not null unique,
    workspace_id text not null references workspaces(id),
    type text not null,
    data text not null,
    created_at text not null
  );
  create index events_workspace on events (workspace_id, seq);
  create index events_age on events (created_at);
  alter table files add column external_id text;
  alter table files add column url text;
  alter table files add column source_id text;
  alter table files add column source_key text;
  alter table files add column fingerprint text;
  create index files_external on files (workspace_id, external_id) where external_id is not null;
  create unique index files_source on files (source_id, source_key) where source_id is not null;
  `,
)
