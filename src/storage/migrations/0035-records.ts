import { type Migration, onBoth, runStatements } from "./migration.ts"

const TABLES = `
  create table answer_records (
    message_id text primary key references messages(id) on delete cascade,
    facts text not null,
    prompt text
  );
  create table record_texts (
    message_id text not null references messages(id) on delete cascade,
    position integer not null,
    text text not null,
    file_ids text not null,
    primary key (message_id, position)
  );
  create table message_files (
    message_id text not null references messages(id) on delete cascade,
    file_id text not null,
    primary key (message_id, file_id)
  );
  create index message_files_file on message_files (file_id, message_id);
  `
const tables = onBoth("0035-records", TABLES)

/** How answers were made, and whose texts they hold: those of former versions hold some already. */
export const records: Migration = {
  name: tables.name,
  async sqlite(executor) {
    await tables.sqlite(executor)
    await runStatements(
      executor,
      `insert into message_files select distinct messages.id, source.value ->> 'file_id'
        from messages, json_each(messages.sources) as source where messages.sources <> '[]'`,
    )
  },
  async postgres(executor) {
    await tables.postgres(executor)
    // Not by its functions for JSON: they refuse what holds U+0000. Inside of a text the quotes would be escaped.
    await runStatements(
      executor,
      `insert into message_files select distinct messages.id, named[1]
        from messages, regexp_matches(messages.sources, '"file_id":"(file_[0-9a-z]+)"', 'g') as named
        where messages.sources <> '[]'`,
    )
  },
}
