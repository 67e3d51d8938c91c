import { onBoth } from "./migration.ts"

/** Rows of the audit log that came with a change, in its transaction, and have no place in their chain yet. */
export const auditPending = onBoth(
  "0049-audit-pending",
  `
  create table audit_pending (
    id text primary key,
    told text not null
  );
  `,
)
