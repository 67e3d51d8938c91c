import { type ParsingOptions, read, utils, type WorkBook } from "@e965/xlsx"
import { ExtractionError } from "../../storage/document.ts"
import { addTable } from "./csv.ts"
import type { Extractor } from "./extractor.ts"
import { isOle, openOle } from "./ole.ts"

/** Excel 97-2003 and older (BIFF), and what else SheetJS makes of a file with this name. */
export const extractXls: Extractor = async (source, { out, progress, pause }) => {
  const book = open(source.bytes)
  for (const [index, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name]
    if (!sheet) continue
    out.at({ sheet: name, section: null })
    out.add("heading", name, 1)
    const rows = utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: false, blankrows: false, defval: "" })
    addTable(
      rows.map(cells => cells.map(cell => String(cell ?? ""))),
      out,
    )
    for (const [address, cell] of Object.entries(sheet)) {
      if (address.startsWith("!")) continue
      for (const comment of (cell as { c?: { t?: string }[] }).c ?? []) out.add("notes", comment.t ?? "")
    }
    progress((index + 1) / book.SheetNames.length)
    await pause()
  }
}

const OPTIONS: ParsingOptions = { type: "array", cellDates: false, cellFormula: false, cellHTML: false, dense: false }

function open(bytes: Uint8Array): WorkBook {
  try {
    return read(bytes, OPTIONS)
  } catch (error) {
    if (/password|encrypt/i.test(String((error as Error | undefined)?.message)))
      throw new ExtractionError("encrypted_file", "the workbook is encrypted")
    const stream = isOle(bytes) ? workbookStream(bytes) : undefined
    if (!stream) throw error
    // The damage may lie in the container only, which our own reader takes more lightly.
    return read(stream, OPTIONS)
  }
}

function workbookStream(bytes: Uint8Array): Uint8Array | undefined {
  const streams = openOle(bytes)
  return streams.get("workbook") ?? streams.get("book")
}
