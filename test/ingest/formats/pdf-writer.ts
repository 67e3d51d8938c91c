/** Writes PDF files object by object, for tests that need what no program writes. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { deflateSync } from "node:zlib"

export class PdfWriter {
  private readonly objects: (Buffer | undefined)[] = []

  /** A number for an object that is written later. */
  reserve(): number {
    return this.objects.push(undefined)
  }

  add(body: string | Uint8Array, number = this.reserve()): number {
    this.objects[number - 1] = Buffer.from(body as string)
    return number
  }

  stream(dictionary: string, content: string | Uint8Array): number {
    const bytes = typeof content === "string" ? Buffer.from(content, "latin1") : content
    return this.add(
      Buffer.concat([
        Buffer.from(`<<${dictionary}/Length ${bytes.length}>>stream\n`),
        bytes,
        Buffer.from("\nendstream"),
      ]),
    )
  }

  finish(root: number): Uint8Array {
    const parts = [Buffer.from("%PDF-1.7\n")]
    const offsets: number[] = []
    let at = parts[0]!.length
    for (const [i, object] of this.objects.entries()) {
      const part = Buffer.concat([
        Buffer.from(`${i + 1} 0 obj\n`),
        object ?? Buffer.from("null"),
        Buffer.from("\nendobj\n"),
      ])
      offsets.push(at)
      parts.push(part)
      at += part.length
    }
    const rows = offsets.map(offset => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
    const size = this.objects.length + 1
    parts.push(
      Buffer.from(
        `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer<</Size ${size}/Root ${root} 0 R>>\nstartxref\n${at}\n%%EOF\n`,
      ),
    )
    return Buffer.concat(parts)
  }
}

export interface PdfPage {
  /** Operators. */
  content: string
  /** Entries of the page's dictionary besides. */
  more?: string
}

/** A document of A4 pages. `resources` is the inside of their resource dictionary, `catalog` of the document's. */
export function writePages(
  writer: PdfWriter,
  pages: PdfPage[],
  { resources = "", catalog = "" }: { resources?: string; catalog?: string } = {},
): Uint8Array {
  const tree = writer.reserve()
  const shared = new Map<string, number>()
  const kids = pages.map(({ content, more = "" }) => {
    const contents = shared.get(content) ?? writer.stream("", content)
    shared.set(content, contents)
    return writer.add(
      `<</Type/Page/Parent ${tree} 0 R/MediaBox[0 0 595 842]/Contents ${contents} 0 R/Resources<<${resources}>>${more}>>`,
    )
  })
  writer.add(`<</Type/Pages/Kids[${kids.map(kid => `${kid} 0 R`).join(" ")}]/Count ${kids.length}>>`, tree)
  return writer.finish(writer.add(`<</Type/Catalog/Pages ${tree} 0 R${catalog}>>`))
}

/** Helvetica whose text is copied as `map` says: code → character. Without a map it tells the truth. */
export function helvetica(writer: PdfWriter, map?: (code: number) => number): number {
  const encoding = "/Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding"
  if (!map) return writer.add(`<<${encoding}>>`)
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0")
  const codes = Array.from({ length: 95 }, (_, i) => 32 + i)
  const lines = codes.map(code => `<${hex(code, 2)}> <${hex(map(code), 4)}>`).join("\n")
  const cmap = writer.stream(
    "",
    `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange ${codes.length} beginbfchar\n${lines}\nendbfchar endcmap end end`,
  )
  return writer.add(`<<${encoding}/ToUnicode ${cmap} 0 R>>`)
}

/** Operators that set lines from the top of the page, at 11 points. */
export function lines(texts: string[], font = "F"): string {
  const escaped = texts.map(text => text.replace(/[\\()]/g, "\\$&"))
  return `BT /${font} 11 Tf 50 780 Td ${escaped.map(text => `(${text}) Tj 0 -18 Td`).join(" ")} ET`
}

/** Pages that show one picture of writing, each at the height that `where` says. */
export function scans(count: number, where: (page: number) => number): Uint8Array {
  const writer = new PdfWriter()
  const picture = writer.stream(
    "/Type/XObject/Subtype/Image/Width 900/Height 260/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode",
    readFileSync(join(import.meta.dir, "../../fixtures/documents/lease.jpg")),
  )
  const pages = Array.from(
    { length: count },
    (_, i): PdfPage => ({ content: `q 450 0 0 130 70 ${where(i)} cm /I Do Q` }),
  )
  return writePages(writer, pages, { resources: `/XObject<</I ${picture} 0 R>>` })
}

/** A page of lines that encloses `a.txt`, which unpacks to so many zero bytes. */
export function enclosingZeros(texts: string[], sizeBytes: number): Uint8Array {
  const writer = new PdfWriter()
  const stream = writer.stream("/Type/EmbeddedFile/Filter/FlateDecode", deflateSync(Buffer.alloc(sizeBytes)))
  const spec = writer.add(`<</Type/Filespec/F(a.txt)/UF(a.txt)/EF<</F ${stream} 0 R>>>>`)
  return writePages(writer, [{ content: lines(texts) }], {
    resources: `/Font<</F ${helvetica(writer)} 0 R>>`,
    catalog: `/Names<</EmbeddedFiles<</Names[(0) ${spec} 0 R]>>>>`,
  })
}
