import Papa from "papaparse"
import type { DocumentBuilder, RawBlock } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { decodeText } from "./decode.ts"
import { linesOf } from "./lines.ts"
import { addPieces } from "./text.ts"

/** Larger files are taken line by line as they are: parsed rows need about ten times the memory of their text. */
const MAX_PARSED_BYTES = 32 * 1024 * 1024

/** Rows with tabs between the cells; the first row is the header where it looks like one. */
export const extractCsv: Extractor = async (source, context) => {
  if (source.bytes.length > MAX_PARSED_BYTES) {
    let first = true
    return addPieces(source.bytes, context, text => {
      const blocks = splitRows(text, first)
      first = false
      return blocks
    })
  }
  const { data } = Papa.parse<string[]>(decodeText(source.bytes), { skipEmptyLines: true })
  addTable(data, context.out)
}

/** Adds rows as blocks; empty ones are passed over. */
export function addTable(rows: Iterable<readonly string[]>, out: DocumentBuilder): void {
  const table = new TableRows(out)
  for (const row of rows) table.add(row)
  table.end()
}

/** Takes the rows of one table one by one; the first waits for the second, which shows whether it is a header. */
export class TableRows {
  private first: readonly string[] | undefined
  private begun = false

  constructor(private readonly out: DocumentBuilder) {}

  add(row: readonly string[]): void {
    if (this.begun) this.out.add("table_row", rowText(row))
    else if (!this.first) this.first = row
    else {
      this.begin(looksLikeHeader(this.first))
      this.out.add("table_row", rowText(row))
    }
  }

  /** The next row added begins another table. */
  end(): void {
    if (!this.begun) this.begin(false)
    this.first = undefined
    this.begun = false
  }

  private begin(headed: boolean): void {
    if (this.first) this.out.add(headed ? "table_header" : "table_row", rowText(this.first))
    this.begun = true
  }
}

/** One line per row: a line break inside a cell becomes a blank. */
export function rowText(cells: readonly string[]): string {
  return cells
    .map(cell => cell.replace(/\s+/g, " ").trim())
    .join("\t")
    .trimEnd()
}

const isNumber = (cell: string): boolean => /^[\s\d.,:%€$+-]+$/.test(cell) && /\d/.test(cell)

/** A row of names: more than one cell, none empty but the first, none a number. */
function looksLikeHeader(row: readonly string[]): boolean {
  if (row.filter(cell => cell.trim()).length < 2) return false
  return row.every((cell, i) => (i === 0 || cell.trim() !== "") && !isNumber(cell))
}

function* splitRows(text: string, first: boolean): Generator<RawBlock> {
  let header = first
  for (const { start, end } of linesOf(text)) {
    if (!text.slice(start, end).trim()) continue
    yield { kind: header ? "table_header" : "table_row", start, end }
    header = false
  }
}
