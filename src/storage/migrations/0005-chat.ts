import { onBoth } from "./migration.ts"

export const chat = onBoth(
  "0005-chat",
  `
  create table conversations (
    id text primary key,
    workspace_id text not null references workspaces(id),
    title text not null,
    model text not null,
    settings text not null,
    additional_metadata text not null default '{}',
    file_ids text not null default '[]',
    ner_count integer not null default 0,
    context_tokens integer,
    created_at text not null,
    updated_at text not null
  );
  create index conversations_workspace on conversations (workspace_id, updated_at);
  create table messages (
    id text primary key,
    conversation_id text not null references conversations(id) on delete cascade,
    position integer not null,
    role text not null check (role in ('user', 'assistant')),
    content text not null,
    citations text not null default '[]',
    sources text not null default '[]',
    finish_reason text check (finish_reason in ('stop', 'length', 'cancelled', 'error')),
    error text,
    model text,
    ner_count integer not null default 0,
    redaction text,
    prompt_tokens integer not null default 0,
    completion_tokens integer not null default 0,
    created_at text not null,
    unique (conversation_id, position)
  );
  create index messages_unfinished on messages (id) where role = 'assistant' and finish_reason is null;
  `,
)
