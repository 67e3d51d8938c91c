/**
 * Word 2 to 2003 ([MS-DOC]): the text lies in pieces that a table lists; Word 6/95 and older mostly have it in one run.
 */
import { ExtractionError } from "../../../storage/document.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { addTable } from "../text/csv.ts"
import {
  codePageOfCharset,
  codePageOfLanguage,
  decodeBytes,
  detectCodePage,
  isMisreadWestern,
} from "../text/legacy-text.ts"
import { isNumberedHeading } from "../text/lines.ts"
import { plainFields } from "./doc-fields.ts"
import { isOle, openOle } from "./ole.ts"

/** The parts of the text run, in this order (FibRgLw97: ccpText …), with the section that their text gets. */
const PARTS = [null, "Footnotes", "Header", "Comments", "Endnotes", "Text boxes", "Text boxes"] as const
const PART_COUNTS = [3, 4, 5, 7, 8, 9, 10]
/** Index of fcClx/lcbClx, the piece table, in the list of offsets. */
const PIECE_TABLE = 33
/** The same of the font table; where Word 6 and 95 have theirs. */
const FONT_TABLE = 15
const OLD_FONT_TABLE = 0xd0
const OLD_PIECE_TABLE = 0x160
const FIRST_WORD6 = 101
const FIRST_WORD97 = 193
/** Enough to see that letters are not those of a Western language. */
const MISREAD_SAMPLE_BYTES = 65_536
const ENCRYPTED = 0x100
const TABLE_IS_1 = 0x200
const COMPLEX = 4

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

/** A run of characters in the main stream. */
interface Piece {
  start: number
  bytes: number
  /** UTF-16, else a byte per character. */
  wide: boolean
}

class WordFile {
  private readonly view: DataView
  private readonly version: number
  private readonly flags: number

  constructor(
    private readonly main: Uint8Array,
    private readonly tables: (Uint8Array | undefined)[],
  ) {
    this.view = new DataView(main.buffer, main.byteOffset, main.byteLength)
    this.version = this.view.getUint16(2, true)
    this.flags = this.view.getUint16(10, true)
    if (this.flags & ENCRYPTED) throw new ExtractionError("encrypted_file", "the document is encrypted")
  }

  /** Characters of each part; everything is body in old versions. */
  partCounts(): number[] {
    if (this.isOld) return [Number.POSITIVE_INFINITY]
    const counts = PART_COUNTS.map(index => this.u32(this.longs + index * 4))
    return counts.some(count => count > 0) ? counts : [Number.POSITIVE_INFINITY]
  }

  text(): string {
    const listed = this.isOld ? this.oldPieces() : this.pieces()
    const [first, last] = [this.u32(24), Math.min(this.main.length, this.u32(28))]
    const pieces = listed.length > 0 ? listed : [{ start: first, bytes: Math.max(0, last - first), wide: false }]
    const codePage = this.codePage(pieces.filter(({ wide }) => !wide))
    return pieces.map(piece => decodeBytes(this.run(piece), piece.wide ? "utf-16le" : codePage)).join("")
  }

  private get isOld(): boolean {
    return this.version < FIRST_WORD97 || this.main[1] !== 0xa5
  }

  /** Start of the 32-bit values of the header, after a counted list of 16-bit ones. */
  private get longs(): number {
    return 34 + this.u16(32) * 2 + 2
  }

  /** Position and length of the structure of that number. */
  private place(index: number): [start: number, length: number] {
    const at = this.longs + this.u16(this.longs - 2) * 4 + 2 + index * 8
    return [this.u32(at), this.u32(at + 4)]
  }

  private get table(): Uint8Array | undefined {
    return this.flags & TABLE_IS_1 ? (this.tables[1] ?? this.tables[0]) : (this.tables[0] ?? this.tables[1])
  }

  private pieces(): Piece[] {
    return this.table ? this.listedPieces(this.table, ...this.place(PIECE_TABLE)) : []
  }

  private oldPieces(): Piece[] {
    return this.flags & COMPLEX && this.version >= FIRST_WORD6
      ? this.listedPieces(this.main, this.u32(OLD_PIECE_TABLE), this.u32(OLD_PIECE_TABLE + 4))
      : []
  }

  /** Follows a Clx: property runs (1), then the piece table (2): character positions, then 8 bytes per piece. */
  private listedPieces(table: Uint8Array, start: number, length: number): Piece[] {
    const view = new DataView(table.buffer, table.byteOffset, table.byteLength)
    const end = Math.min(table.length, start + length)
    let at = start
    while (at + 3 <= end && table[at] === 1) at += 3 + view.getUint16(at + 1, true)
    if (at + 5 > end || table[at] !== 2) return []
    const size = Math.min(view.getUint32(at + 1, true), end - at - 5)
    const count = Math.floor((size - 4) / 12)
    at += 5
    const pieces: Piece[] = []
    // No part of the text lies in two pieces: a table that says so comes from damage, or means to fill the memory.
    let left = this.main.length
    for (let i = 0; i < count && left > 0; i++) {
      const characters = view.getUint32(at + i * 4 + 4, true) - view.getUint32(at + i * 4, true)
      if (characters <= 0 || characters > this.main.length) continue
      const piece = this.pieceAt(view.getUint32(at + (count + 1) * 4 + i * 8 + 2, true), characters)
      left -= piece.bytes
      pieces.push(piece)
    }
    return pieces
  }

  private pieceAt(position: number, characters: number): Piece {
    if (this.isOld) return { start: position, bytes: characters, wide: false }
    // Bit 30: one byte per character, at half the position.
    if (position & 0x40000000) return { start: (position & 0x3fffffff) >>> 1, bytes: characters, wide: false }
    return { start: position, bytes: characters * 2, wide: true }
  }

  private run({ start, bytes }: Piece): Uint8Array {
    return this.main.subarray(start, start + bytes)
  }

  /**
   * Versions that knew no Unicode name no code page: language and fonts hint at one. Later ones have windows-1252, unless
   * another program wrote the file.
   */
  private codePage(pieces: Piece[]): string {
    const bytes = Buffer.concat(pieces.map(piece => this.run(piece)))
    if (this.isOld) return detectCodePage(bytes, this.namedCodePages())
    const western = decodeBytes(bytes.subarray(0, MISREAD_SAMPLE_BYTES), "windows-1252")
    return isMisreadWestern(western) ? detectCodePage(bytes, this.namedCodePages(), true) : "windows-1252"
  }

  private namedCodePages(): string[] {
    const named = [codePageOfLanguage(this.u16(6)), ...this.fontCharsets().map(codePageOfCharset)]
    return [...new Set(named)].filter(page => page !== undefined)
  }

  /** Character sets of the fonts, the most frequent first. */
  private fontCharsets(): number[] {
    const old = this.isOld
    if (old && this.version < FIRST_WORD6) return []
    const table = old ? this.main : this.table
    const [start, length] = old ? [this.u32(OLD_FONT_TABLE), this.u32(OLD_FONT_TABLE + 4)] : this.place(FONT_TABLE)
    if (!table) return []
    const end = Math.min(table.length, start + length)
    const counts = new Map<number, number>()
    // Each font: its length without this byte, flags, weight (2 bytes), character set.
    for (let at = start + (old ? 2 : 4); at + 5 <= end && table[at]! > 0; at += table[at]! + 1) {
      const charset = table[at + 4]!
      counts.set(charset, (counts.get(charset) ?? 0) + 1)
    }
    return [...counts].sort((a, b) => b[1] - a[1]).map(([charset]) => charset)
  }

  private u16(at: number): number {
    return at + 2 <= this.main.length ? this.view.getUint16(at, true) : 0
  }

  private u32(at: number): number {
    return at + 4 <= this.main.length ? this.view.getUint32(at, true) : 0
  }
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
