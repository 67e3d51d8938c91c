/**
 * The process that reads one table and runs one statement over it, then ends: `carrel table`.
 * A process of its own, because neither a native SQLite loop nor a decompression bomb can be stopped inside a thread.
 */
import { parseTable, TableProblem } from "./table-parse.ts"
import { queryTable } from "./table-sql.ts"
import type { TableReply, TableRequest } from "./table-types.ts"

/** Reads a TableRequest from standard input and writes a TableReply to standard output. */
export async function runTableProcess(): Promise<void> {
  const request = (await Bun.stdin.json()) as TableRequest
  await Bun.write(Bun.stdout, JSON.stringify(await answer(request)))
}

export async function answer({ path, type, sql, sheet, maxRows }: TableRequest): Promise<TableReply> {
  let table: Awaited<ReturnType<typeof parseTable>>
  try {
    table = await parseTable(path, type, sheet)
  } catch (error) {
    return { ok: false, problem: error instanceof TableProblem ? error.message : "The file cannot be read as a table." }
  }
  const shape = { rowCount: table.rows.length, columns: table.columns, sheets: table.sheets, cut: table.cut }
  try {
    return { ok: true, ...queryTable(table, sql, maxRows), table: shape }
  } catch (error) {
    return { ok: false, problem: error instanceof TableProblem ? error.message : "The statement failed.", table: shape }
  }
}
