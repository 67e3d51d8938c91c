import { type FormerMigration, runStatements } from "./migration.ts"

export const warnings: FormerMigration = {
  name: "0010-warnings",
  sqlite: executor =>
    runStatements(
      executor,
      `
      alter table messages add column warnings text not null default '[]';
      alter table agent_runs add column warnings text not null default '[]';
      `,
    ),
}
