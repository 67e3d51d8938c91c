import { onBoth } from "./migration.ts"

/** What the daemon signs with; each is made at the first start that needs it, and is the same for all nodes. */
export const secrets = onBoth(
  "0024-secrets",
  `
  create table secrets (
    name text primary key,
    value text not null,
    created_at text not null
  );
  `,
)
