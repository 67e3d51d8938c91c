/**
 * The process that reads one table and runs one statement over it, then ends: `carrel table`.
 * A process of its own, because neither a native SQLite loop nor a decompression bomb can be stopped inside a thread.
 */
import { ExtractionError } from "../storage/document.ts"
import { type Conversation, serveParent } from "../threads/child-side.ts"
import { fileBytes } from "../threads/mapped-file.ts"
import { parseTable, TableProblem } from "./table-parse.ts"
import { queryTable } from "./table-sql.ts"
import type { TableReply, TableRequest, TableShape } from "./table-types.ts"

/** Characters of the names of columns, and of sheets, that are told; more is no help to whoever writes a statement. */
const MAX_NAME_CHARACTERS = 8_000

/** Serves until the parent closes the line. @param told see serveParent */
export const serveTables = (told: string | undefined): Promise<void> =>
  serveParent<TableRequest, TableReply>(told, (request, { files }: Conversation<never>) =>
    answer(request, fileBytes(files[0]!).bytes),
  )

export async function answer(request: TableRequest, bytes: Uint8Array): Promise<TableReply> {
  const { type, sql, sheet } = request
  let table: Awaited<ReturnType<typeof parseTable>>
  try {
    table = await parseTable(bytes, type, sheet)
  } catch (error) {
    return { ok: false, problem: problemOf(error) }
  }
  const shape: TableShape = {
    rowCount: table.rows.length,
    columns: firstOf(table.columns, ({ name }) => name.length),
    columnCount: table.columns.length,
    sheets: firstOf(table.sheets, name => name.length),
    sheetCount: table.sheets.length,
    cut: table.cut,
  }
  try {
    return { ok: true, ...queryTable(table, sql, request), table: shape }
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
