import { walkXmlBytes } from "../xml.ts"
import { formatDate, formatNumber } from "./xlsx-values.ts"

/** What cells refer to. */
export interface Workbook {
  strings: string[]
  /** By style index: whether numbers are dates. */
  dateStyles: boolean[]
  date1904: boolean
}

/** Columns beyond this are joined to the last: a sheet has 16 384, and one stray cell must not make as many tabs. */
const MAX_GAP = 50

export interface SheetRest {
  /** Of the printed page. */
  headersAndFooters: string[]
  /** Cells with a formula whose value nobody has computed: a program wrote the file, and no person has opened it since. */
  uncomputed: number
}

/** Tells the rows one by one, and returns what is beside them. */
export function readSheet(xml: Uint8Array, workbook: Workbook, onRow: (cells: string[]) => void): SheetRest {
  const walk = new SheetWalk(workbook, onRow)
  walkXmlBytes(xml, walk)
  return walk
}

class SheetWalk implements SheetRest {
  readonly headersAndFooters: string[] = []
  uncomputed = 0
  private row: string[] = []
  private type = "n"
  private style = -1
  private column = 0
  private value = ""
  private hasFormula = false
  private hasValue = false
  private gathering = false
  private inHeader = false

  constructor(
    private readonly workbook: Workbook,
    private readonly onRow: (cells: string[]) => void,
  ) {}

  open(tag: string, attributes: Record<string, string>): void {
    if (tag === "row") this.row = []
    else if (tag === "c") {
      this.type = attributes.t ?? "n"
      this.style = attributes.s === undefined ? -1 : Number(attributes.s)
      this.column = columnOf(attributes.r) ?? this.row.length
      this.value = ""
      this.hasFormula = false
      this.hasValue = false
    } else if (tag === "f") this.hasFormula = true
    else if (tag === "v") {
      this.value = ""
      this.hasValue = true
      this.gathering = true
    } else if (tag === "t") this.gathering = true
    else if (/^(odd|even|first)(Header|Footer)$/.test(tag)) {
      this.inHeader = true
      this.value = ""
    }
  }

  text(text: string): void {
    if (this.gathering || this.inHeader) this.value += text
  }

  close(tag: string): void {
    if (tag === "v" || tag === "t") this.gathering = false
    else if (tag === "c") this.closeCell()
    else if (tag === "row" && this.row.length > 0) this.onRow(this.row)
    else if (this.inHeader && /Header$|Footer$/.test(tag)) {
      // Codes such as &P (page) and &"Arial,Bold" say how to print, not what.
      this.headersAndFooters.push(this.value.replace(/&(["'][^"']*["']|[A-Z&]|\d+)/gi, " ").trim())
      this.inHeader = false
    }
  }

  private closeCell(): void {
    if (this.hasFormula && !this.hasValue) this.uncomputed++
    if (this.value === "") return
    const gap = Math.min(MAX_GAP, this.column - this.row.length)
    for (let i = 0; i < gap; i++) this.row.push("")
    this.row.push(this.shown())
  }

  private shown(): string {
    const { value, type, workbook } = this
    if (type === "s") return workbook.strings[Number(value)] ?? ""
    if (type === "b") return value === "1" ? "TRUE" : "FALSE"
    if (type !== "n") return value
    const date = workbook.dateStyles[this.style] ? formatDate(Number(value), workbook.date1904) : undefined
    return date ?? formatNumber(value)
  }
}

/** 0-based column of a cell reference such as `BC12`. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]+/.exec(reference ?? "")?.[0]
  if (!letters) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}
