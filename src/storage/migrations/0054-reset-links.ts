import { onBoth } from "./migration.ts"

/** Links by which users set a new password: made by administrators, each used once. */
export const resetLinks = onBoth(
  "0054-reset-links",
  `
  create table reset_links (
    token_hash text primary key,
    user_id text not null references users(id) on delete cascade,
    created_by text not null,
    created_at text not null,
    expires_at text not null
  );
  create index reset_links_user on reset_links (user_id);
  `,
)
