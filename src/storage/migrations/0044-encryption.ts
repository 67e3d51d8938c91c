import { onBoth } from "./migration.ts"

/** Keys of what is encrypted at rest, wrapped; a workspace takes its own along when it goes. */
export const encryption = onBoth(
  "0044-encryption",
  `
  create table encryption_keys (
    id text primary key,
    workspace_id text unique references workspaces(id) on delete cascade,
    wrapped text not null,
    state text,
    created_at text not null
  );
  `,
)
