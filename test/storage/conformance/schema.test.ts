/** The same tables, columns, kinds, keys and unique indexes on both sides. */
import { expect, test } from "bun:test"
import { sql } from "kysely"
import type { Database } from "../../../src/storage/database.ts"
import { SIDES } from "./sides.ts"

interface Column {
  table: string
  column: string
  kind: string
  required: boolean
}

/** By name: the order of columns that were added later may differ. */
async function sqliteColumns(database: Database): Promise<Column[]> {
  const { rows } = await sql<{ table: string; column: string; kind: string; required: number }>`
    select tables.name as "table", columns.name as "column", lower(columns.type) as kind,
      columns."notnull" or columns.pk > 0 as required
    from sqlite_master as tables join pragma_table_info(tables.name) as columns
    where tables.type = 'table' and tables.name not like 'sqlite_%' order by 1, 2`.execute(database)
  return rows.map(row => ({ ...row, required: row.required === 1 }))
}

const KINDS: Record<string, string> = { text: "text", bigint: "integer", "double precision": "real" }

async function postgresColumns(database: Database): Promise<(Column & { collation: string | null })[]> {
  const { rows } = await sql<Column & { collation: string | null }>`
    select table_name as "table", column_name as "column", data_type as kind, is_nullable = 'NO' as required,
      collation_name as collation
    from information_schema.columns where table_schema = current_schema()
    order by table_name collate "C", column_name collate "C"`.execute(database)
  return rows.map(row => ({ ...row, kind: KINDS[row.kind] ?? row.kind }))
}

/** Of each unique index, primary keys included, its columns and its condition. */
async function sqliteUnique(database: Database): Promise<string[]> {
  const { rows } = await sql<{ unique: string }>`
    select tables.name || ' (' || group_concat(columns.name, ', ') || ')' || iif(indexes.partial, ' where', '') as "unique"
    from sqlite_master as tables join pragma_index_list(tables.name) as indexes
      join pragma_index_info(indexes.name) as columns
    where tables.type = 'table' and indexes."unique" group by tables.name, indexes.name order by 1`.execute(database)
  const { rows: numbered } = await sql<{ unique: string }>`
    select tables.name || ' (' || columns.name || ')' as "unique"
    from sqlite_master as tables join pragma_table_info(tables.name) as columns
    where tables.type = 'table' and columns.pk and lower(columns.type) = 'integer'
      and 1 = (select count(*) from pragma_table_info(tables.name) where pk)
      and tables.name not like 'sqlite_%'`.execute(database)
  return [...rows, ...numbered].map(row => row.unique).sort()
}

async function postgresUnique(database: Database): Promise<string[]> {
  const { rows } = await sql<{ unique: string }>`
    select pg_class.relname || ' (' || string_agg(attname, ', ' order by place) || ')'
      || case when indpred is null then '' else ' where' end as "unique"
    from pg_index join pg_class on pg_class.oid = indrelid
      join pg_namespace on pg_namespace.oid = relnamespace and nspname = current_schema()
      join lateral unnest(indkey::smallint[]) with ordinality as keys(attnum, place) on true
      join pg_attribute on attrelid = indrelid and pg_attribute.attnum = keys.attnum
    where indisunique group by indexrelid, pg_class.relname, indpred is null`.execute(database)
  return rows.map(row => row.unique).sort()
}

const { SQLite, PostgreSQL } = SIDES

test.skipIf(!PostgreSQL)("both sides have the same tables, columns, kinds and what must not be missing", async () => {
  const [sqlite, postgres] = [await SQLite!(), await PostgreSQL!()]
  const columns = await postgresColumns(postgres)
  expect(columns.map(({ collation: _, ...column }) => column)).toEqual(await sqliteColumns(sqlite))
  expect(columns.filter(({ kind, collation }) => (kind === "text") !== (collation === "C"))).toEqual([])
})

test.skipIf(!PostgreSQL)("both sides have the same primary keys and unique indexes", async () => {
  const [sqlite, postgres] = [await SQLite!(), await PostgreSQL!()]
  const unique = await sqliteUnique(sqlite)
  expect(unique.length).toBeGreaterThan(20)
  expect(await postgresUnique(postgres)).toEqual(unique)
})
