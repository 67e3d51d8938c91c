import { onBoth } from "./migration.ts"

/** Who may learn of an event, receivers of events, and what was sent to them. */
export const webhooks = onBoth(
  "0027-webhooks",
  `
  alter table events add column subject text;
  alter table events add column context_id text;
  alter table events add column acl text;
  alter table events add column owner_id text;
  alter table events add column maker text;
  alter table events add column end_user text;
  create table event_marks (
    name text primary key,
    created_at text not null
  );
  create table webhooks (
    id text primary key,
    workspace_id text not null references workspaces(id),
    url text not null,
    types text,
    description text not null,
    secret text not null,
    former_secret text,
    former_until text,
    status text not null,
    disabled_reason text,
    view text not null,
    holder text not null,
    owner_type text,
    owner_id text,
    maker text,
    end_user text,
    cursor integer not null,
    owner text,
    lease_until text,
    created_at text not null,
    updated_at text not null
  );
  create index webhooks_workspace on webhooks (workspace_id, id);
  create table webhook_deliveries (
    webhook_id text not null references webhooks(id) on delete cascade,
    seq integer not null,
    event_id text not null,
    type text not null,
    status text not null,
    attempts integer not null,
    tries integer not null,
    status_code integer,
    response text,
    error text,
    duration_ms integer,
    first_at text not null,
    last_at text,
    next_at text,
    primary key (webhook_id, seq)
  );
  create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where next_at is not null;
  `,
)
