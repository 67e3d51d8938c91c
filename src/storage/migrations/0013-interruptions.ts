import { type FormerMigration, runStatements } from "./migration.ts"

/** Attempts that ended with the daemon's death count apart from those that failed. */
export const interruptions: FormerMigration = {
  name: "0013-interruptions",
  sqlite: executor => runStatements(executor, "alter table jobs add column interruptions integer not null default 0"),
}
