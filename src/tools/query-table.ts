import { withoutMarks } from "../grounding/citations.ts"
import { placeText } from "../grounding/passages.ts"
import { NOWHERE } from "../storage/document.ts"
import { FILE_ID, type FileContext, searchableFile } from "./files.ts"
import type { AgentFile } from "./library.ts"
import type { Cell, TableReply, TableShape } from "./table-types.ts"
import type { Tool, ToolContext } from "./tool.ts"
import { ToolError } from "./tool-error.ts"

/** Rows that one call gives; sums and groups are for the statement to make. */
const MAX_ROWS = 200
/** Of all cells together: what a model and a stored step get of a result, see `MAX_RESULT_CHARACTERS`. */
const MAX_CELL_CHARACTERS = 12_000
export const TABLE_TYPES = ["csv", "xls", "xlsx"]

export const TABLE_DESCRIPTION = `Runs one SQL SELECT (SQLite) over a csv, xls or xlsx file. The table is called data; SELECT * FROM data LIMIT 3 shows its columns. Put column names in double quotes. At most ${MAX_ROWS} rows come back: let SQL count, sum and group. Cite what it gives by its number.`

export interface TableArguments {
  file_id: string
  sql: string
  sheet?: string
}

export const TABLE_PARAMETERS = {
  type: "object",
  properties: {
    file_id: FILE_ID,
    sql: { type: "string", minLength: 1, maxLength: 10_000, description: "One SELECT over the table data" },
    sheet: { type: "string", maxLength: 100, description: "Sheet of a workbook; the first unless told" },
  },
  required: ["file_id", "sql"],
  additionalProperties: false,
}

/**
 * Runs one statement over a file that holds a table.
 * @throws ToolError with the problem and, where it is known, what the table looks like
 */
export async function rowsOf(
  { file_id, sql, sheet }: TableArguments,
  maxCharacters: number,
  context: FileContext & Pick<ToolContext, "tables" | "signal">,
): Promise<{ file: AgentFile; rows: TableRows }> {
  const file = await searchableFile(file_id, context)
  if (!TABLE_TYPES.includes(file.type))
    throw new ToolError(`${file.name} is a ${file.type} file; query_table reads csv, xls and xlsx. Use read_file.`)
  const { library, view } = context
  const { bytes, sha256 } = await library.original(view, file.id)
  const rows = await context.tables.read(
    {
      version: `${view.workspaceId} ${file.id} ${sha256}`,
      local: signal => bytes.local(signal),
      listen: listener => library.listen(file.id, listener),
    },
    { type: file.type, sql, maxRows: MAX_ROWS, maxCharacters, ...(sheet ? { sheet } : {}) },
    view.workspaceId,
    context.signal,
  )
  if (!rows.ok) throw new ToolError(rows.table ? `${rows.problem}\n${shapeText(rows.table)}` : rows.problem)
  return { file, rows }
}

type TableRows = Extract<TableReply, { ok: true }>

export const queryTable: Tool<TableArguments> = {
  name: "query_table",
  title: "Query tables",
  readsFiles: true,
  numbersPassages: true,
  description: TABLE_DESCRIPTION,
  parameters: TABLE_PARAMETERS,
  async execute(args, context) {
    const { file, rows } = await rowsOf(args, MAX_CELL_CHARACTERS, context)
    const position = { ...NOWHERE, sheet: rows.table.sheets[0] ?? null, start: 0, end: file.character_count ?? 0 }
    const index = context.passages.add({ file_id: file.id, chunk_id: null, name: file.name, position }, args.sql)
    const place = [file.name, placeText(position)].filter(Boolean).join(", ")
    return `[${index}] ${withoutMarks(`${place}: ${resultText(rows)}`)}`
  },
}

function resultText(reply: TableRows): string {
  const rows = reply.more ? `the first ${reply.rows.length} rows, there are more` : `${reply.rows.length} rows`
  const count = reply.columnsLeftOut > 0 ? `${rows}; ${reply.columnsLeftOut} columns were left out` : rows
  return [`${shapeText(reply.table)}\nResult: ${count}`, line(reply.columns), ...reply.rows.map(line)].join("\n")
}

function shapeText({ rowCount, columns, columnCount, sheets, sheetCount, cut }: TableShape): string {
  const leftOut = cut ? " (the file has more, which were left out)" : ""
  const named = columns.map(({ name, type }) => `"${name}" ${type}`).join(", ")
  const data = `data has ${rowCount} rows${leftOut} and the columns ${named}${more(columnCount - columns.length)}.`
  if (sheetCount < 2) return data
  const [own, ...others] = sheets.map(name => JSON.stringify(name))
  return `${data} It is the sheet ${own}; others: ${others.join(", ")}${more(sheetCount - sheets.length)}.`
}

const more = (count: number): string => (count > 0 ? ` and ${count} more` : "")

/** One row, as csv would write it. */
const line = (cells: Cell[]): string =>
  cells
    .map(cell =>
      cell === null ? "" : /[",\n\r]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell),
    )
    .join(",")
