import { onBoth } from "./migration.ts"

/** Groups of users, which the acl of a file may name. */
export const groups = onBoth(
  "0058-groups",
  `
  alter table users add column group_names text not null default '[]';
  alter table users add column groups_from text;
  create index files_with_acl on files (workspace_id) where acl is not null;
  `,
)
