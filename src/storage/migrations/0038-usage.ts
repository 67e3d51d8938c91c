import { sql } from "kysely"
import { type Migration, onBoth } from "./migration.ts"

const DIMENSIONS = `
    workspace_id text not null,
    hour text not null,
    key_id text not null default '',
    user_id text not null default '',
    maker text not null default '',
    end_user text not null default '',
    model text not null default '',
    context_id text not null default ''`

const MEASURES = `
    requests integer not null default 0,
    prompt_tokens integer not null default 0,
    completion_tokens integer not null default 0,
    embedded_tokens integer not null default 0,
    pages integer not null default 0,
    ocr_pages integer not null default 0,
    bytes_in integer not null default 0,
    bytes_stored integer not null default 0,
    searches integer not null default 0`

/** Of files that a former version took in nobody knows whose they are: they are held since they came. */
const tables = onBoth(
  "0038-usage",
  `
  alter table files add column payer_key text;
  alter table files add column payer_user text;
  alter table files add column payer_maker text;
  alter table files add column payer_end_user text;
  create index files_payer_key on files (payer_key, size);
  create table usage_hours (${DIMENSIONS},${MEASURES},
    primary key (workspace_id, hour, key_id, user_id, maker, end_user, model, context_id)
  ) without rowid;
  create table usage_entries (
    id text primary key,${DIMENSIONS},${MEASURES}
  );
  create table usage_journals (
    id text primary key,
    counted_bytes integer not null
  );
  create table usage_days (
    key_id text not null,
    day text not null,
    requests integer not null,
    primary key (key_id, day)
  ) without rowid;
  insert into usage_hours (workspace_id, hour, context_id, bytes_stored)
    select workspace_id, substr(created_at, 1, 13), coalesce(context_id, ''), sum(size) from files group by 1, 2, 3;
  `,
)

/** What decides whose bytes are held, and how many. */
const HELD = ["size", "context_id", "payer_key", "payer_user", "payer_maker", "payer_end_user"]

/** Rows that only arrive from another place, where they were counted, are not counted again. */
const COUNTS = "not exists (select 1 from leases where name = 'move')"

const held = (row: "new" | "old", id: string, hour: string): string => `
  insert into usage_entries (id, workspace_id, hour, key_id, user_id, maker, end_user, context_id, bytes_in, bytes_stored)
  values (${id}, ${row}.workspace_id, ${hour}, coalesce(${row}.payer_key, ''), coalesce(${row}.payer_user, ''),
    coalesce(${row}.payer_maker, ''), coalesce(${row}.payer_end_user, ''), coalesce(${row}.context_id, ''),`

const SQLITE_HELD = (row: "new" | "old", accepted: string, stored: string) =>
  `${held(row, "lower(hex(randomblob(16)))", "strftime('%Y-%m-%dT%H', 'now')")} ${accepted}, ${stored});`

const SQLITE = [
  `create trigger files_held_insert after insert on files when ${COUNTS}
   begin ${SQLITE_HELD("new", "new.size", "new.size")} end`,
  `create trigger files_held_delete after delete on files when ${COUNTS}
   begin ${SQLITE_HELD("old", "0", "-old.size")} end`,
  `create trigger files_held_update after update on files
   when (new.blob is not old.blob or ${HELD.map(column => `new.${column} is not old.${column}`).join(" or ")}) and ${COUNTS}
   begin
     ${SQLITE_HELD("old", "0", "-old.size")}
     ${SQLITE_HELD("new", "case when new.blob is old.blob then 0 else new.size end", "new.size")}
   end`,
]

const POSTGRES_HELD = (row: "new" | "old", accepted: string, stored: string) =>
  `${held(row, "gen_random_uuid()::text", "to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24')")} ${accepted}, ${stored});`

const POSTGRES = [
  `create function files_held() returns trigger language plpgsql as $$ begin
     if ${COUNTS} then
       if tg_op <> 'INSERT' then ${POSTGRES_HELD("old", "0", "-old.size")} end if;
       if tg_op = 'INSERT' then ${POSTGRES_HELD("new", "new.size", "new.size")} end if;
       if tg_op = 'UPDATE' then
         ${POSTGRES_HELD("new", "case when new.blob = old.blob then 0 else new.size end", "new.size")}
       end if;
     end if;
     return null;
   end $$`,
  "create trigger files_held_rows after insert or delete on files for each row execute function files_held()",
  `create trigger files_held_update after update on files for each row
   when (${["blob", ...HELD].map(column => `new.${column} is distinct from old.${column}`).join(" or ")})
   execute function files_held()`,
]

/** Bytes are counted where files come, change and go, whoever changes them: no writer can forget it. */
export const usage: Migration = {
  name: "0038-usage",
  async sqlite(executor) {
    await tables.sqlite(executor)
    for (const trigger of SQLITE) await sql.raw(trigger).execute(executor)
  },
  async postgres(executor) {
    await tables.postgres(executor)
    for (const statement of POSTGRES) await sql.raw(statement).execute(executor)
  },
}
