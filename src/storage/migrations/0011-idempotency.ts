import { onBoth } from "./migration.ts"

export const idempotency = onBoth(
  "0011-idempotency",
  `
  alter table idempotent_answers add column request_hash text;
  create index idempotent_answers_age on idempotent_answers (created_at);
  `,
)
