import { onBoth } from "./migration.ts"

/** What is done with many files at once, and how far it is: kept when the queue's job is gone, for whoever asks. */
export const fileJobs = onBoth(
  "0020-file-jobs",
  `
  create table file_jobs (
    id text primary key,
    workspace_id text not null references workspaces(id),
    kind text not null,
    request text not null,
    status text not null check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
    done integer not null default 0,
    total integer not null,
    failed text not null default '[]',
    cursor text not null default '',
    last_id text not null,
    created_at text not null,
    finished_at text,
    owner_type text,
    owner_id text,
    maker text,
    end_user text
  );
  create index file_jobs_workspace on file_jobs (workspace_id, status);
  `,
)
