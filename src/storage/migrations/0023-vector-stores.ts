import { onBoth } from "./migration.ts"

/** Stores of files in the shape of others: contexts with a name, which may be empty, and what an upload there is for. */
export const vectorStores = onBoth(
  "0023-vector-stores",
  `
  create table vector_stores (
    workspace_id text not null references workspaces(id),
    context_id text not null,
    name text not null,
    description text,
    metadata text not null,
    created_at text not null,
    updated_at text not null,
    primary key (workspace_id, context_id)
  );
  create table vector_store_batches (
    id text primary key,
    workspace_id text not null references workspaces(id),
    context_id text not null,
    file_ids text not null,
    cancelled_ids text,
    created_at text not null
  );
  alter table files add column purpose text;
  create index files_ids on files (workspace_id, id);
  create index files_context on files (workspace_id, context_id, id);
  `,
)
