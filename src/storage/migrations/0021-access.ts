import { sql } from "kysely"
import { type Migration, onBoth, runStatements } from "./migration.ts"

const columns = onBoth(
  "0021-access",
  `
  alter table api_keys add column context_ids text;
  alter table api_keys add column models text;
  alter table api_keys add column filter text;
  alter table api_keys add column quota text;
  alter table files add column acl text;
  create table scoped_tokens (
    id text primary key,
    key_id text not null references api_keys(id) on delete cascade,
    token_hash text not null unique,
    scopes text,
    context_ids text,
    filter text,
    principals text,
    end_user text,
    created_at text not null,
    expires_at text not null
  );
  create index scoped_tokens_key on scoped_tokens (key_id);
  create index scoped_tokens_expiry on scoped_tokens (expires_at);
  `,
)

/** What a filter, or an acl, may decide by, beside what 0004 counts; progress of indexing changes none of these. */
const COLUMNS = ["type", "status", "live_generation", "context_id", "tags", "metadata", "name", "acl"]

const SQLITE = `
  create trigger files_counted_update after update on files
  when ${COLUMNS.map(column => `new.${column} is not old.${column}`).join(" or ")}
  begin
    insert into library_changes values (new.workspace_id, 1)
      on conflict (workspace_id) do update set counter = counter + 1;
  end`

const POSTGRES = `
  create or replace function files_counted_update() returns trigger language plpgsql as $$
  begin
    insert into library_changes (workspace_id, counter)
      select workspace_id, count(*) from (
        select after.workspace_id from after join before on before.id = after.id
        where (${COLUMNS.map(column => `after.${column}`)}) is distinct from (${COLUMNS.map(column => `before.${column}`)})
      ) as changed group by workspace_id order by workspace_id
      on conflict (workspace_id) do update set counter = library_changes.counter + excluded.counter;
    return null;
  end $$`

/** Keys that see a part, tokens that narrow them, and who may see a file: see `access/view.ts`. */
export const access: Migration = {
  name: columns.name,
  async sqlite(executor) {
    await columns.sqlite(executor)
    await runStatements(executor, "drop trigger files_counted_update;")
    await sql.raw(SQLITE).execute(executor)
  },
  async postgres(executor) {
    await columns.postgres(executor)
    await sql.raw(POSTGRES).execute(executor)
  },
}
