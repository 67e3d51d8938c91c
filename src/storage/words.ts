/**
 * What SQLite and PostgreSQL say in different words, as text of SQL. A `?` stands for a value: of `readRows`, or of `filled`
 * for Kysely. Everything else in our statements both understand.
 */
import { PostgresAdapter, type RawBuilder, sql } from "kysely"
import { isStorable } from "../storable.ts"
import type { Executor } from "./database.ts"
import type { JsonWords } from "./json-words.ts"
import { postgresJson, toPostgresText } from "./postgres/json-words.ts"
import { sqliteJson } from "./sqlite/json-words.ts"

/** Types of the columns of `rows`. */
type ColumnType = "text" | "integer"

export interface Words {
  /** Whether `text` holds `?` as it stands. */
  contains(text: string): string
  /** The same, where small and capital letters of ASCII are equal, for `?` made by `anywhere`. */
  containsBlind(text: string): string
  /** Whether `text` begins with `?` as it stands. */
  begins(text: string): string
  /** A text as it is to be bound where it may hold what no column does, such as U+0000. */
  bound(text: string): string
  /** Whether `value` is one of `?`, made by `texts` or JSON of numbers. */
  among(value: string, type: ColumnType): string
  /** Whether a JSON array of texts has an entry in common with another, `?`. */
  overlaps(array: string): string
  /** A column in a condition for which no index is to be used; PostgreSQL knows by itself. */
  unindexed(column: string): string
  /** A text for each row, as one with blanks between them; null where there is no row. */
  joined(text: string): string
  /** `?`, the JSON of an array of objects, as a table. */
  rows(columns: Record<string, ColumnType>): string
  /** A time some seconds later, both SQL. */
  later(time: string, seconds: string): string
  json: JsonWords
}

/** For a thread that reads the file without Kysely. */
export const sqliteWords: Words = {
  contains: text => `instr(${text}, ?) > 0`,
  containsBlind: text => `${text} like ? escape '\\'`,
  begins: text => `instr(${text}, ?) = 1`,
  bound: text => text,
  among: value => `${value} in (select value from json_each(?))`,
  overlaps: array =>
    `exists (select 1 from json_each(${array}) as entry where entry.value in (select value from json_each(?)))`,
  unindexed: column => `+${column}`,
  joined: text => `group_concat(${text}, ' ')`,
  rows: columns => {
    const fields = Object.keys(columns).map(name => `value ->> '${name}' as ${name}`)
    return `(select ${fields.join(", ")} from json_each(?))`
  },
  later: (time, seconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${time}, '+' || (${seconds}) || ' seconds')`,
  json: sqliteJson,
}

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`
const TYPES = { text: "text", integer: "bigint" } as const satisfies Record<ColumnType, string>

const postgres: Words = {
  contains: text => `strpos(${text}, ?) > 0`,
  containsBlind: text => `${text} ilike ? escape '\\'`,
  begins: text => `starts_with(${text}, ?)`,
  bound: toPostgresText,
  among: (value, type) => `${value} in (select value::${TYPES[type]} from json_array_elements_text(?::json) as value)`,
  // Compared as JSON is written, which holds what text of PostgreSQL cannot.
  overlaps: array => `exists (select 1 from json_array_elements(${array}::json) as entry
    where entry::text in (select value::text from json_array_elements(?::json) as value))`,
  unindexed: column => column,
  joined: text => `string_agg(${text}, ' ')`,
  rows: columns => {
    const fields = Object.entries(columns).map(([name, type]) => `${name} ${TYPES[type]}`)
    return `(select * from json_to_recordset(?::json) as given(${fields.join(", ")}))`
  },
  later: (time, seconds) =>
    `to_char((${time})::timestamptz at time zone 'utc' + make_interval(secs => ${seconds}), ${TIME})`,
  json: postgresJson,
}

export const isPostgres = (executor: Executor): boolean => executor.getExecutor().adapter instanceof PostgresAdapter

/** The words of the database that a query runs on. */
export const words = (executor: Executor): Words => (isPostgres(executor) ? postgres : sqliteWords)

/** SQL with its `?` filled, for Kysely. */
export function filled<Result = unknown>(text: string, ...values: unknown[]): RawBuilder<Result> {
  const pieces = text.split("?")
  if (pieces.length !== values.length + 1) throw new Error(`${values.length} values for: ${text}`)
  const parts = pieces.flatMap((piece, at) => (at === 0 ? [sql.raw(piece)] : [sql`${values[at - 1]}`, sql.raw(piece)]))
  return sql<Result>`${sql.join(parts, sql.raw(""))}`
}

/** JSON of texts for `among`; those that no text of a database equals are left out. */
export const texts = (list: readonly string[]): string => JSON.stringify(list.filter(isStorable))

/** A pattern for `containsBlind`. */
export const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`
