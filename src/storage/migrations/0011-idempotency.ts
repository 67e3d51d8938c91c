import { type Migration, runStatements } from "./migration.ts"

export const idempotency: Migration = {
  name: "0011-idempotency",
  up: executor =>
    runStatements(
      executor,
      `
      alter table idempotent_answers add column request_hash text;
      create index idempotent_answers_age on idempotent_answers (created_at);
      `,
    ),
}
