import { onBoth } from "./migration.ts"

/** Who did what, each row chained to the one before; outlives the workspaces, keys and users that it names. */
export const audit = onBoth(
  "0039-audit",
  `
  create table audit_log (
    workspace_id text not null,
    seq integer not null,
    id text not null unique,
    ts text not null,
    action text not null,
    outcome text not null,
    actor_type text not null,
    actor_id text,
    actor_name text not null,
    resource_type text,
    resource_id text,
    request_id text,
    endpoint text,
    source_ip text,
    details text not null,
    prev_hash text not null,
    hash text not null,
    mac text not null,
    primary key (workspace_id, seq)
  );
  create index audit_log_resource on audit_log (workspace_id, resource_id, seq) where resource_id is not null;
  create index audit_log_actor on audit_log (workspace_id, actor_id, seq) where actor_id is not null;
  create index audit_log_time on audit_log (workspace_id, ts);
  create table audit_checkpoints (
    workspace_id text primary key,
    seq integer not null,
    hash text not null,
    mac text not null
  );
  create table audit_anchors (
    workspace_id text primary key,
    anchor text not null
  );
  create table audit_strangers (
    day text primary key,
    refusals integer not null
  );
  `,
)
