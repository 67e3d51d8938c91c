import { type Migration, runStatements } from "./migration.ts"

export const warnings: Migration = {
  name: "0010-warnings",
  up: executor =>
    runStatements(
      executor,
      `
      alter table messages add column warnings text not null default '[]';
      alter table agent_runs add column warnings text not null default '[]';
      `,
    ),
}
