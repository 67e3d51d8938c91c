import { onBoth } from "./migration.ts"

/** Texts that users of the console keep under a name, to ask with them again. */
export const savedPrompts = onBoth(
  "0056-saved-prompts",
  `
  create table saved_prompts (
    workspace_id text not null references workspaces(id) on delete cascade,
    user_id text not null references users(id) on delete cascade,
    name text not null,
    text text not null,
    updated_at text not null,
    primary key (user_id, workspace_id, name)
  );
  create index saved_prompts_workspace on saved_prompts (workspace_id);
  `,
)
