import { onBoth } from "./migration.ts"

/** Files that a note tells of beside its first: it goes with any of them. */
export const notesOfFiles = onBoth(
  "0048-notes-of-files",
  `
  create table reading_note_files (
    key text not null references reading_notes(key) on delete cascade,
    file_id text not null,
    primary key (key, file_id)
  );
  create index reading_note_files_file on reading_note_files (file_id);
  `,
)
