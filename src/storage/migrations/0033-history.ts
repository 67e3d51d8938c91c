import { onBoth } from "./migration.ts"

/** Conversations sum up the turns that are too old for the window of their model. */
export const history = onBoth(
  "0033-history",
  `
  alter table conversations add column summary text;
  alter table conversations add column summary_position integer;
  `,
)
