import { rowsOf, TABLE_DESCRIPTION, TABLE_PARAMETERS, type TableArguments } from "../../../tools/query-table.ts"
import { fitting } from "../bounds.ts"
import { COUNT, listOf, record, TEXT, URL_TEXT } from "../schemas.ts"
import type { McpTool } from "../tool.ts"
import { agentContext } from "./reading.ts"

/** Of all cells of a result; names of columns and sheets come to 16 000 more at most. */
const MAX_CELL_CHARACTERS = 30_000

const COLUMN = record({ name: TEXT, type: TEXT })

export const queryTable: McpTool<TableArguments> = {
  name: "query_table",
  title: "Query tables",
  description: TABLE_DESCRIPTION,
  scope: "files:read",
  readOnly: true,
  idempotent: true,
  audit: "file.download",
  parameters: TABLE_PARAMETERS,
  result: record(
    {
      file_id: TEXT,
      columns: listOf(TEXT),
      rows: listOf(listOf({ type: ["string", "number", "null"] })),
      table: record({ row_count: COUNT, columns: listOf(COLUMN), sheets: listOf(TEXT) }),
      url: URL_TEXT,
    },
    {
      more: { type: "boolean", description: "The statement has more rows: narrow it, or use LIMIT and OFFSET" },
      columns_left_out: { ...COUNT, description: "Columns at the end that did not fit: name the ones you need" },
      next_start: { ...COUNT, description: "Rows from here on did not fit: call again with this as OFFSET" },
    },
  ),
  async execute(asked, call) {
    const { house, principal, guard } = call
    const { file, rows: reply } = await rowsOf(asked, MAX_CELL_CHARACTERS, agentContext(call))
    const columns = await guard.value(reply.columns)
    const rows = await guard.value(reply.rows)
    const { rowCount, columns: described, sheets } = reply.table
    const table = { row_count: rowCount, ...(await guard.value({ columns: described, sheets })) }
    const url = house.links.linkTo(principal, file.id)
    return fitting(rows.length, count => {
      const isCut = count < rows.length
      return {
        structured: {
          file_id: file.id,
          columns,
          rows: rows.slice(0, count),
          table,
          url,
          ...(reply.more || isCut ? { more: true } : {}),
          ...(reply.columnsLeftOut > 0 ? { columns_left_out: reply.columnsLeftOut } : {}),
          ...(isCut ? { next_start: count } : {}),
        },
      }
    })
  },
}
