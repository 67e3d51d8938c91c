import { sql } from "kysely"
import { type FormerMigration, runStatements } from "./migration.ts"

export const search: FormerMigration = {
  name: "0004-search",
  sqlite: async executor => {
    await runStatements(
      executor,
      `
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
      `,
    )
    for (const trigger of TRIGGERS) await sql.raw(trigger).execute(executor)
  },
}

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
