/** A csv, xls or xlsx file as columns and rows. Runs in the table process only: it blocks and may need much memory. */
import Papa from "papaparse"
import { decodeText } from "../ingest/formats/text/decode.ts"
import type { Cell, ColumnType } from "./table-types.ts"

export interface ParsedTable {
  columns: { name: string; type: ColumnType }[]
  rows: Cell[][]
  sheets: string[]
  cut: boolean
}

/** What the user of the tool can act on. */
export class TableProblem extends Error {}

/** Rows that are loaded; more would neither fit the memory nor the time of one call. */
const MAX_ROWS = 500_000
/** SQLite allows 2 000; a wider sheet is a layout, not a table. */
const MAX_COLUMNS = 1_000
/** Rows that are looked at for the header. */
const HEADER_SEARCH_ROWS = 20

export async function parseTable(bytes: Uint8Array, type: string, sheet?: string): Promise<ParsedTable> {
  const { rows, sheets } = type === "csv" ? { rows: csvRows(bytes), sheets: [] } : await workbookRows(bytes, sheet)
  return shape(rows, sheets)
}

function csvRows(bytes: Uint8Array): unknown[][] {
  const parsed = Papa.parse<string[]>(decodeText(bytes), {
    skipEmptyLines: "greedy",
    preview: MAX_ROWS + HEADER_SEARCH_ROWS,
  })
  return parsed.data.map(row => row.map(typedCell))
}

async function workbookRows(bytes: Uint8Array, wanted?: string): Promise<{ rows: unknown[][]; sheets: string[] }> {
  // As indexing reads them: what is found can be queried, in the same letters.
  const { mendText, openWorkbook } = await import("../ingest/formats/legacy/xls.ts")
  const { openPackage } = await import("../ingest/formats/office/office-crypto.ts")
  const { utils } = await import("@e965/xlsx")
  const plain = openPackage(bytes)
  const { SheetNames: stored } = openWorkbook(plain, { bookSheets: true })
  const names = stored.map(mendText({ SheetNames: stored, Sheets: {} }))
  const at = wanted === undefined ? 0 : names.findIndex(each => each.toLowerCase() === wanted.trim().toLowerCase())
  const [sheetName, name] = [stored[at], names[at]]
  if (sheetName === undefined || name === undefined)
    throw new TableProblem(
      `There is no sheet ${JSON.stringify(wanted)}; the sheets are ${names.map(each => JSON.stringify(each)).join(", ")}.`,
    )
  const book = openWorkbook(plain, {
    sheets: sheetName,
    dense: true,
    cellDates: true,
    UTC: true,
    cellFormula: false,
    cellHTML: false,
    cellText: false,
    sheetRows: MAX_ROWS + HEADER_SEARCH_ROWS,
  })
  const sheet = book.Sheets[sheetName]
  const rows = sheet
    ? utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: true, defval: null, blankrows: false, UTC: true })
    : []
  const mend = mendText(book)
  const cell = (value: unknown) => workbookCell(typeof value === "string" ? mend(value) : value)
  return { rows: rows.map(row => row.map(cell)), sheets: [name, ...names.filter(each => each !== name)] }
}

function workbookCell(value: unknown): Cell {
  if (value === null || value === undefined || value === "") return null
  if (typeof value === "number") return value
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date)
    return Number.isNaN(value.getTime())
      ? null
      : value
          .toISOString()
          .replace(/T00:00:00\.000Z$/, "")
          .replace(/\.000Z$/, "")
          .replace("T", " ")
  return String(value).trim()
}

/** Up to 15 digits a double is exact. No leading zeros: those are codes, not numbers. */
const INTEGER = /^[+-]?(?:0|[1-9]\d{0,14})$/
const REAL = /^[+-]?(?:0|[1-9]\d{0,14})?\.\d+(?:e[+-]?\d{1,3})?$|^[+-]?[1-9]\d{0,14}(?:\.\d+)?e[+-]?\d{1,3}$/i
const GROUPED = /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/

/** Text as it stands; what looks like a number is settled per column in `shape`. */
function typedCell(text: string): Cell {
  const trimmed = text.trim()
  return trimmed === "" ? null : trimmed
}

function numberOf(cell: Cell): number | undefined {
  if (typeof cell === "number") return cell
  if (cell === null) return undefined
  if (INTEGER.test(cell) || REAL.test(cell)) return Number(cell)
  return GROUPED.test(cell) ? Number(cell.replaceAll(",", "")) : undefined
}

function shape(all: unknown[][], sheets: string[]): ParsedTable {
  const given = all.map(row => row as Cell[]).filter(row => row.some(cell => cell !== null))
  if (given.length === 0)
    throw new TableProblem(
      sheets.length > 0 ? `The sheet ${JSON.stringify(sheets[0])} is empty.` : "The file holds no table.",
    )
  const headerAt = headerRow(given)
  const body = given.slice(headerAt + 1)
  const rows = body.slice(0, MAX_ROWS)
  let width = given[headerAt]!.length
  for (const row of rows) width = Math.max(width, row.length)
  if (width > MAX_COLUMNS)
    throw new TableProblem(`The table has ${width} columns; at most ${MAX_COLUMNS} can be queried.`)
  const names = columnNames(given[headerAt]!, width)
  const columns = names.map((name, at) => ({ name, type: columnType(rows, at) }))
  return {
    columns,
    rows: rows.map(row => columns.map(({ type }, at) => stored(row[at] ?? null, type))),
    sheets,
    cut: body.length > MAX_ROWS,
  }
}

/** The first row that is about as full as the fullest of the first rows: titles above a table fill one or two cells. */
function headerRow(rows: Cell[][]): number {
  const filled = rows.slice(0, HEADER_SEARCH_ROWS).map(row => row.filter(cell => cell !== null).length)
  const most = Math.max(...filled)
  return Math.max(
    0,
    filled.findIndex(count => count * 2 > most),
  )
}

function columnNames(header: Cell[], width: number): string[] {
  const taken = new Set<string>()
  return Array.from({ length: width }, (_, at) => {
    const base =
      String(header[at] ?? "")
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, 200) || `column_${at + 1}`
    let name = base
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}_${n}`
    taken.add(name.toLowerCase())
    return name
  })
}

function columnType(rows: Cell[][], at: number): ColumnType {
  let type: ColumnType | undefined
  for (const row of rows) {
    const cell = row[at] ?? null
    if (cell === null) continue
    const number = numberOf(cell)
    if (number === undefined) return "TEXT"
    if (!Number.isSafeInteger(number) || (typeof cell === "string" && /[.e]/i.test(cell))) type = "REAL"
    else type ??= "INTEGER"
  }
  return type ?? "TEXT"
}

const stored = (cell: Cell, type: ColumnType): Cell =>
  cell === null ? null : type === "TEXT" ? String(cell) : numberOf(cell)!
