/**
 * Brings the schema of a PostgreSQL database forward. Nodes that start together wait for the first of them; what is not
 * ours, or newer than this version, is refused before anything is written.
 */
import { sql } from "kysely"
import { OperatorError } from "../../errors.ts"
import { appliedMigrations, type Database, type Executor, type Trx, writtenByNewer } from "../database.ts"
import { forPostgres, type Migration } from "../migrations/migration.ts"

export type Migrations = readonly Migration[]

/** What the statements need, `insert … on conflict` into identity columns and triggers with tables of changes among them. */
const OLDEST_VERSION = 140_000

/** Advisory lock of those who migrate: two numbers, so that it is no lock of one number. */
const LOCK = sql`pg_advisory_xact_lock(1128352338, 1)`

/** @throws OperatorError for a server or a database that cannot be used as it is; nothing was written */
export async function checkServer(database: Database, place: string): Promise<void> {
  const { rows } = await sql<{ version: number; text: string; encoding: string; schema: string | null }>`
    select current_setting('server_version_num')::integer as version, current_setting('server_version') as text,
      current_setting('server_encoding') as encoding, current_schema() as schema`.execute(database)
  const { version, text, encoding, schema } = rows[0]!
  const refusal = (what: string, hint: string) => new OperatorError(`PostgreSQL at ${place} ${what}`, { hint })
  if (version < OLDEST_VERSION) throw refusal(`is version ${text}`, "Carrel needs 14 or newer")
  if (encoding !== "UTF8")
    throw refusal(`has a database in ${encoding}`, "create database NAME encoding 'UTF8' template template0")
  if (schema === null) throw refusal("has no schema that this user may use", "see its search_path and privileges")
}

/**
 * @param database may wait: migrations take as long as they take
 * @param mayBeNewer whether migrations that this version does not know are no reason to refuse: they only added
 * @throws OperatorError for a database of a newer version, and for one that holds other tables than ours
 */
export async function migrate(
  database: Database,
  place: string,
  migrations: Migrations,
  mayBeNewer: () => Promise<boolean>,
): Promise<void> {
  const inTurn = (work: (trx: Trx, pending: Migrations) => Promise<void>) =>
    database.transaction().execute(async trx => {
      await sql`select ${LOCK}`.execute(trx)
      const applied = await appliedOf(trx, place, migrations, mayBeNewer)
      await work(
        trx,
        migrations.filter(({ name }) => !applied.includes(name)),
      )
    })
  const before = await appliedOf(database, place, migrations, mayBeNewer)
  if (migrations.every(({ name }) => before.includes(name))) return
  for (const { name } of migrations)
    await inTurn(async (trx, pending) => {
      const migration = pending.find(each => each.name === name)
      if (!migration) return
      if (pending.length === migrations.length) await beginNotes(trx)
      await migration.postgres(trx)
      await note(trx, name)
    })
}

/** In a database that is empty. */
async function beginNotes(trx: Trx): Promise<void> {
  await sql.raw(forPostgres("create table migrations (name text primary key, applied_at text not null)")).execute(trx)
}

async function note(trx: Trx, name: string): Promise<void> {
  await sql`insert into migrations (name, applied_at) values (${name}, ${new Date().toISOString()})`.execute(trx)
}

/** Names of the migrations that the database has; none in one that is empty. @throws OperatorError as `migrate` */
async function appliedOf(
  executor: Executor,
  place: string,
  migrations: Migrations,
  mayBeNewer: () => Promise<boolean>,
): Promise<string[]> {
  const tables = await tablesOf(executor)
  if (tables.size === 0) return []
  const isOurs = tables.get("migrations") === "applied_at,name"
  const applied = isOurs ? await appliedMigrations(executor) : []
  if (!applied.includes(migrations[0]!.name))
    throw new OperatorError(
      `PostgreSQL at ${place} holds tables that are not Carrel's (${[...tables.keys()].slice(0, TOLD).join(", ")})`,
      { hint: "give Carrel a database of its own" },
    )
  const newer = applied.find(name => !migrations.some(migration => migration.name === name))
  if (newer !== undefined && !(await mayBeNewer())) throw writtenByNewer(newer, `PostgreSQL at ${place}`)
  return applied
}

/** Tables told of in a refusal. */
const TOLD = 3

/** Those of our schema with their columns, but for what extensions bring. */
async function tablesOf(executor: Executor): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; columns: string }>`
    select pg_class.relname as name, string_agg(pg_attribute.attname, ',' order by pg_attribute.attname) as columns
    from pg_class join pg_namespace on pg_namespace.oid = pg_class.relnamespace
      left join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where nspname = current_schema() and relkind in ('r', 'p') and not exists (
      select 1 from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    group by pg_class.relname order by pg_class.relname`.execute(executor)
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}
