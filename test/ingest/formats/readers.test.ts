import { beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { chunkDocument } from "../../../src/ingest/chunk.ts"
import { extractDocument, type Surroundings } from "../../../src/ingest/formats/extract.ts"
import { findExtension, MIME_TYPES } from "../../../src/ingest/formats/formats.ts"
import { Ocr } from "../../../src/ingest/formats/ocr/ocr.ts"
import { findSkew } from "../../../src/ingest/formats/ocr/skew.ts"
import { bitmapFile } from "../../../src/ingest/formats/pdf/bitmap.ts"
import { type Bitmap, PdfiumDocument } from "../../../src/ingest/formats/pdf/pdfium.ts"
import { readQuickly } from "../../../src/ingest/process/reader-process.ts"
import type { ExtractedDocument, ExtractionError, Place } from "../../../src/storage/document.ts"
import { writeZip } from "./zip-writer.ts"

const FIXTURES = join(import.meta.dir, "../../fixtures/documents")
const ocr = new Ocr()
let expectedOcr = 0
const surroundings: Surroundings = {
  onProgress: () => {},
  onOcrExpected: count => {
    expectedOcr += count
  },
  pause: async () => {},
  recognize: image => ocr.recognize(image),
}

const fixture = (name: string) => new Uint8Array(readFileSync(join(FIXTURES, name)))
const extract = (bytes: Uint8Array | string, name: string) =>
  extractDocument(
    { name, bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes },
    findExtension(name)!,
    surroundings,
  )
const read = (name: string) => extract(fixture(name), name)
const codeOf = (reading: Promise<unknown>) =>
  reading.then(
    () => "read",
    (error: ExtractionError) => error.code,
  )
const blocksOf = ({ text, blocks }: ExtractedDocument) =>
  blocks.map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`)
const placesOf = (document: ExtractedDocument, key: keyof Place) => [
  ...new Set(document.blocks.map(block => block.place[key])),
]

/** What each fixture says, whole. */
const GOLDEN: Record<string, string> = {
  "lease.pdf":
    "Lease of the attic\n\nThis agreement is made between the owner of the house and the tenant of the attic.\nThe tenant waters the ficus in room twelve on Thursdays, and the owner pays for the water.\nWhoever forgets it owes the other a new plant of the same size within a month of its death.\n\n3.2 Term\n\nIt ends after twelve months, unless both of them agree in writing that it shall go on for longer.\nA notice of termination has to be sent three months before the end, by letter and not by mail.\nThe ficus stays with the house when the tenant moves out, whatever its size has become by then.",
  "lease.doc": "Lease of the attic\n\nThe tenant waters the ficus.\n\nRoom\tRent\nAttic\t310\n\nŻółw — 花瓶",
  "lease.docx":
    "Lease of the attic\n\nThe tenant waters the ficus.\n\n3.2 Term\n\nIt ends after twelve months.\n\nRoom\tRent\nAttic\t310\n\nA ficus is a plant.\n\nConfidential",
  "rents.xls": "Rents\n\nRoom\tRent\nAttic\t310\n\nNotes\n\nThe ficus is watered on Thursdays.",
  "rents.xlsx": "Rents\n\nRoom\tRent\tSince\nAttic\t310.3\t2023-03-15\n\nNotes\n\n\tThe ficus is watered on Thursdays.",
  "talk.ppt":
    "Plants\n\nŻółw and ficus\n\nDrawn beside the outline\n\nCosts\n\nThe attic costs 310.\n\nMention Thursdays.",
  "talk.pptx": "Plants\n\nThe ficus needs water.\n\nMention Thursdays.\n\nCosts\n\nThe attic costs 310.",
  "rents.csv": "Room\tRent\tRemark\nAttic\t310\twith a ficus; and a view\nCellar\t90",
  "lease.html":
    "Lease\n\nLease of the attic\n\nThe tenant waters\nthe ficus & pays.\n\n3.2 Term\n\nIt ends after twelve months.\nRoom\tRent\nAttic\t310",
  "lease.txt": "Lease of the attic\n\nThe tenant waters the ficus.\n\n3.2 Term\n\nIt ends after twelve months.\n",
  "lease.odt": "Lease of the attic\n\nThe tenant waters the ficus.\n\nRoom\tRent\nAttic\t310",
  "rents.ods": "Rents\n\nRoom\tRent\nAttic\t310",
  "talk.odp": "The ficus needs water.\n\nThe attic costs 310.",
  "book.epub": "The ficus\n\nIt stood in room twelve.",
  "letter.eml":
    "Lease of the attic\n\nFrom: Owner <owner@house.test>\nTo: tenant@house.test\n\nThe tenant waters the ficus.\n\n> Who waters it?\n\nRoom\tRent\nAttic\t310",
  "letters.mbox":
    "Lease of the attic\n\nFrom: Owner <owner@house.test>\nTo: tenant@house.test\n\nThe tenant waters the ficus.\n\n> Who waters it?\n\nRoom\tRent\nAttic\t310\n\n" +
    "Lease of the attic\n\nFrom: Owner <owner@house.test>\nTo: tenant@house.test\n\nFrom Thursday on it gets no water.",
  "letter.msg":
    "Lease of the attic\n\nFrom: Owner <owner@house.test>\nTo: tenant@house.test\n\nThe tenant waters the ficus.\n\nRoom\tRent\nAttic\t310",
  "lease.rtf": "Lease of the attic\n\nThe tenant waters the ficus in Zürich.",
}
/** Stored as they are. */
const RAW = ["lease.md", "rents.json", "rents.sql", "rents.yaml", "rents.yml"]

describe("every format is read, whole and in order", () => {
  for (const [name, text] of Object.entries(GOLDEN))
    test(name, async () => {
      expect((await read(name)).text).toBe(text)
    })

  for (const name of RAW)
    test(name, async () => {
      expect((await read(name)).text).toBe(readFileSync(join(FIXTURES, name), "utf8"))
    })

  test("pictures, by OCR", async () => {
    for (const name of ["lease.png", "lease.jpg", "lease.jpeg", "lease.gif", "lease.webp"]) {
      const document = await read(name)
      expect(document.text).toBe("The ficus in room twelve\nis watered on Thursdays\nInvoice number 4711")
      expect(document.ocrPageCount).toBe(1)
    }
  }, 60_000)

  test("no accepted extension is without a fixture", () => {
    const covered = new Set(
      [...Object.keys(GOLDEN), ...RAW, "a.png", "a.jpg", "a.jpeg", "a.gif", "a.webp", "a.zip", "a.htm"].map(
        findExtension,
      ),
    )
    for (const extension of MIME_TYPES.keys()) expect(covered).toContain(extension as never)
  })
})

describe("where a text lies", () => {
  test("pages of a PDF, and the headings that its type sizes show", async () => {
    const document = await read("lease.pdf")
    expect(document.pageCount).toBe(2)
    expect(document.ocrPageCount).toBe(0)
    const [first, second] = chunkDocument(document)
    expect(first!.place).toMatchObject({ page: 1, section: "Lease of the attic" })
    expect(second!.place).toMatchObject({ page: 2, section: "3.2 Term" })
  })

  test("pages, headings and notes of a Word document", async () => {
    const document = await read("lease.docx")
    expect(document.pageCount).toBe(2)
    const place = (text: string) =>
      document.blocks.find(block => document.text.slice(block.start, block.end) === text)!.place
    expect(place("It ends after twelve months.")).toMatchObject({ page: 2, section: "3.2 Term" })
    expect(place("A ficus is a plant.")).toMatchObject({ page: null, section: "Footnotes" })
  })

  test("sheets of workbooks, and the header of a table", async () => {
    for (const name of ["rents.xlsx", "rents.xls"]) {
      const document = await read(name)
      expect(placesOf(document, "sheet")).toEqual(["Rents", "Notes"])
      expect(blocksOf(document)[1]).toStartWith("table_header: Room\tRent")
    }
  })

  test("slides in order of presentation, with their notes", async () => {
    for (const name of ["talk.pptx", "talk.ppt"]) {
      const document = await read(name)
      expect(document.pageCount).toBe(2)
      const note = document.blocks.find(block => block.kind === "notes")!
      expect(note.place.slide).toBe(1)
      const costs = document.blocks.find(
        block => document.text.slice(block.start, block.end) === "The attic costs 310.",
      )!
      expect(costs.place).toMatchObject({ slide: 2, section: "Costs" })
    }
  })

  test("sections of Markdown, HTML and plain text", async () => {
    for (const name of ["lease.md", "lease.html", "lease.txt"]) {
      const document = await read(name)
      const term = document.blocks.find(block => document.text.slice(block.start, block.end).includes("twelve"))!
      expect(term.place.section).toBe("3.2 Term")
    }
    expect(blocksOf(await read("lease.md"))).toContain("code: ```sh\n# no heading\necho ficus\n```")
  })

  test("statements of SQL under their table", async () => {
    const document = await read("rents.sql")
    expect(placesOf(document, "section")).toContain("rents")
  })
})

describe("a document embedded in another", () => {
  test("is read where it is embedded, whatever pages it has itself", async () => {
    const relations = (targets: string) => `<Relationships>${targets}</Relationships>`
    const pptx = writeZip([
      {
        name: "ppt/_rels/presentation.xml.rels",
        content: relations('<Relationship Id="a" Type="x/slide" Target="slides/slide1.xml"/>'),
      },
      { name: "ppt/presentation.xml", content: '<p:presentation><p:sldId r:id="a"/></p:presentation>' },
      { name: "ppt/slides/slide1.xml", content: "<p:sld><a:p><a:t>Around it</a:t></a:p></p:sld>" },
      {
        name: "ppt/slides/_rels/slide1.xml.rels",
        content: relations('<Relationship Id="a" Type="x/package" Target="../embeddings/doc.docx"/>'),
      },
      { name: "ppt/embeddings/doc.docx", content: fixture("lease.docx") },
    ])
    const document = await extract(pptx, "a.pptx")
    expect(document.text).toStartWith("Around it\n\nLease of the attic")
    expect(document.pageCount).toBe(1)
    for (const { place } of document.blocks) expect(place).toMatchObject({ slide: 1, page: null })
  })

  test("and too long for the quick way takes the whole with it to the ordinary one, instead of being left out", async () => {
    const part = (text: string) => `<w:document><w:p><w:t>${text}</w:t></w:p></w:document>`
    const embedded = writeZip([{ name: "word/document.xml", content: part("heron ".repeat(20_000)) }])
    const relation = '<Relationship Id="a" Type="x/package" Target="embeddings/doc.docx"/>'
    const docx = writeZip([
      { name: "word/document.xml", content: part("Around it") },
      { name: "word/_rels/document.xml.rels", content: `<Relationships>${relation}</Relationships>` },
      { name: "word/embeddings/doc.docx", content: embedded },
    ])
    expect((await extract(docx, "a.docx")).text).toContain("heron heron")
    const content = Buffer.from(docx).toString("base64")
    expect(await readQuickly({ name: "a.docx", type: "docx", content }, undefined)).toEqual({ kind: "not_quick" })
  })
})

describe("PDF pages that are pictures", () => {
  test("are recognized one by one; pages of text and empty ones are not", async () => {
    expectedOcr = 0
    const document = await read("scan.pdf")
    expect(expectedOcr).toBe(1)
    expect(document).toMatchObject({ pageCount: 3, ocrPageCount: 1 })
    const scanned = document.blocks.find(block => block.place.page === 2)!
    expect(document.text.slice(scanned.start, scanned.end)).toContain("Invoice number 4711")
    expect(placesOf(document, "page")).toEqual([1, 2])
  }, 60_000)
})

describe("a scan that lies askew", () => {
  let page: Bitmap
  beforeAll(async () => {
    const document = await PdfiumDocument.open(fixture("scan.pdf"))
    page = document.render(1, 200, 10_000_000)!
    document.close()
  })
  const upright = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= page.width || y >= page.height ? 255 : page.pixels[y * page.width + x]!

  /** The page turned clockwise by so many degrees, on a larger white one. */
  function turned(degrees: number): Uint8Array {
    const side = Math.ceil(Math.hypot(page.width, page.height))
    const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
    const pixels = new Uint8Array(side * side)
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) {
        const [right, down] = [x - side / 2, y - side / 2]
        const from = [right * cos + down * sin + page.width / 2, down * cos - right * sin + page.height / 2] as const
        pixels[y * side + x] = upright(Math.round(from[0]), Math.round(from[1]))
      }
    return bitmapFile({ width: side, height: side, pixels })
  }

  test.each([2, -4, 7, 10, -10, 15, -15, 90, 100, 180, 190, 270])(
    "by %p degrees is read like an upright one",
    async degrees => {
      const { text } = await ocr.recognize(turned(degrees))
      expect(text.replaceAll(/\s+/g, " ")).toContain("ficus in room twelve is watered on Thursdays Invoice number 4711")
    },
    60_000,
  )
})

describe("a drawing with lines in several directions", () => {
  test("is not turned by one of them", () => {
    const side = 1000
    const dark = new Set<number>()
    for (const slope of [0.09, -0.09, 0.18])
      for (let line = 0; line < 8; line++)
        for (let x = 0; x < 900; x++) dark.add(Math.round(60 + line * 110 + slope * x) * side + x)
    const image = { width: side, height: side, isDark: (x: number, y: number) => dark.has(y * side + x) }
    expect(findSkew(image)).toBe(0)
  })
})

describe("archives", () => {
  test("members are read under their paths, and what is left out is told", async () => {
    const document = await read("papers.zip")
    expect(placesOf(document, "member")).toEqual(["lease.txt", "inner.zip/a/b.txt", "etc/rents.csv"])
    expect(document.warnings.map(({ code, message }) => `${code} ${message.split(":")[0]}`)).toEqual([
      "member_encrypted secret.txt",
      "member_skipped program.exe",
      "member_damaged broken.docx",
    ])
    expect(document.text).not.toContain("locked away")
  })

  const zeroBytes = new Uint8Array(100_000_000)

  test("bombs are refused within a second, wherever the bytes come from", async () => {
    const zeros = writeZip([{ name: "zeros.txt", content: zeroBytes }])
    const lying = writeZip([{ name: "zeros.txt", content: zeroBytes, declaredSize: 100 }])
    const nested = writeZip([
      { name: "1.zip", content: zeros },
      { name: "2.zip", content: zeros },
    ])
    const many = writeZip([
      {
        name: "many.zip",
        content: writeZip(Array.from({ length: 20_001 }, (_, i) => ({ name: `${i}`, content: "" }))),
      },
    ])
    let deep = writeZip([{ name: "a.txt", content: "text" }])
    for (let i = 0; i < 4; i++) deep = writeZip([{ name: "inner.zip", content: deep }])
    const document = writeZip([{ name: "word/document.xml", content: zeroBytes }])
    for (const [bytes, name] of [
      [zeros, "a.zip"],
      [lying, "a.zip"],
      [nested, "a.zip"],
      [many, "a.zip"],
      [deep, "a.zip"],
      [document, "a.docx"],
    ] as const) {
      // Of processor time: the clock also counts what else the machine does.
      const start = process.cpuUsage()
      expect(await codeOf(extract(bytes, name))).toBe("archive_rejected")
      const { user, system } = process.cpuUsage(start)
      expect((user + system) / 1000).toBeLessThan(1000)
    }
  }, 30_000)

  test("an archive without its directory still gives its members", async () => {
    const document = await extract(
      writeZip(
        [
          { name: "a.txt", content: "found again" },
          { name: "b.txt", content: "and this" },
        ],
        true,
      ),
      "a.zip",
    )
    expect(document.text).toContain("found again")
    expect(document.warnings[0]!.code).toBe("damaged_archive")
  })

  test("only encrypted members make an encrypted file, none that can be read no text", async () => {
    expect(await codeOf(extract(writeZip([{ name: "a.txt", content: "x", encrypted: true }]), "a.zip"))).toBe(
      "encrypted_file",
    )
    expect(await codeOf(extract(writeZip([{ name: "a.exe", content: "MZ\0\0" }]), "a.zip"))).toBe("no_text")
  })
})

describe("what cannot be read says why", () => {
  const cases: [string, Uint8Array | string, string, string][] = [
    ["an encrypted PDF", fixture("encrypted.pdf"), "a.pdf", "encrypted_file"],
    ["a PDF cut off at its start", fixture("lease.pdf").slice(0, 40), "a.pdf", "corrupt_file"],
    ["a document cut in half", fixture("lease.docx").slice(0, 300), "a.docx", "corrupt_file"],
    ["a workbook of noise", "nothing of the kind", "a.xlsx", "corrupt_file"],
    ["a presentation that is not one", "nothing of the kind", "a.ppt", "corrupt_file"],
    ["a picture of noise", "\x89PNG\r\n\x1a\nnoise", "a.png", "corrupt_file"],
    ["a photograph without words", fixture("photo.jpg"), "photo.jpg", "no_text"],
    ["blanks", " \n\t\r\n ", "a.txt", "no_text"],
  ]
  for (const [what, bytes, name, code] of cases)
    test(`${what}: ${code}`, async () => {
      expect(await codeOf(extract(bytes, name))).toBe(code)
    }, 30_000)
})

describe("a wrong extension", () => {
  test("does not keep a file from being read", async () => {
    expect((await extract(fixture("lease.rtf"), "a.doc")).text).toBe(GOLDEN["lease.rtf"]!)
    expect((await extract(fixture("lease.docx"), "a.doc")).text).toBe(GOLDEN["lease.docx"]!)
    expect((await extract(fixture("rents.xls"), "a.doc")).text).toBe(GOLDEN["rents.xls"]!)
    expect((await extract(fixture("lease.html"), "a.xls")).text).toBe(GOLDEN["lease.html"]!)
    expect((await extract(fixture("lease.pdf"), "a.txt")).text).toBe(GOLDEN["lease.pdf"]!)
  })

  test("a web page saved as a mail is read by its HTML part", async () => {
    const mht =
      'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="X"\r\n\r\n--X\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<html><body><p>Gr=C3=BC=\r\nn</p></body></html>\r\n--X--'
    expect((await extract(mht, "a.doc")).text).toBe("Grün")
  })
})

describe("text that is stored", () => {
  test("has one kind of line break, no NUL, no broken character", async () => {
    const document = await extract(
      Buffer.concat([Buffer.from("a\r\nb\rc\0d\x1b[0m "), Buffer.from([0xf0, 0x9f]), Buffer.from(" ünd".repeat(20))]),
      "a.txt",
    )
    expect(document.text).toStartWith("a\nb\ncd[0m ")
    expect(document.text.isWellFormed()).toBe(true)
  })
})
