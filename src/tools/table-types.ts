/** What goes between the daemon and the process that reads a table. The file itself comes as an open one. */
export interface TableRequest {
  /** `csv`, `xls` or `xlsx`. */
  type: string
  sql: string
  sheet?: string
  maxRows: number
  /** Characters of all cells of the result together; what exceeds them is left out. */
  maxCharacters: number
}

export type Cell = string | number | null

export type TableReply =
  | { ok: true; columns: string[]; rows: Cell[][]; more: boolean; columnsLeftOut: number; table: TableShape }
  /** `problem` is for the model: bad SQL, unknown sheet, not a table. */
  | { ok: false; problem: string; table?: TableShape }

/** The table `data` as it was loaded. */
export interface TableShape {
  rowCount: number
  /** The first of them, as far as they are told. */
  columns: { name: string; type: ColumnType }[]
  columnCount: number
  /** Names of the sheets of a workbook, the loaded one first, as far as they are told; empty for csv. */
  sheets: string[]
  sheetCount: number
  /** True when the file has more rows than were loaded. */
  cut: boolean
}

export type ColumnType = "INTEGER" | "REAL" | "TEXT"
