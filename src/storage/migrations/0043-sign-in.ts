import { onBoth } from "./migration.ts"

/** Sign-in by a provider: who users are there, and which of its answers have been taken. */
export const signIn = onBoth(
  "0043-sign-in",
  `
  create table identities (
    issuer text not null,
    subject text not null,
    user_id text not null references users(id) on delete cascade,
    workspace_id text,
    created_at text not null,
    last_used_at text not null,
    primary key (issuer, subject)
  );
  create index identities_user on identities (user_id);
  create table sign_in_states (
    state_hash text primary key,
    expires_at text not null
  );
  `,
)
