import { type Migration, onBoth, runStatements } from "./migration.ts"

const tables = onBoth(
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
    traces text not null,
    gone integer not null default 0
  );
  create index removals_receipt on removals (receipt_id, id);
  create index removals_resource on removals (resource_id);
  create index removals_left on removals (id) where gone = 0;
  create table end_user_erasures (
    receipt_id text primary key references receipts(id) on delete cascade,
    workspace_id text not null,
    end_user text not null
  );
  alter table file_jobs add column receipt_id text;
  create table answered_files (
    file_id text not null,
    workspace_id text not null,
    key text not null,
    primary key (file_id, workspace_id, key)
  );
  create index answered_files_answer on answered_files (workspace_id, key);
  `,
)

/**
 * What was removed, until its bytes are gone and a receipt says so; and the receipts, which outlive what they are about and
 * hold ids and digests, never a name. And which files the answers to repeated uploads tell of.
 */
export const receipts: Migration = {
  name: tables.name,
  async sqlite(executor) {
    await tables.sqlite(executor)
    await runStatements(
      executor,
      `insert into answered_files select distinct file.value ->> 'id', workspace_id, idempotent_answers.key
        from idempotent_answers, json_each(body, '$.files') as file where operation = 'upload'`,
    )
  },
  async postgres(executor) {
    await tables.postgres(executor)
    await runStatements(
      executor,
      `insert into answered_files select distinct named[1], workspace_id, idempotent_answers.key
        from idempotent_answers, regexp_matches(body, '"id":"(file_[0-9a-z]+)"', 'g') as named where operation = 'upload'`,
    )
  },
}
