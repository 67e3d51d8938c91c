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
/** Of what SQLite says, which repeats parts of the statement. */
const MAX_MESSAGE_CHARACTERS = 500

interface Bounds {
  maxRows: number
  maxCharacters: number
}

export interface QueryRows {
  columns: string[]
  rows: Cell[][]
  /** True when the statement has more rows than fit. */
  more: boolean
  /** Columns at the end that did not fit. */
  columnsLeftOut: number
}

/** A table that statements can be run over, one after the other. @throws TableProblem with what SQLite says about it */
export function openTable(table: ParsedTable): DatabaseSync {
  const database = new DatabaseSync(":memory:", { allowExtension: false })
  try {
    // The process may open no file, and SQLite sorts what is large in one.
    database.exec("pragma temp_store = memory")
    load(database, table)
    database.setAuthorizer((action, first, second) => {
      if (READING.has(action)) return constants.SQLITE_OK
      const allowed =
        action === constants.SQLITE_FUNCTION && !FORBIDDEN_FUNCTIONS.has(String(second ?? first).toLowerCase())
      return allowed ? constants.SQLITE_OK : constants.SQLITE_DENY
    })
    return database
  } catch (error) {
    database.close()
    throw problemOf(error)
  }
}

/** @throws TableProblem with what SQLite says about the statement */
export function queryTable(database: DatabaseSync, text: string, bounds: Bounds): QueryRows {
  try {
    return read(database, text, bounds)
  } catch (error) {
    throw problemOf(error)
  }
}

const problemOf = (error: unknown): TableProblem =>
  error instanceof TableProblem ? error : new TableProblem(explain((error as Error).message))

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

function load(database: DatabaseSync, { columns, rows }: ParsedTable): void {
  database.exec(`create table data (${columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(", ")})`)
  const insert = database.prepare(`insert into data values (${columns.map(() => "?").join(", ")})`)
  database.exec("begin")
  for (const row of rows) insert.run(...row)
  database.exec("commit")
}

function read(database: DatabaseSync, text: string, { maxRows, maxCharacters }: Bounds): QueryRows {
  const statement = database.prepare(text)
  if (hasMore(text, statement.sourceSQL)) throw new TableProblem("Only one statement can be run at a time.")
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const names = statement.columns().map(column => String(shown(column.name)))
  if (names.length === 0) throw new TableProblem("Only a SELECT can be run: the table is for reading.")
  // One row at least is shown, and the names above it: as many of its cells as half of the room has space for.
  let room = maxCharacters
  let columns: string[] | undefined
  const rows: Cell[][] = []
  for (const row of statement.iterate() as Iterable<unknown>) {
    if (rows.length === maxRows) return resultOf(names, columns, rows, true)
    const cells = (row as unknown[]).slice(0, columns?.length).map(shown)
    columns ??= names.slice(0, fitting(names, cells, maxCharacters))
    cells.length = columns.length
    room -= cells.reduce<number>((sum, cell) => sum + lengthOf(cell), 0)
    if (room < 0 && rows.length > 0) return resultOf(names, columns, rows, true)
    rows.push(cells)
  }
  return resultOf(names, columns, rows, false)
}

function resultOf(names: string[], columns = names, rows: Cell[][], more: boolean): QueryRows {
  return { columns, rows, more, columnsLeftOut: names.length - columns.length }
}

const lengthOf = (cell: Cell): number => String(cell ?? "").length + 1

/** How many columns fit with their names and the first row; one at least. */
function fitting(names: string[], cells: Cell[], maxCharacters: number): number {
  let length = 0
  const end = names.findIndex((name, at) => {
    length += lengthOf(name) + lengthOf(cells[at] ?? null)
    return length > maxCharacters
  })
  return end < 0 ? names.length : Math.max(1, end)
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
  return `SQLite says: ${message.slice(0, MAX_MESSAGE_CHARACTERS)}`
}
