import { onBoth } from "./migration.ts"

/** Answers whose questions came with their own messages and tools, beside the conversations that keep them. */
export const keptAnswers = onBoth(
  "0025-kept-answers",
  `
  create table kept_answers (
    id text primary key,
    conversation_id text not null references conversations(id) on delete cascade,
    reply_id text not null references messages(id) on delete cascade,
    previous_id text,
    message_ids text not null,
    turns text not null,
    calls text not null,
    echo text not null,
    created_at text not null
  );
  create index kept_answers_conversation on kept_answers (conversation_id);
  create index kept_answers_reply on kept_answers (reply_id);
  `,
)
