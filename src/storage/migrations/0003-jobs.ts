import { onBoth } from "./migration.ts"

export const jobs = onBoth(
  "0003-jobs",
  `
  create table jobs (
    id text primary key,
    task text not null,
    subject text not null,
    payload text not null,
    attempts integer not null default 0,
    max_attempts integer not null,
    run_at text not null,
    lease_token text,
    lease_until text,
    last_error text,
    created_at text not null
  );
  create index jobs_due on jobs (task, run_at, id);
  create unique index jobs_subject on jobs (task, subject);
  `,
)
