/**
 * One read-only statement over one in-memory table named `data`. SQLite's own authorizer refuses everything but reading:
 * writes, ATTACH, PRAGMA, virtual tables and extension loading fail while the statement is compiled.
 * Time and memory are bounded from outside, by killing the process.
 */
import { constants, DatabaseSync } from "node:sqlite"
import type { ParsedTable } from "./table-parse.ts"
import { TableProblem } from "./table-parse.ts"
import type { Cell } from "./table-types.ts"

const READING = new Set<number>([constants.SQLITE_SELECT, constants.SQLITE_READ, constants.SQLITE_RECURSIVE])
const FORBIDDEN_FUNCTIONS = new Set([
  "load_extension",
  "fts3_tokenizer",
  "readfile",
  "writefile",
  "edit",
  "zeroblob",
  "randomblob",
])
/** Characters of one cell in a result. */
const MAX_CELL_CHARACTERS = 2_000

export interface QueryRows {
  columns: string[]
  rows: Cell[][]
  /** True when the statement has more rows than `maxRows`. */
  more: boolean
}

/** @throws TableProblem with what SQLite says about the statement */
export function queryTable(table: ParsedTable, text: string, maxRows: number): QueryRows {
  const database = new DatabaseSync(":memory:", { allowExtension: false })
  try {
    load(database, table)
    database.setAuthorizer((action, first, second) => {
      if (READING.has(action)) return constants.SQLITE_OK
      const allowed =
        action === constants.SQLITE_FUNCTION && !FORBIDDEN_FUNCTIONS.has(String(second ?? first).toLowerCase())
      return allowed ? constants.SQLITE_OK : constants.SQLITE_DENY
    })
    return read(database, text, maxRows)
  } catch (error) {
    if (error instanceof TableProblem) throw error
    throw new TableProblem(explain((error as Error).message))
  } finally {
    database.close()
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

function load(database: DatabaseSync, { columns, rows }: ParsedTable): void {
  database.exec(`create table data (${columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(", ")})`)
  const insert = database.prepare(`insert into data values (${columns.map(() => "?").join(", ")})`)
  database.exec("begin")
  for (const row of rows) insert.run(...row)
  database.exec("commit")
}

function read(database: DatabaseSync, text: string, maxRows: number): QueryRows {
  const statement = database.prepare(text)
  if (hasMore(text, statement.sourceSQL)) throw new TableProblem("Only one statement can be run at a time.")
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const columns = statement.columns().map(column => column.name)
  if (columns.length === 0) throw new TableProblem("Only a SELECT can be run: the table is for reading.")
  const rows: Cell[][] = []
  for (const row of statement.iterate() as Iterable<unknown>) {
    if (rows.length === maxRows) return { columns, rows, more: true }
    rows.push((row as unknown[]).map(shown))
  }
  return { columns, rows, more: false }
}

/** True when something other than blanks and comments follows the first statement. */
function hasMore(text: string, first: string): boolean {
  const rest = text.slice(text.indexOf(first) + first.length)
  return rest.replace(/--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\//g, "").replace(/[\s;]/g, "") !== ""
}

function shown(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (typeof value === "number") return Number(value.toPrecision(15)) // 0.1 + 0.2 is 0.3 to the reader
  if (value instanceof Uint8Array) return `<${value.byteLength} bytes>`
  const text = String(value)
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text
}

function explain(message: string): string {
  if (/not authorized|prohibited/i.test(message))
    return "That is not allowed: the table is for reading, with a single SELECT and without PRAGMA, ATTACH or extensions."
  if (/finalized/i.test(message)) return "The statement is empty."
  return `SQLite says: ${message}`
}
