import { onBoth } from "./migration.ts"

/** How a session was opened: with `oidc_only` those of members that a password opened are over. */
export const sessionProviders = onBoth(
  "0050-session-providers",
  `
  alter table sessions add column provider text;
  `,
)
