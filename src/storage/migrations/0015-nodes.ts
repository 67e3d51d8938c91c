import { onBoth } from "./migration.ts"

/**
 * Nodes of one installation, what one of them leads, and whose work it is that is under way. Rows of former versions
 * name no owner: whoever looks takes them for given up.
 */
export const nodes = onBoth(
  "0015-nodes",
  `
  create table nodes (
    id text primary key,
    name text not null,
    url text,
    role text not null,
    version text not null,
    started_at text not null,
    seen_at text not null,
    ended_at text
  );
  create index nodes_alive on nodes (seen_at) where ended_at is null;
  create table leases (
    name text primary key,
    node_id text not null,
    until text not null
  );
  create table cluster (
    id text primary key,
    secret_digest text,
    contract integer not null,
    created_at text not null
  );
  alter table messages add column owner text;
  alter table agent_runs add column owner text;
  alter table jobs add column owner text;
  alter table generations add column owner text;
  `,
)
