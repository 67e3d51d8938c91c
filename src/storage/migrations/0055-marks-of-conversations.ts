import { onBoth } from "./migration.ts"

/** Where people keep conversations, what they thought of answers, and the answers that others took the place of. */
export const marksOfConversations = onBoth(
  "0055-marks-of-conversations",
  `
  alter table conversations add column pinned integer not null default 0;
  alter table conversations add column folder text;
  create index conversations_pinned on conversations (workspace_id) where pinned = 1;
  create index conversations_folder on conversations (workspace_id, folder) where folder is not null;
  alter table messages add column feedback text;
  alter table messages add column variants text not null default '[]';
  `,
)
