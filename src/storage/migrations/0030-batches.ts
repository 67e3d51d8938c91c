import { onBoth } from "./migration.ts"

/** Many requests that are worked on in the background, line by line; the files that they come in and go out by, which no search sees. */
export const batches = onBoth(
  "0030-batches",
  `
  create table batch_files (
    id text primary key,
    workspace_id text not null references workspaces(id),
    name text not null,
    purpose text not null,
    size integer not null,
    sha256 text not null,
    blob text not null,
    created_at text not null,
    owner_type text,
    owner_id text,
    maker text,
    end_user text
  );
  create index batch_files_workspace on batch_files (workspace_id, id);
  create index batch_files_blob on batch_files (blob);
  create table batches (
    id text primary key,
    workspace_id text not null references workspaces(id),
    holder_id text not null,
    endpoint text,
    completion_window text not null,
    metadata text,
    input_file_id text not null,
    output_file_id text,
    error_file_id text,
    status text not null check (status in ('validating', 'in_progress', 'finalizing', 'completed', 'failed', 'expired',
      'cancelling', 'cancelled')),
    outcome text,
    errors text,
    total integer not null default 0,
    completed integer not null default 0,
    failed integer not null default 0,
    answer_bytes integer not null default 0,
    created_at text not null,
    expires_at text not null,
    in_progress_at text,
    finalizing_at text,
    cancelling_at text,
    finished_at text,
    owner_type text,
    owner_id text,
    maker text,
    end_user text
  );
  create index batches_workspace on batches (workspace_id, id);
  create index batches_input on batches (input_file_id);
  create table batch_lines (
    batch_id text not null references batches(id) on delete cascade,
    line integer not null,
    custom_id text not null,
    url text not null,
    start_byte integer not null,
    end_byte integer not null,
    begun integer not null default 0,
    round integer not null default 0,
    leftover text,
    tries integer not null default 0,
    due_at text not null default '',
    is_error integer,
    answer text,
    primary key (batch_id, line)
  );
  create index batch_lines_waiting on batch_lines (batch_id, due_at, line) where answer is null;
  `,
)
