import { onBoth } from "./migration.ts"

/** What a model noted of parts of files that do not fit into its window; gone with its file and its conversation. */
export const readingNotes = onBoth(
  "0032-reading-notes",
  `
  create table reading_notes (
    key text primary key,
    workspace_id text not null references workspaces(id) on delete cascade,
    file_id text not null references files(id) on delete cascade,
    conversation_id text references conversations(id) on delete cascade,
    note text not null,
    created_at text not null
  );
  create index reading_notes_workspace on reading_notes (workspace_id);
  create index reading_notes_file on reading_notes (file_id);
  create index reading_notes_conversation on reading_notes (conversation_id);
  create index reading_notes_created on reading_notes (created_at);
  `,
)
