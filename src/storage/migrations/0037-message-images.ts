import { onBoth } from "./migration.ts"

/** Pictures that came with messages: their bytes lie beside those of files. */
export const messageImages = onBoth(
  "0037-message-images",
  `
  create table message_images (
    id text primary key,
    message_id text not null references messages(id) on delete cascade,
    place integer not null,
    mime_type text not null,
    size integer not null,
    sha256 text not null,
    blob text not null
  );
  create index message_images_message on message_images (message_id);
  create index message_images_blob on message_images (blob);
  `,
)
