import { sql } from "kysely"
import { forPostgres, type Migration, runStatements } from "./migration.ts"

export const search: Migration = {
  name: "0004-search",
  sqlite: async executor => {
    await runStatements(executor, TABLES)
    for (const trigger of TRIGGERS) await sql.raw(trigger).execute(executor)
  },
  postgres: async executor => {
    await runStatements(executor, forPostgres(TABLES))
    for (const trigger of POSTGRES_TRIGGERS) await sql.raw(trigger).execute(executor)
  },
}

const TABLES = `
  create table generations (
    id integer primary key autoincrement,
    file_id text not null,
    generation integer not null,
    first_chunk integer not null,
    last_chunk integer not null,
    state text not null check (state in ('staging', 'staged', 'live', 'dead'))
  );
  create index generations_file on generations (file_id, generation);
  create index generations_state on generations (state, id);
  create index generations_span on generations (first_chunk);
  create table chunks (
    id integer primary key,
    generation_id integer not null,
    ordinal integer not null,
    start integer not null,
    "end" integer not null,
    text text not null,
    context text,
    page integer,
    sheet text,
    slide integer,
    member text,
    section text
  );
  create table chunk_numbers (next integer not null);
  insert into chunk_numbers values (1);
  create table vector_tables (
    name text primary key,
    model text not null,
    dimensions integer not null,
    state text not null check (state in ('building', 'live', 'dead'))
  );
  create table library_changes (
    workspace_id text primary key,
    counter integer not null
  ) without rowid;
  `

/**
 * Counts the changes of a workspace that can alter what a search sees, whoever makes them: cached id ranges of live
 * chunks are valid as long as the counter stands still.
 */
const count = (workspace: string) =>
  `insert into library_changes values (${workspace}, 1) on conflict (workspace_id) do update set counter = counter + 1;`

/** Progress reports change none of these: they must not make a search forget what it knows. */
const COLUMNS = ["type", "status", "live_generation", "context_id", "tags", "metadata"]

const TRIGGERS = [
  `create trigger files_counted_insert after insert on files begin ${count("new.workspace_id")} end`,
  `create trigger files_counted_delete after delete on files begin ${count("old.workspace_id")} end`,
  `create trigger files_counted_update after update on files
   when ${COLUMNS.map(column => `new.${column} is not old.${column}`).join(" or ")}
   begin ${count("new.workspace_id")} end`,
]

/**
 * The same on PostgreSQL: once a statement, and in the order of workspaces, so
 * that two statements which change several wait for each other instead of for ever.
 */
const countIn = (changed: string): string => `
  insert into library_changes (workspace_id, counter)
    select workspace_id, count(*) from (${changed}) as changed group by workspace_id order by workspace_id
    on conflict (workspace_id) do update set counter = library_changes.counter + excluded.counter;`

const counter = (event: "insert" | "delete" | "update", tables: string, changed: string): string[] => [
  `create function files_counted_${event}() returns trigger language plpgsql as $$
   begin ${countIn(changed)} return null; end $$`,
  `create trigger files_counted_${event} after ${event} on files referencing ${tables}
   for each statement execute function files_counted_${event}()`,
]

const POSTGRES_TRIGGERS = [
  ...counter("insert", "new table as added", "select workspace_id from added"),
  ...counter("delete", "old table as gone", "select workspace_id from gone"),
  ...counter(
    "update",
    "old table as before new table as after",
    `select after.workspace_id from after join before on before.id = after.id
     where (${COLUMNS.map(column => `after.${column}`)}) is distinct from (${COLUMNS.map(column => `before.${column}`)})`,
  ),
]
