import { forPostgres, type Migration, runStatements } from "./migration.ts"

/**
 * What nodes count together. Not logged: after a crash of PostgreSQL, or on the replica that takes over, it is empty, as a
 * restart leaves it on one machine, where the tables stay empty.
 */
export const counters: Migration = {
  name: "0017-counters",
  sqlite: executor => runStatements(executor, tables("create table")),
  postgres: executor => runStatements(executor, forPostgres(tables("create unlogged table"))),
}

const tables = (create: string): string => `
  ${create} rate_windows (
    id text primary key,
    used integer not null,
    granted integer not null,
    ends_at integer not null
  );
  ${create} sign_in_failures (
    key text primary key,
    failures integer not null,
    last_at integer not null,
    waiting_until integer not null
  );
  ${create} traffic (
    key_id text not null,
    minute integer not null,
    requests integer not null,
    primary key (key_id, minute)
  );
  `
