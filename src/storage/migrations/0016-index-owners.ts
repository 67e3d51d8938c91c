import { onBoth } from "./migration.ts"

/** What several nodes ask of the index: who writes which generation, and one table of vectors that serves. */
export const indexOwners = onBoth(
  "0016-index-owners",
  `
  create index generations_owned on generations (owner) where owner is not null;
  create unique index vector_tables_live on vector_tables (state) where state = 'live';
  `,
)
