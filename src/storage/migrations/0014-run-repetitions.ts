import { onBoth } from "./migration.ts"

/** Idempotency keys of runs stand where those of uploads and turns do. */
export const runRepetitions = onBoth(
  "0014-run-repetitions",
  `
  insert into idempotent_answers (workspace_id, operation, key, request_hash, status, body, created_at)
    select workspace_id, 'run', idempotency_key, request_hash, 200, id, started_at
    from agent_runs where idempotency_key is not null;
  drop index agent_runs_idempotency;
  alter table agent_runs drop column idempotency_key;
  alter table agent_runs drop column request_hash;
  `,
)
