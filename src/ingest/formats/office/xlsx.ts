/** Excel workbooks: sheets with their rows, then what hangs on a sheet (comments, drawings, charts). ECMA-376 part 1, section 18. */
import { ExtractionError } from "../../../storage/document.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { TableRows } from "../text/csv.ts"
import { walkXml } from "../xml.ts"
import { addDrawings, addEmbedded } from "./embedded.ts"
import { OfficePackage, type Relation, relationId } from "./ooxml.ts"
import { readSheet } from "./xlsx-sheet.ts"
import { isDateFormat } from "./xlsx-values.ts"

export const extractXlsx: Extractor = async (source, context) => {
  const { out, budget, progress, pause } = context
  const pack = new OfficePackage(source.bytes, budget)
  const main = pack.mainPart(/^xl\/workbook\d*\.xml$/)
  const workbook = main && pack.part(main)
  if (!main || workbook === undefined) throw new ExtractionError("corrupt_file", "the workbook cannot be read")
  const relations = pack.relations(main)
  const { sheets, date1904 } = readWorkbook(workbook, relations)
  const part = (type: string, fallback: string) =>
    pack.part([...relations.values()].find(relation => relation.type === type)?.target ?? fallback) ?? ""
  const book = {
    strings: readSharedStrings(part("sharedStrings", "xl/sharedStrings.xml")),
    dateStyles: readDateStyles(part("styles", "xl/styles.xml")),
    date1904,
  }
  let uncomputed = 0
  for (const [index, { name, target }] of sheets.entries()) {
    out.at({ sheet: name, section: null })
    const xml = target && pack.bytes(target)
    if (xml) {
      out.add("heading", name, 1)
      const table = new TableRows(out)
      const rest = readSheet(xml, book, cells => table.add(cells))
      table.end()
      uncomputed += rest.uncomputed
      for (const line of rest.headersAndFooters) out.add("paragraph", line)
      addNotes(pack, target, out)
      await addEmbedded(pack, pack.relations(target).values(), context)
    }
    progress((index + 1) / sheets.length)
    await pause()
  }
  if (uncomputed > 0)
    out.warn(
      "formulas_without_values",
      `the file keeps no values for the formulas of ${uncomputed} cells; these were left out`,
    )
  if (pack.damaged) out.warn("damaged_parts", "parts of the workbook are damaged and were left out")
}

function readWorkbook(xml: string, relations: Map<string, Relation>) {
  const sheets: { name: string; target: string | undefined }[] = []
  let date1904 = false
  walkXml(xml, {
    open(tag, attributes) {
      if (tag === "sheet")
        sheets.push({ name: attributes.name ?? "", target: relations.get(relationId(attributes) ?? "")?.target })
      else if (tag === "workbookPr") date1904 = /^(1|true)$/.test(attributes.date1904 ?? "")
    },
  })
  return { sheets, date1904 }
}

function readSharedStrings(xml: string): string[] {
  const strings: string[] = []
  let text = ""
  let inText = false
  let phonetic = 0
  walkXml(xml, {
    open(tag) {
      if (tag === "si") text = ""
      else if (tag === "rPh") phonetic++
      else if (tag === "t") inText = phonetic === 0
    },
    text(piece) {
      if (inText) text += piece
    },
    close(tag) {
      if (tag === "t") inText = false
      else if (tag === "rPh") phonetic--
      else if (tag === "si") strings.push(text)
    },
  })
  return strings
}

/** Whether the cell style of each index shows dates. */
function readDateStyles(xml: string): boolean[] {
  const formats = new Map<number, string>()
  const styles: boolean[] = []
  let inCellStyles = false
  walkXml(xml, {
    open(tag, attributes) {
      if (tag === "numFmt") formats.set(Number(attributes.numFmtId), attributes.formatCode ?? "")
      else if (tag === "cellXfs") inCellStyles = true
      else if (tag === "xf" && inCellStyles) {
        const id = Number(attributes.numFmtId)
        styles.push(isDateFormat(id, formats.get(id)))
      }
    },
    close(tag) {
      if (tag === "cellXfs") inCellStyles = false
    },
  })
  return styles
}

/** Comments, text boxes and charts of a sheet. */
function addNotes(pack: OfficePackage, sheet: string, out: DocumentBuilder): void {
  for (const { type, target } of pack.relations(sheet).values()) {
    if (/comment/i.test(type)) addTexts(pack.part(target), out)
    if (type !== "drawing") continue
    addTexts(pack.part(target), out)
    const shown = [...pack.relations(target).values()]
    for (const inner of shown) if (/chart|diagramData/i.test(inner.type)) addTexts(pack.part(inner.target), out)
    addDrawings(pack, shown, out)
  }
}

function addTexts(xml: string | undefined, out: DocumentBuilder): void {
  let text = ""
  let inText = 0
  walkXml(xml ?? "", {
    open(tag) {
      if (tag === "t" || tag === "v") inText++
    },
    text(piece) {
      if (inText > 0) text += piece
    },
    close(tag) {
      if (tag === "t" || tag === "v") {
        inText--
        if (tag === "v") text += " "
      } else if (tag === "p" || tag === "comment" || tag === "threadedComment" || tag === "ser") {
        out.add("notes", text)
        text = ""
      }
    },
  })
  out.add("notes", text)
}
