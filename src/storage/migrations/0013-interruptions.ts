import { onBoth } from "./migration.ts"

/** Attempts that ended with the daemon's death count apart from those that failed. */
export const interruptions = onBoth(
  "0013-interruptions",
  "alter table jobs add column interruptions integer not null default 0",
)
