/**
 * The process that reads one table and runs statements over it, one at a time: `carrel table`. The table is read once.
 * A process of its own, because neither a native SQLite loop nor a decompression bomb can be stopped inside a thread.
 */
import { ExtractionError } from "../storage/document.ts"
import { type Conversation, serveParent } from "../threads/child-side.ts"
import { fileBytes } from "../threads/mapped-file.ts"
import { parseTable, TableProblem } from "./table-parse.ts"
import { openTable, queryTable } from "./table-sql.ts"
import type { TableReply, TableRequest, TableShape } from "./table-types.ts"

/** Characters of the names of columns, and of sheets, that are told; more is no help to whoever writes a statement. */
const MAX_NAME_CHARACTERS = 8_000

interface LoadedTable {
  database: ReturnType<typeof openTable>
  shape: TableShape
}

/** Serves until the parent closes the line; the first request brings the file. @param told see serveParent */
export function serveTables(told: string | undefined): Promise<void> {
  let table: LoadedTable | undefined
  return serveParent<TableRequest, TableReply>(told, async (request, { files }: Conversation<never>) => {
    try {
      table ??= await load(request, fileBytes(files[0]!).bytes)
    } catch (error) {
      return { ok: false, problem: problemOf(error) }
    }
    return answerFrom(table, request)
  })
}

/** One statement over the bytes of a file. */
export async function answer(request: TableRequest, bytes: Uint8Array): Promise<TableReply> {
  try {
    const table = await load(request, bytes)
    using _ = { [Symbol.dispose]: () => table.database.close() }
    return answerFrom(table, request)
  } catch (error) {
    return { ok: false, problem: problemOf(error) }
  }
}

async function load({ type, sheet }: TableRequest, bytes: Uint8Array): Promise<LoadedTable> {
  const loaded = await loadedFrom(bytes, type, sheet)
  // What reading has left behind, several times the size of the table, is not kept with it.
  Bun.gc(true)
  return loaded
}

async function loadedFrom(bytes: Uint8Array, type: string, sheet: string | undefined): Promise<LoadedTable> {
  const table = await parseTable(bytes, type, sheet)
  const shape: TableShape = {
    rowCount: table.rows.length,
    columns: firstOf(table.columns, ({ name }) => name.length),
    columnCount: table.columns.length,
    sheets: firstOf(table.sheets, name => name.length),
    sheetCount: table.sheets.length,
    cut: table.cut,
  }
  return { database: openTable(table), shape }
}

function answerFrom({ database, shape }: LoadedTable, request: TableRequest): TableReply {
  try {
    return { ok: true, ...queryTable(database, request.sql, request), table: shape }
  } catch (error) {
    return { ok: false, problem: error instanceof TableProblem ? error.message : "The statement failed.", table: shape }
  }
}

function problemOf(error: unknown): string {
  if (error instanceof TableProblem) return error.message
  const why = error instanceof ExtractionError ? `: ${error.message}` : ""
  return `The file cannot be read as a table${why}.`
}

function firstOf<T>(items: T[], lengthOf: (item: T) => number): T[] {
  let left = MAX_NAME_CHARACTERS
  const end = items.findIndex(item => {
    left -= lengthOf(item)
    return left < 0
  })
  return end < 0 ? items : items.slice(0, end)
}
