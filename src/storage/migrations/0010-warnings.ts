import { onBoth } from "./migration.ts"

export const warnings = onBoth(
  "0010-warnings",
  `
  alter table messages add column warnings text not null default '[]';
  alter table agent_runs add column warnings text not null default '[]';
  `,
)
