import { type Kysely, sql } from "kysely"
import { type Migration, onBoth } from "./migration.ts"

const tables = onBoth(
  "0046-step-files",
  `
  create table step_files (
    run_id text not null references agent_runs(id) on delete cascade,
    step integer not null,
    file_id text not null,
    primary key (run_id, step, file_id)
  );
  create index step_files_file on step_files (file_id);
  `,
)

/** Results are up to 20 KB each. */
const BATCH = 200

interface FormerStep {
  run_id: string
  step: number
  name: string
  arguments: string
  result: string | null
}

/** Whose text the steps of runs hold: those of former versions by what they were asked for, and what they name. */
export const stepFiles: Migration = {
  name: tables.name,
  async sqlite(executor) {
    await tables.sqlite(executor)
    await linkFormer(executor)
  },
  async postgres(executor) {
    await tables.postgres(executor)
    await linkFormer(executor)
  },
}

async function linkFormer(executor: Kysely<unknown>): Promise<void> {
  for (let [run, step] = ["", 0]; ; ) {
    const { rows } = await sql<FormerStep>`
      select run_id, step, name, arguments, result from agent_steps
      where name in ('search_library', 'read_file', 'query_table') and (run_id, step) > (${run}, ${step})
      order by run_id, step limit ${sql.lit(BATCH)}`.execute(executor)
    for (const row of rows)
      for (const id of namedIn(row))
        await sql`insert into step_files values (${row.run_id}, ${row.step}, ${id})`.execute(executor)
    const last = rows.at(-1)
    if (!last) return
    ;[run, step] = [last.run_id, last.step]
  }
}

const namedIn = ({ name, arguments: given, result }: FormerStep): Set<string> =>
  new Set((name === "search_library" ? result : given)?.match(/\bfile_[0-9a-z]+/g) ?? [])
