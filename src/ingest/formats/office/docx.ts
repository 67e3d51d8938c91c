/** Word documents: body, then notes, comments, headers and footers. ECMA-376 part 1, section 17. */
import { ExtractionError } from "../../../storage/document.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { addTable, rowText } from "../text/csv.ts"
import { attribute, walkXml } from "../xml.ts"
import { outlineLevel, readHeadingStyles } from "./docx-styles.ts"
import { addDrawings, addEmbedded } from "./embedded.ts"
import { OfficePackage } from "./ooxml.ts"

/** Parts around the body, in the order in which they follow it, with the section that their text gets. */
const SIDE_PARTS: [type: string, section: string][] = [
  ["footnotes", "Footnotes"],
  ["endnotes", "Endnotes"],
  ["comments", "Comments"],
  ["header", "Header"],
  ["footer", "Footer"],
  ["diagramData", "Diagram"],
  ["chart", "Chart"],
]
const PAGE_BREAK = /lastRenderedPageBreak|<w:br [^<>]*type="page"/
export const hasPageBreaks = (xml: string): boolean => PAGE_BREAK.test(xml)

/** A row longer than this is page layout, not data: its paragraphs stand alone. */
const MAX_ROW_CHARS = 1500

export const extractDocx: Extractor = async (source, context) => {
  const { out, budget } = context
  const pack = new OfficePackage(source.bytes, budget)
  const main = pack.mainPart(/^word\/document\d*\.xml$/)
  const body = main && pack.part(main)
  if (!main || body === undefined)
    throw new ExtractionError("corrupt_file", "the document has no body that can be read")
  const relations = [...pack.relations(main).values()]
  const styles = relations.find(relation => relation.type === "styles")
  const headings = readHeadingStyles((styles && pack.part(styles.target)) ?? "")
  const walk = new DocxWalk(out, headings, hasPageBreaks(body))
  walk.read(body)
  if (walk.page > 1) out.pageCount = walk.page
  addSideParts(pack, relations, out)
  out.at({ section: null })
  addDrawings(pack, relations, out)
  await addEmbedded(pack, relations, context)
  if (pack.damaged) out.warn("damaged_parts", "parts of the document are damaged and were left out")
}

function addSideParts(pack: OfficePackage, relations: { type: string; target: string }[], out: DocumentBuilder): void {
  out.at({ page: null })
  // First, even and default headers mostly say the same.
  const seen = new Set<string>()
  for (const [type, section] of SIDE_PARTS) {
    for (const { target } of relations.filter(relation => relation.type === type)) {
      const xml = pack.part(target)
      if (!xml || seen.has(xml)) continue
      seen.add(xml)
      out.at({ section })
      new DocxWalk(out, new Map(), false).read(xml)
    }
  }
}

interface Paragraph {
  text: string
  level: number | undefined
  listed: boolean
}

interface Table {
  rows: string[][]
  /** Paragraphs of the row being read, in case that it is too long to be a row. */
  paragraphs: Paragraph[]
  cell: string
  cells: string[]
}

/** A box or a list; the values are as the file has them: a state, or the number of an option. */
interface FormField {
  options: string[]
  box: boolean
  standard?: string
  value?: string
}

/** Walks a part of a document, or a document of one part. */
export class DocxWalk {
  page = 1
  /** Paragraphs nest: a text box lies inside one. */
  private readonly paragraphs: Paragraph[] = []
  private readonly tables: Table[] = []
  private fallbacks = 0
  private texts = 0
  private field: FormField | undefined

  constructor(
    private readonly out: DocumentBuilder,
    private readonly headings: Map<string, number>,
    private readonly paged: boolean,
  ) {
    if (paged) out.at({ page: 1 })
  }

  read(xml: string): void {
    walkXml(xml, {
      open: (name, attributes) => this.open(name, attributes),
      text: text => {
        if (this.texts > 0 && this.fallbacks === 0) this.write(text)
      },
      close: name => this.close(name),
    })
    while (this.tables.length > 0) this.closeTable()
  }

  private open(name: string, attributes: Record<string, string>): void {
    // Fallback repeats for old readers what Choice said.
    if (name === "Fallback") this.fallbacks++
    if (this.fallbacks > 0) return
    switch (name) {
      case "t":
      case "v":
        this.texts++
        break
      case "p":
      case "pt":
        this.paragraphs.push({ text: "", level: undefined, listed: false })
        break
      case "pStyle":
        this.style(this.headings.get(attribute(attributes, "val") ?? ""))
        break
      case "outlineLvl":
        this.style(outlineLevel(attribute(attributes, "val")))
        break
      case "numPr":
        if (this.paragraphs.length > 0) this.paragraphs.at(-1)!.listed = true
        break
      case "tab":
      case "ptab":
        this.write("\t")
        break
      case "br":
      case "cr":
        if (attribute(attributes, "type") === "page") this.turnPage()
        else this.write("\n")
        break
      case "lastRenderedPageBreak":
        this.turnPage()
        break
      case "sym":
        this.write(symbol(attribute(attributes, "char")))
        break
      case "noBreakHyphen":
        this.write("-")
        break
      case "ffData":
        this.field = { options: [], box: false }
        break
      case "checked":
      case "default":
      case "result":
      case "listEntry":
      case "checkBox":
        this.fieldDetail(name, attribute(attributes, "val"))
        break
      case "tbl":
        this.tables.push({ rows: [], paragraphs: [], cell: "", cells: [] })
        break
    }
  }

  private close(name: string): void {
    if (name === "Fallback") this.fallbacks--
    if (this.fallbacks > 0) return
    const table = this.tables.at(-1)
    if (name === "t" || name === "v") {
      this.texts = Math.max(0, this.texts - 1)
      if (name === "v") this.write(" ")
    } else if (name === "p" || name === "pt") this.closeParagraph()
    else if (name === "ffData") this.closeField()
    else if (name === "tc" && table) {
      table.cells.push(table.cell)
      table.cell = ""
    } else if (name === "tr" && table) this.closeRow(table)
    else if (name === "tbl" && table) this.closeTable()
  }

  /** Fields of old forms keep what was chosen or ticked beside the text. */
  private fieldDetail(name: string, value = "1"): void {
    const { field } = this
    if (!field) return
    if (name === "listEntry") field.options.push(value)
    else if (name === "checkBox") field.box = true
    else if (name === "default") field.standard = value
    else field.value = value
  }

  private closeField(): void {
    const { field } = this
    if (!field) return
    const value = field.value ?? field.standard ?? "0"
    if (field.box && /^(1|true|on)$/.test(value)) this.write("[x] ")
    else if (!field.box) this.write(field.options[Number(value)] ?? "")
    this.field = undefined
  }

  private style(level: number | undefined): void {
    const paragraph = this.paragraphs.at(-1)
    if (paragraph && level !== undefined) paragraph.level = level
  }

  private write(text: string): void {
    const paragraph = this.paragraphs.at(-1)
    if (paragraph) paragraph.text += text
  }

  /** Word notes where pages broke when it last drew the document; close enough for a citation. */
  private turnPage(): void {
    if (!this.paged) return
    if (this.tables.length === 0) {
      const paragraph = this.paragraphs.at(-1)
      if (paragraph && this.paragraphs.length === 1) {
        this.add(paragraph)
        paragraph.text = ""
      }
      // A break at the very start of the document, or two for one break (both kinds are noted), turn no page.
      if (this.out.length === 0 || this.lengthAtTurn === this.out.length) return
      this.lengthAtTurn = this.out.length
    }
    this.page++
    this.out.at({ page: this.page })
  }
  private lengthAtTurn = -1

  private closeParagraph(): void {
    const paragraph = this.paragraphs.pop()
    if (!paragraph) return
    const table = this.tables.at(-1)
    if (table) {
      table.cell += ` ${paragraph.text}`
      table.paragraphs.push(paragraph)
    } else this.add(paragraph)
  }

  private add({ text, level, listed }: Paragraph): void {
    this.out.add(level !== undefined ? "heading" : listed ? "list_item" : "paragraph", text, level)
  }

  private closeRow(table: Table): void {
    const length = table.cells.reduce((sum, cell) => sum + cell.length, 0)
    if (this.tables.length === 1 && length > MAX_ROW_CHARS) {
      this.addRows(table)
      for (const paragraph of table.paragraphs) this.add(paragraph)
    } else table.rows.push(table.cells)
    table.cells = []
    table.paragraphs = []
  }

  private closeTable(): void {
    const table = this.tables.pop()!
    const outer = this.tables.at(-1)
    if (!outer) {
      this.addRows(table)
      return
    }
    // A table in a cell becomes text of that cell.
    outer.cell += ` ${table.rows.map(rowText).join(" ")}`
    outer.paragraphs.push(...table.rows.map(cells => ({ text: rowText(cells), level: undefined, listed: false })))
  }

  private addRows(table: Table): void {
    addTable(table.rows, this.out)
    table.rows = []
  }
}

/** Characters of symbol fonts (the private F000 range) have no meaning outside of their font. */
function symbol(hex: string | undefined): string {
  const code = Number.parseInt(hex ?? "", 16)
  return code && code < 0xf000 ? String.fromCharCode(code) : " "
}
