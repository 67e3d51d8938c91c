import { onBoth } from "./migration.ts"

/** What users of the console keep of a list under a name: filters, order and columns. */
export const savedViews = onBoth(
  "0057-saved-views",
  `
  create table saved_views (
    id text primary key,
    workspace_id text not null references workspaces(id) on delete cascade,
    user_id text not null references users(id) on delete cascade,
    name text not null,
    filters text not null,
    created_at text not null,
    updated_at text not null
  );
  create unique index saved_views_name on saved_views (user_id, workspace_id, name);
  create index saved_views_workspace on saved_views (workspace_id);
  `,
)
