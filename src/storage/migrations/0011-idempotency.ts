import { type FormerMigration, runStatements } from "./migration.ts"

export const idempotency: FormerMigration = {
  name: "0011-idempotency",
  sqlite: executor =>
    runStatements(
      executor,
      `
      alter table idempotent_answers add column request_hash text;
      create index idempotent_answers_age on idempotent_answers (created_at);
      `,
    ),
}
