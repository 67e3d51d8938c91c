import { type Migration, runStatements } from "./migration.ts"

/** A key ends with the user who owns it: those whose maker was removed before end now. */
export const keyOwners: Migration = {
  name: "0008-key-owners",
  sqlite: executor =>
    runStatements(
      executor,
      `
      alter table api_keys rename column created_by to owner_id;
      update api_keys set revoked_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        where revoked_at is null and owner_id is not null and owner_id not in (select id from users);
      create index api_keys_owner on api_keys (owner_id);
      `,
    ),
  // Made with no keys in it.
  postgres: executor =>
    runStatements(
      executor,
      `
      alter table api_keys rename column created_by to owner_id;
      create index api_keys_owner on api_keys (owner_id);
      `,
    ),
}
