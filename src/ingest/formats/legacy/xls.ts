import { type CellObject, type ParsingOptions, read, set_cptable, utils, type WorkBook } from "@e965/xlsx"
import * as codePages from "@e965/xlsx/dist/cpexcel.full.mjs"
import iconv from "iconv-lite"
import { ExtractionError } from "../../../storage/document.ts"
import type { Extractor } from "../extractor.ts"
import { formatDate, isDateFormat } from "../office/xlsx-values.ts"
import { addTable } from "../text/csv.ts"
import { decodeBytes, detectCodePage, isMisreadWestern } from "../text/legacy-text.ts"
import { isOle, openOle } from "./ole.ts"
import { decryptWorkbook } from "./xls-decrypt.ts"

// Without it the library reads the workbooks of Excel 95 and older, whatever their code page, as Western ones.
set_cptable(codePages)

/** Excel 97-2003 and older (BIFF), and what else SheetJS makes of a file with this name. */
export const extractXls: Extractor = async (source, { out, progress, pause }) => {
  const book = openWorkbook(source.bytes, OPTIONS)
  const date1904 = book.Workbook?.WBProps?.date1904 ?? false
  const mend = mendText(book)
  for (const [index, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name]
    if (!sheet) continue
    out.at({ sheet: mend(name), section: null })
    out.add("heading", mend(name), 1)
    const rows = (sheet["!data"] ?? []).filter(Boolean)
    addTable(
      rows.map(cells => Array.from(cells, cell => mend(shown(cell, date1904)))),
      out,
    )
    for (const cells of rows)
      for (const cell of cells) for (const comment of cell?.c ?? []) out.add("notes", mend(comment.t ?? ""))
    progress((index + 1) / book.SheetNames.length)
    await pause()
  }
}

/** Code units of text that are looked at. */
const SAMPLE_CHARS = 20_000

/** Old workbooks may name the Western code page and be in another: what their words then look like no language has. */
export function mendText(book: WorkBook): (text: string) => string {
  const sample = sampleText(book)
  if (!isMisreadWestern(sample)) return text => text
  const page = detectCodePage(iconv.encode(sample, "windows-1252"), [])
  // A cell of few letters, or of digits alone, is the same in both or follows the others.
  return text => (/[^\x00-\x7f]/.test(text) ? decodeBytes(iconv.encode(text, "windows-1252"), page) : text)
}

function sampleText(book: WorkBook): string {
  let sample = book.SheetNames.join("\n")
  for (const name of book.SheetNames)
    for (const cells of (book.Sheets[name]?.["!data"] ?? []).filter(Boolean))
      for (const cell of cells) {
        if (cell?.t === "s") sample += `\n${cell.v}`
        if (sample.length > SAMPLE_CHARS) return sample
      }
  return sample
}

/**
 * As the number format shows it, but for dates, which are written in full. `sheet_to_json` would leave errors such as
 * `#N/A` out. Rows have gaps.
 */
function shown(cell: CellObject | undefined, date1904: boolean): string {
  if (!cell) return ""
  const dated = cell.t === "n" && typeof cell.z === "string" && isDateFormat(-1, cell.z)
  return (dated ? formatDate(cell.v as number, date1904) : undefined) ?? cell.w ?? utils.format_cell(cell)
}

const OPTIONS: ParsingOptions = {
  cellDates: false,
  cellFormula: false,
  cellHTML: false,
  cellNF: true,
  dense: true,
}

/**
 * Any workbook that SheetJS reads, of those that are protected those that everyone may read. `options.type` is set here.
 * @throws ExtractionError `encrypted_file`
 */
export function openWorkbook(bytes: Uint8Array, given: ParsingOptions): WorkBook {
  const options: ParsingOptions = { ...given, type: "array" }
  const stream = isOle(bytes) ? workbookStream(bytes) : undefined
  const plain = stream && decryptWorkbook(stream)
  if (stream && !plain) throw new ExtractionError("encrypted_file", "the workbook needs a password")
  if (plain && plain !== stream) return read(plain, options)
  try {
    return read(bytes, options)
  } catch (error) {
    if (/password|encrypt/i.test(String((error as Error | undefined)?.message)))
      throw new ExtractionError("encrypted_file", "the workbook is encrypted")
    if (!stream) throw error
    // The damage may lie in the container only, which our own reader takes more lightly.
    return read(stream, options)
  }
}

function workbookStream(bytes: Uint8Array): Uint8Array | undefined {
  const streams = openOle(bytes)
  return streams.get("workbook") ?? streams.get("book")
}
