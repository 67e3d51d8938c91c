/**
 * Word 2 to 2003 ([MS-DOC]): the text lies in pieces that a table lists; Word 6/95 and older mostly have it in one run.
 */
import { ExtractionError } from "../../storage/document.ts"
import { addTable } from "./csv.ts"
import { plainFields } from "./doc-fields.ts"
import type { DocumentBuilder } from "./document-builder.ts"
import type { Extractor } from "./extractor.ts"
import { isNumberedHeading } from "./lines.ts"
import { isOle, openOle } from "./ole.ts"

/** The parts of the text run, in this order (FibRgLw97: ccpText …), with the section that their text gets. */
const PARTS = [null, "Footnotes", "Header", "Comments", "Endnotes", "Text boxes", "Text boxes"] as const
const PART_COUNTS = [3, 4, 5, 7, 8, 9, 10]
/** Index of fcClx/lcbClx, the piece table, in the list of offsets. */
const PIECE_TABLE = 33
const FIRST_WORD97 = 193
const ENCRYPTED = 0x100
const TABLE_IS_1 = 0x200
const COMPLEX = 4

/** Code pages of versions that knew no Unicode, by language id; windows-1252 else. */
const CODE_PAGES: Record<number, string> = {
  1025: "windows-1256",
  1026: "windows-1251",
  1028: "big5",
  1029: "windows-1250",
  1032: "windows-1253",
  1037: "windows-1255",
  1038: "windows-1250",
  1041: "shift_jis",
  1042: "euc-kr",
  1045: "windows-1250",
  1049: "windows-1251",
  1054: "windows-874",
  1055: "windows-1254",
  1058: "windows-1251",
  2052: "gbk",
}

export const extractDoc: Extractor = ({ bytes }, { out }) => {
  const { main, tables } = openStreams(bytes)
  const file = new WordFile(main, tables)
  const counts = file.partCounts()
  const text = file.text()
  let at = 0
  for (const [index, count] of counts.entries()) {
    addPart(plainFields(text.slice(at, at + count)), PARTS[index] ?? null, out)
    at += count
  }
}

function openStreams(bytes: Uint8Array): { main: Uint8Array; tables: (Uint8Array | undefined)[] } {
  if (isOle(bytes)) {
    const streams = openOle(bytes)
    const main = streams.get("worddocument")
    if (main && main.length > 64) return { main, tables: [streams.get("0table"), streams.get("1table")] }
    if (streams.has("encryptedpackage")) throw new ExtractionError("encrypted_file", "the document is encrypted")
  }
  // Word 2 and Write are no OLE files.
  else if ((bytes[0] === 0xdb || bytes[0] === 0x31) && (bytes[1] === 0xa5 || bytes[1] === 0xbe))
    return { main: bytes, tables: [] }
  throw new ExtractionError("corrupt_file", "the file is no Word document")
}

class WordFile {
  private readonly view: DataView
  private readonly version: number
  private readonly flags: number
  private readonly codePage: string

  constructor(
    private readonly main: Uint8Array,
    private readonly tables: (Uint8Array | undefined)[],
  ) {
    this.view = new DataView(main.buffer, main.byteOffset, main.byteLength)
    this.version = this.view.getUint16(2, true)
    this.flags = this.view.getUint16(10, true)
    this.codePage = CODE_PAGES[this.view.getUint16(6, true)] ?? "windows-1252"
    if (this.flags & ENCRYPTED) throw new ExtractionError("encrypted_file", "the document is encrypted")
  }

  /** Characters of each part; everything is body in old versions. */
  partCounts(): number[] {
    if (this.isOld) return [Number.POSITIVE_INFINITY]
    const counts = PART_COUNTS.map(index => this.u32(this.longs + index * 4))
    return counts.some(count => count > 0) ? counts : [Number.POSITIVE_INFINITY]
  }

  text(): string {
    const pieces = this.isOld ? this.oldPieces() : this.pieces()
    if (pieces) return pieces
    const codePage = this.isOld ? this.codePage : "windows-1252"
    return decode(codePage, this.main.subarray(this.u32(24), this.u32(28)))
  }

  private get isOld(): boolean {
    return this.version < FIRST_WORD97 || this.main[1] !== 0xa5
  }

  /** Start of the 32-bit values of the header, after a counted list of 16-bit ones. */
  private get longs(): number {
    return 34 + this.u16(32) * 2 + 2
  }

  private pieces(): string {
    const offsets = this.longs + this.u16(this.longs - 2) * 4 + 2
    const table = this.flags & TABLE_IS_1 ? (this.tables[1] ?? this.tables[0]) : (this.tables[0] ?? this.tables[1])
    return table
      ? this.joinPieces(table, this.u32(offsets + PIECE_TABLE * 8), this.u32(offsets + PIECE_TABLE * 8 + 4))
      : ""
  }

  private oldPieces(): string {
    return this.flags & COMPLEX && this.version >= 101
      ? this.joinPieces(this.main, this.u32(0x160), this.u32(0x164))
      : ""
  }

  /** Follows a Clx: property runs (1), then the piece table (2): character positions, then 8 bytes per piece. */
  private joinPieces(table: Uint8Array, start: number, length: number): string {
    const view = new DataView(table.buffer, table.byteOffset, table.byteLength)
    const end = Math.min(table.length, start + length)
    let at = start
    while (at + 3 <= end && table[at] === 1) at += 3 + view.getUint16(at + 1, true)
    if (at + 5 > end || table[at] !== 2) return ""
    const size = Math.min(view.getUint32(at + 1, true), end - at - 5)
    const count = Math.floor((size - 4) / 12)
    at += 5
    let text = ""
    for (let i = 0; i < count; i++) {
      const characters = view.getUint32(at + i * 4 + 4, true) - view.getUint32(at + i * 4, true)
      if (characters > 0 && characters <= this.main.length)
        text += this.piece(view.getUint32(at + (count + 1) * 4 + i * 8 + 2, true), characters)
    }
    return text
  }

  private piece(position: number, characters: number): string {
    const run = (start: number, length: number) => this.main.subarray(start, start + length)
    if (this.isOld) return decode(this.codePage, run(position, characters))
    // Bit 30: one byte per character, at half the position.
    if (position & 0x40000000) return decode("windows-1252", run((position & 0x3fffffff) >>> 1, characters))
    return decode("utf-16le", run(position, characters * 2))
  }

  private u16(at: number): number {
    return at + 2 <= this.main.length ? this.view.getUint16(at, true) : 0
  }

  private u32(at: number): number {
    return at + 4 <= this.main.length ? this.view.getUint32(at, true) : 0
  }
}

function decode(encoding: string, bytes: Uint8Array): string {
  const whole = encoding === "utf-16le" ? bytes.subarray(0, bytes.length & ~1) : bytes
  return new TextDecoder(encoding as "utf-8").decode(whole)
}

/** Paragraphs, and table rows: cells end with U+0007, the last one of a row with a second. */
function addPart(text: string, section: string | null, out: DocumentBuilder): void {
  out.at({ section })
  let rows: string[][] = []
  const flush = () => {
    addTable(rows, out)
    rows = []
  }
  for (const paragraph of text.split("\n")) {
    let rest = paragraph
    for (let rowEnd = rest.indexOf("\x07\x07"); rowEnd >= 0; rowEnd = rest.indexOf("\x07\x07")) {
      rows.push(rest.slice(0, rowEnd).split("\x07"))
      rest = rest.slice(rowEnd + 2)
    }
    if (!rest.trim()) continue
    if (rest.includes("\x07")) {
      rows.push(rest.split("\x07"))
      continue
    }
    flush()
    if (isNumberedHeading(rest, undefined) && section === null) out.add("heading", rest, 2)
    else out.add("paragraph", rest)
  }
  flush()
}
