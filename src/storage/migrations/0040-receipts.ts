import { onBoth } from "./migration.ts"

/**
 * What was removed, until its bytes are gone and a receipt says so; and the receipts, which outlive what they are about. They
 * hold ids and digests, never a name.
 */
export const receipts = onBoth(
  "0040-receipts",
  `
  create table receipts (
    id text primary key,
    workspace_id text not null,
    what text not null,
    opener text,
    closed integer not null default 0,
    receipt text,
    created_at text not null,
    written_at text,
    owner_type text,
    owner_id text,
    maker text,
    end_user text
  );
  create index receipts_workspace on receipts (workspace_id, id);
  create index receipts_unwritten on receipts (id) where receipt is null;
  create table removals (
    id text primary key,
    receipt_id text not null references receipts(id) on delete cascade,
    resource_id text not null,
    kind text not null,
    sha256s text not null,
    traces text not null
  );
  create index removals_receipt on removals (receipt_id, id);
  create index removals_resource on removals (resource_id);
  alter table file_jobs add column receipt_id text;
  `,
)
