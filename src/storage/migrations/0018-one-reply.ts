import { onBoth } from "./migration.ts"

/**
 * A conversation has one reply at a time that is being written, whichever node writes it; and nodes keep the events of the
 * replies that they write for those who follow them elsewhere.
 */
export const oneReply = onBoth(
  "0018-one-reply",
  `
  update messages set finish_reason = 'error',
      error = '{"code":"interrupted","message":"the daemon stopped while the reply was being written"}'
    where role = 'assistant' and finish_reason is null and exists (
      select 1 from messages as later where later.conversation_id = messages.conversation_id
        and later.role = 'assistant' and later.finish_reason is null and later.position > messages.position
    );
  drop index messages_unfinished;
  create unique index messages_unfinished on messages (conversation_id)
    where role = 'assistant' and finish_reason is null;
  create table reply_events (
    message_id text not null references messages(id) on delete cascade,
    first_event integer not null,
    last_event integer not null,
    events text not null,
    saved_at text not null,
    primary key (message_id, first_event)
  );
  `,
)
