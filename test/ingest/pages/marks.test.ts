/** The boxes of a passage cover its words and little else: held against what PDFium itself finds in each box. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { extractDocument } from "../../../src/ingest/formats/extract.ts"
import { PdfiumDocument } from "../../../src/ingest/formats/pdf/pdfium.ts"
import type { Pdfium } from "../../../src/ingest/formats/pdf/pdfium-library.ts"
import { marksOn } from "../../../src/ingest/pages/marks.ts"
import type { PageBox } from "../../../src/ingest/pages/page.ts"
import { openPaged } from "../../../src/ingest/pages/paged-document.ts"
import { helvetica, lines, PdfWriter, writePages } from "../formats/pdf-writer.ts"

const DOCUMENTS = join(import.meta.dir, "../../../../shared/data/documents")
const RANGES_PER_PAGE = 12

const SURROUNDINGS = {
  onProgress() {},
  onOcrExpected() {},
  mayReadAttachments: () => false,
  pause: async () => {},
  ocrLimits: { pages: 0, seconds: 0 },
  recognize: async () => ({ text: "", confidence: 0 }),
}

interface Marked {
  /** Page by page, from 0: what of the text stands there. */
  texts: Map<number, string>
  marks(index: number, start: number, end: number): PageBox[]
  /** Where each sign is that PDFium finds in a box: the middle of its ink lies in it. */
  within(index: number, box: PageBox): string
  close(): void
}

async function marked(bytes: Uint8Array, name = "test.pdf"): Promise<Marked> {
  const { text, blocks } = await extractDocument({ name, bytes }, "pdf", SURROUNDINGS)
  const ranges = new Map<number, [number, number]>()
  for (const { start, end, place } of blocks)
    if (place.page !== null) ranges.set(place.page - 1, [ranges.get(place.page - 1)?.[0] ?? start, end])
  const texts = new Map([...ranges].map(([page, [start, end]]) => [page, text.slice(start, end)]))
  const paged = (await openPaged({ name, bytes }, "pdf"))!
  const pdfium = await PdfiumDocument.open(bytes)
  return {
    texts,
    marks: (index, start, end) => marksOn(paged, index, { text: texts.get(index)!, start, end }),
    within: (index, box) => pdfium.onPage(index, (library, page) => textWithin(library as Asked, page, box))!,
    close() {
      paged.close()
      pdfium.close()
    },
  }
}

/** Functions of the library that the product has no use for. */
type Asked = Pdfium & {
  _FPDF_DeviceToPage(...args: number[]): number
}

function textWithin(pdfium: Asked, page: number, { x, y, width, height }: PageBox): string {
  const text = pdfium._FPDFText_LoadPage(page)
  const room = pdfium.wasmExports.malloc(64)
  const number = (at: number) => new DataView(pdfium.HEAPU8.buffer, room, 64).getFloat64(at, true)
  const corner = (right: number, down: number): [number, number] => {
    pdfium._FPDF_DeviceToPage(page, 0, 0, 1e6, 1e6, 0, Math.round(right * 1e6), Math.round(down * 1e6), room, room + 8)
    return [number(0), number(8)]
  }
  const [[x1, y1], [x2, y2]] = [corner(x, y), corner(x + width, y + height)]
  let found = ""
  const seen = new Set<string>() // some print the same twice at one place
  for (let i = 0; i < pdfium._FPDFText_CountChars(text); i++) {
    if (!pdfium._FPDFText_GetCharBox(text, i, room, room + 8, room + 16, room + 24)) continue
    const [left, right, bottom, top] = [number(0), number(8), number(16), number(24)]
    const [h, v] = [(left + right) / 2, (bottom + top) / 2]
    const isInside = h >= Math.min(x1, x2) && h <= Math.max(x1, x2) && v >= Math.min(y1, y2) && v <= Math.max(y1, y2)
    const sign = String.fromCodePoint(pdfium._FPDFText_GetUnicode(text, i))
    const place = `${sign} ${Math.round(h)} ${Math.round(v)}`
    if (isInside && !seen.has(place)) found += sign
    seen.add(place)
  }
  pdfium.wasmExports.free(room)
  pdfium._FPDFText_ClosePage(text)
  return found
}

const signs = (text: string) => text.normalize("NFKC").replace(/[\s\ufffe\x00-\x1f]/g, "")
const sorted = (text: string) => [...text].sort().join("")

/** How many of the signs of `part` are in `whole`. */
function shared(part: string, whole: string): number {
  const left = new Map<string, number>()
  for (const sign of whole) left.set(sign, (left.get(sign) ?? 0) + 1)
  let count = 0
  for (const sign of part) {
    const there = left.get(sign) ?? 0
    if (there > 0) count++
    left.set(sign, there - 1)
  }
  return count
}

/** The same each time. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

const pdfs = existsSync(DOCUMENTS) ? [...new Glob("**/*.pdf").scanSync(DOCUMENTS)].sort() : []
if (pdfs.length === 0) console.warn(`skipped: no documents in ${DOCUMENTS}`)

describe("over random ranges of real documents", () => {
  test.each(pdfs)(
    "%s",
    async name => {
      const document = await marked(readFileSync(join(DOCUMENTS, name)), name).catch(() => undefined)
      if (!document) return // is not readable, which other tests look at
      const next = random(name.length)
      const whole = { x: 0, y: 0, width: 1, height: 1 }
      let [wanted, covered, found] = [0, 0, 0]
      for (const [index, text] of [...document.texts].slice(0, 12)) {
        // Of a page of which a part is shown, the rest of the text is nowhere.
        const isWhole = signs(document.within(index, whole)).length > signs(text).length * 0.9
        for (let i = 0; i < RANGES_PER_PAGE; i++) {
          const start = Math.floor(next() * text.length)
          const end = Math.min(text.length, start + 1 + Math.floor(next() * 400))
          const boxes = document.marks(index, start, end)
          const within = signs(boxes.map(box => document.within(index, box)).join(""))
          const part = signs(text.slice(start, end))
          wanted += isWhole ? part.length : shared(part, within)
          covered += shared(part, within)
          found += within.length
          for (const { x, y, width, height } of boxes)
            expect([x >= 0, y >= 0, width > 0, height > 0, x + width < 1.00001, y + height < 1.00001]).not.toContain(
              false,
            )
        }
      }
      document.close()
      expect(wanted).toBeGreaterThan(0)
      expect(covered / wanted).toBeGreaterThan(0.97)
      expect(covered / found).toBeGreaterThan(0.9)
    },
    120_000,
  )
})

const font = (writer: PdfWriter, map?: (code: number) => number) => `/Font<</F ${helvetica(writer, map)} 0 R>>`

function document(content: string, more = "", map?: (code: number) => number): Promise<Marked> {
  const writer = new PdfWriter()
  return marked(writePages(writer, [{ content, more }], { resources: font(writer, map) }))
}

/** The boxes of `phrase`, and the signs that PDFium finds in them. */
function boxesOf({ texts, marks, within }: Marked, phrase: string): { boxes: PageBox[]; found: string[] } {
  const start = texts.get(0)!.indexOf(phrase)
  expect(start).toBeGreaterThanOrEqual(0)
  const boxes = marks(0, start, start + phrase.length)
  return { boxes, found: boxes.map(box => signs(within(0, box))) }
}

const PAGE = [
  "The tenant pays the rent on the first",
  "working day of every month, and keeps",
  "the boathouse in good repair.",
]

describe("a passage", () => {
  test("over three lines has three boxes, from its first letter to its last", async () => {
    const { boxes, found } = boxesOf(await document(lines(PAGE)), "first\nworking day of every month, and keeps\nthe")
    expect(found).toEqual(["first", "workingdayofeverymonth,andkeeps", "the"])
    expect(boxes[0]!.x).toBeGreaterThan(boxes[1]!.x)
    expect(boxes[1]!.y).toBeGreaterThan(boxes[0]!.y)
  })

  test.each([90, 180, 270])("on a page turned by %d degrees is where it is shown", async turn => {
    const { boxes, found } = boxesOf(await document(lines(PAGE), `/Rotate ${turn}`), "boathouse in good")
    expect(found).toEqual(["boathouseingood"])
    // Upright it stands in the upper left part.
    const { x, y, width, height } = boxes[0]!
    expect([x + width / 2 < 0.5, y + height / 2 < 0.5]).toEqual(
      { 90: [false, true], 180: [false, false], 270: [true, false] }[turn]!,
    )
    expect(width > height).toBe(turn === 180)
  })

  test("on a page of which a part is shown is placed in that part, and nowhere where it lies outside", async () => {
    const cropped = await document(lines(PAGE), "/CropBox[0 735 300 790]")
    const { boxes, found } = boxesOf(cropped, "working day")
    expect(found).toEqual(["workingday"])
    expect(boxes[0]!.x).toBeCloseTo(50 / 300, 2)
    const out = await document(lines(PAGE), "/CropBox[0 755 300 842]")
    expect(boxesOf(out, "boathouse").boxes).toEqual([])
  })

  test("in one of two columns marks nothing of the other", async () => {
    const column = (x: number, texts: string[]) =>
      `BT /F 11 Tf ${x} 700 Td ${texts.map(text => `(${text}) Tj 0 -14 Td`).join(" ")} ET`
    const left = ["Left column begins", "and it goes on here", "until it ends"]
    const right = ["Right column has", "words of its own", "which end too"]
    const { found } = boxesOf(await document(`${column(50, left)} ${column(330, right)}`), "words of its own")
    expect(found).toEqual(["wordsofitsown"])
  })

  test("with a ligature and a hyphen at the end of a line covers both parts of the word", async () => {
    const writer = new PdfWriter()
    // The sign at ~ is the ligature fi.
    const resources = font(writer, code => (code === 126 ? 0xfb01 : code))
    const content = lines(["An of~ce is rented for the dura-", "tion of the contract"])
    const { found } = boxesOf(await marked(writePages(writer, [{ content }], { resources })), "office is rented")
    expect(found).toEqual(["officeisrented"])
    const joined = await marked(writePages(writer, [{ content }], { resources }))
    const text = joined.texts.get(0)!
    const boxes = joined.marks(0, text.indexOf("dura"), text.indexOf("of the"))
    expect(boxes.map(box => signs(joined.within(0, box)).replace("-", ""))).toEqual(["dura", "tion"])
  })

  test("of writing from right to left is covered", async () => {
    // Letters of the alphabet stand for those of Hebrew.
    const hebrew = (code: number) => (code >= 97 && code <= 122 ? 0x05d0 + code - 97 : code)
    const page = await document(lines(["abcde fghij klmno", "nmlkj ihgfe"]), "", hebrew)
    const text = page.texts.get(0)!
    const [first] = text.split("\n") as [string]
    const boxes = page.marks(0, 0, first.length)
    expect(boxes).toHaveLength(1)
    expect(sorted(signs(page.within(0, boxes[0]!)))).toBe(sorted(signs(first)))
  })

  test("that runs up the page is one upright box", async () => {
    const content =
      "BT /F 11 Tf 0 1 -1 0 100 200 Tm (Printed along the side) Tj ET BT /F 11 Tf 200 500 Td (And across) Tj ET"
    const { boxes, found } = boxesOf(await document(content), "along the side")
    expect(found).toEqual(["alongtheside"])
    expect(boxes[0]!.height * 842).toBeGreaterThan(boxes[0]!.width * 595 * 3)
  })

  test("that was filled into a form is marked where the field is", async () => {
    const writer = new PdfWriter()
    const field = writer.add(
      "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada Lovelace)/Rect[120 770 300 790]/F 4/DA(/F 11 Tf)>>",
    )
    const bytes = writePages(writer, [{ content: lines(["Tenant:"]), more: `/Annots[${field} 0 R]` }], {
      resources: font(writer),
      catalog: `/AcroForm<</Fields[${field} 0 R]>>`,
    })
    const { boxes } = boxesOf(await marked(bytes), "Ada Lovelace")
    expect(boxes).toHaveLength(1)
    expect(boxes[0]!.x).toBeCloseTo(120 / 595, 3)
    expect(boxes[0]!.width).toBeCloseTo(180 / 595, 3)
  })

  test("of blanks alone has no box", async () => {
    const page = await document(lines(PAGE))
    expect(page.marks(0, page.texts.get(0)!.indexOf(" "), page.texts.get(0)!.indexOf(" ") + 1)).toEqual([])
  })
})
