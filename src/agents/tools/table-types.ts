/** What goes between the daemon and the process that reads a table, one JSON object each way. */
export interface TableRequest {
  path: string
  /** `csv`, `xls` or `xlsx`. */
  type: string
  sql: string
  sheet?: string
  maxRows: number
}

export type Cell = string | number | null

export type TableReply =
  | { ok: true; columns: string[]; rows: Cell[][]; more: boolean; table: TableShape }
  /** `problem` is for the model: bad SQL, unknown sheet, not a table. */
  | { ok: false; problem: string; table?: TableShape }

/** The table `data` as it was loaded. */
export interface TableShape {
  rowCount: number
  columns: { name: string; type: ColumnType }[]
  /** Names of all sheets of a workbook, the loaded one first; empty for csv. */
  sheets: string[]
  /** True when the file has more rows than were loaded. */
  cut: boolean
}

export type ColumnType = "INTEGER" | "REAL" | "TEXT"
