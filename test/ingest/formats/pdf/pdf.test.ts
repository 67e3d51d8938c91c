import { describe, expect, test } from "bun:test"
import { extractDocument, type Surroundings } from "../../../../src/ingest/formats/extract.ts"
import { Ocr } from "../../../../src/ingest/formats/ocr/ocr.ts"
import type { OcrLimits } from "../../../../src/ingest/formats/ocr/ocr-budget.ts"
import type { ExtractedDocument, ExtractionError } from "../../../../src/storage/document.ts"
import { enclosingZeros, helvetica, lines, PdfWriter, scans, writePages } from "../pdf-writer.ts"

const ocr = new Ocr()
/** Pictures that were recognized. */
let recognized = 0
const surroundings = (ocrLimits?: OcrLimits): Surroundings => ({
  onProgress: () => {},
  onOcrExpected: () => {},
  pause: async () => {},
  recognize: image => {
    recognized++
    return ocr.recognize(image)
  },
  ocrLimits,
})
const read = (bytes: Uint8Array, limits?: OcrLimits) =>
  extractDocument({ name: "a.pdf", bytes }, "pdf", surroundings(limits))
const codes = ({ warnings }: ExtractedDocument) => warnings.map(({ code }) => code)
const pageText = ({ text, blocks }: ExtractedDocument, page: number) =>
  blocks
    .filter(block => block.place.page === page)
    .map(({ start, end }) => text.slice(start, end))
    .join("\n")

const LEASE = [
  "The tenant waters the ficus in room twelve on Thursdays, and the owner",
  "pays for the water. Whoever forgets it owes the other a new plant of the",
  "same size within a month of its death. It ends after twelve months,",
  "unless both of them agree in writing that it shall go on for longer.",
]
const CODES = [
  "SKU-4411 XQZ MCP23017 ATMEGA328P-PU 74HC595N LM317T NE555P",
  "BC547B 1N4148 IRFZ44N TL072CP ULN2003A ESP32-WROOM-32",
  "STM32F103C8T6 MAX485 DS18B20 HC-SR04 MPU6050 QTY 12 RFQ HVAC",
]

/** One page in a font with this map, one in a sound font. */
function withFont(map: (code: number) => number, texts = LEASE): Uint8Array {
  const writer = new PdfWriter()
  const [broken, sound] = [helvetica(writer, map), helvetica(writer)]
  return writePages(writer, [{ content: lines(texts) }, { content: lines(LEASE, "G") }], {
    resources: `/Font<</F ${broken} 0 R/G ${sound} 0 R>>`,
  })
}

describe("a page whose font does not tell its letters", () => {
  const maps: [string, (code: number) => number][] = [
    ["control characters", code => (code === 32 ? 3 : (code % 24) + 1)],
    ["private characters", code => 0xe000 + code],
    ["replacement characters", () => 0xfffd],
    ["unassigned characters", code => (0x50000 + code > 0xffff ? 0xfb07 + (code % 8) : code)],
    ["other letters, by a shifted alphabet", code => (/[a-y]/i.test(String.fromCharCode(code)) ? code + 1 : code)],
    ["Cyrillic as Latin letters of an 8-bit page", code => (code > 64 ? 0xc0 + (code % 60) : code)],
    ["letters of many scripts", code => [0x3b1, 0x431, 0x561, 0x5d0, 0x915, 0x10d0, 0xe01][code % 7]! + (code % 20)],
    ["rare letters", code => (code > 64 ? 0x180 + code : code)],
  ]
  test.each(maps)(
    "but %s is read by OCR, with a warning; the other page is not",
    async (_, map) => {
      const document = await read(withFont(map))
      expect(codes(document)).toEqual(["garbled_text"])
      expect(document.ocrPageCount).toBe(1)
      expect(pageText(document, 1)).toContain("waters the ficus in room twelve")
      expect(pageText(document, 1).replaceAll(/\s+/g, " ")).toBe(LEASE.join(" "))
      expect(pageText(document, 2).replaceAll(/\s+/g, " ")).toBe(LEASE.join(" "))
    },
    60_000,
  )

  test("and no picture that can be read leaves no noise behind", async () => {
    const writer = new PdfWriter()
    const font = helvetica(writer, code => (code % 24) + 1)
    // Drawn in white.
    const document = await read(
      writePages(writer, [{ content: `1 g ${lines(LEASE)}` }, { content: lines(LEASE, "G") }], {
        resources: `/Font<</F ${font} 0 R/G ${helvetica(writer)} 0 R>>`,
      }),
    )
    expect(pageText(document, 1)).toBe("")
    expect(document.warnings.map(({ message }) => message).join()).toContain("1 of these were left out")
  }, 60_000)
})

describe("a page that reads strangely and says what it shows", () => {
  test("keeps its text: codes, bullets from a symbol font", async () => {
    const plain = new PdfWriter()
    const resources = `/Font<</F ${helvetica(plain)} 0 R>>`
    const document = await read(writePages(plain, [{ content: lines(CODES) }], { resources }))
    expect(document.text).toBe(CODES.join("\n"))
    expect(codes(document)).toEqual([])
    const bullets = LEASE.map(text => `* ${text}`)
    const listed = await read(withFont(code => (code === 42 ? 0xf0b7 : code), bullets))
    expect(listed.ocrPageCount).toBe(0)
    expect(pageText(listed, 1)).toContain("\uf0b7 The tenant waters")
  }, 60_000)

  test("is believed after three such pages", async () => {
    const writer = new PdfWriter()
    const resources = `/Font<</F ${helvetica(writer)} 0 R>>`
    const pages = Array.from({ length: 12 }, (_, i) => ({ content: lines([...CODES, `XQZ-${i} KTB-${i}`]) }))
    recognized = 0
    const document = await read(writePages(writer, pages, { resources }))
    expect(recognized).toBe(3)
    expect(pageText(document, 12)).toContain("XQZ-11")
  }, 60_000)
})

describe("what was filled into a form", () => {
  /** Fields drawn beside their labels, as `/Annots` of one page. */
  function form(): Uint8Array {
    const writer = new PdfWriter()
    const font = helvetica(writer)
    const rect = (left: number, line: number, width = 120) =>
      `/Rect[${left} ${776 - line * 18} ${left + width} ${792 - line * 18}]`
    const field = (body: string) => writer.add(`<</Type/Annot/Subtype/Widget/F 4${body}>>`)
    const group = writer.reserve()
    const fields = [
      field(`/FT/Tx/T(surname)/V(O'Leary-Szabo)${rect(110, 0)}`),
      field(`/FT/Tx/T(given)/V<FEFF017B00F30142007700203042>${rect(360, 0)}`),
      field(`/FT/Ch/Ff 131072/T(city)/V(lon)/Opt[[(lon)(London)][(par)(Paris)]]${rect(110, 1)}`),
      field(`/FT/Ch/Ff 2097152/T(days)/V[(Mon)(Thu)]/Opt[(Mon)(Tue)(Thu)]/I[0 2]${rect(110, 2)}`),
      field(`/FT/Btn/T(pets)/V/Yes/AS/Yes/AP<</N<</Yes null/Off null>>>>${rect(50, 3, 12)}`),
      field(`/FT/Btn/T(smoker)/V/Off/AS/Off/AP<</N<</Yes null/Off null>>>>${rect(50, 4, 12)}`),
      writer.add(`<</Type/Annot/Subtype/Widget/F 4/Parent ${group} 0 R/AS/Off${rect(50, 5, 12)}>>`),
      writer.add(`<</Type/Annot/Subtype/Widget/F 4/Parent ${group} 0 R/AS/letter${rect(130, 5, 12)}>>`),
      field(`/FT/Tx/T(secret)/Ff 8192/V(hunter2)${rect(110, 6)}`),
      field(`/FT/Tx/T(away)/TU(Remarks for the owner)/V(Mind the ficus)/Rect[50 100 300 140]`),
      writer.add(`<</Type/Annot/Subtype/FreeText/F 4/Contents(typed over the page)${rect(110, 7)}>>`),
      writer.add(`<</Type/Annot/Subtype/Text/F 4/Contents(a comment by the owner)/Rect[400 400 420 420]>>`),
      field(`/FT/Tx/T(hidden)/V(never shown)/F 2${rect(300, 8)}`),
    ]
    writer.add(`<</FT/Btn/Ff 49152/T(contact)/V/letter/Kids[${fields[6]} 0 R ${fields[7]} 0 R]>>`, group)
    const top = [...fields.slice(0, 6), group, fields[8]!, fields[9]!, fields[12]!]
    const content = lines([
      "Surname:",
      "City:",
      "Days:",
      "      pets live here",
      "      smoker",
      "      by mail             by letter",
      "Password:",
      "Signed:",
    ])
    const second = "BT /F 11 Tf 300 780 Td (Given name:) Tj ET"
    return writePages(
      writer,
      [{ content: `${content} ${second}`, more: `/Annots[${fields.map(number => `${number} 0 R`).join(" ")}]` }],
      {
        resources: `/Font<</F ${font} 0 R>>`,
        catalog: `/AcroForm<</Fields[${top.map(number => `${number} 0 R`).join(" ")}]/DA(/F 11 Tf)>>`,
      },
    )
  }

  test("stands beside its labels; what is off, hidden or a password is not told", async () => {
    const { text, warnings } = await read(form())
    expect(text.split("\n").filter(Boolean)).toEqual([
      "Surname: O'Leary-Szabo",
      "City: London",
      "Days: Mon, Thu",
      "[x] pets live here",
      "smoker",
      "by mail [x] by letter",
      "Password:",
      "Signed: typed over the page",
      "Given name: Żółw あ",
      "Remarks for the owner: Mind the ficus",
      "a comment by the owner",
    ])
    expect(warnings).toEqual([])
  })

  test("into an XFA form is told with its labels where the pages say only that they cannot be shown", async () => {
    const writer = new PdfWriter()
    const font = helvetica(writer)
    const template = writer.stream(
      "",
      "<template><subform><draw><value><text>Application for a ficus</text></value></draw><field name='a'><caption><value><text>Surname</text></value></caption></field></subform></template>",
    )
    const datasets = writer.stream(
      "",
      "<xfa:datasets xmlns:xfa='x'><xfa:data><form><Surname>O&apos;Leary-Szabo</Surname><Empty/><Room><Number>12</Number></Room></form></xfa:data></xfa:datasets>",
    )
    const { text } = await read(
      writePages(writer, [{ content: lines(["Please wait. If this message is not replaced, use another program."]) }], {
        resources: `/Font<</F ${font} 0 R>>`,
        catalog: `/NeedsRendering true/AcroForm<</Fields[]/XFA[(template)${template} 0 R(datasets)${datasets} 0 R]>>`,
      }),
    )
    expect(text).toContain("Application for a ficus\n\nSurname\n\nSurname: O'Leary-Szabo\n\nNumber: 12")
  })
})

describe("text recognition of one file", () => {
  test("reads a picture that 5 000 pages share once, and gives its text to each", async () => {
    recognized = 0
    const began = process.cpuUsage()
    const document = await read(scans(5000, () => 600))
    const { user } = process.cpuUsage(began)
    expect(recognized).toBe(1)
    expect(user / 1e6).toBeLessThan(60)
    expect(document).toMatchObject({ pageCount: 5000, ocrPageCount: 5000 })
    expect(pageText(document, 5000)).toContain("Invoice number 4711")
    expect(codes(document)).toEqual([])
  }, 120_000)

  test("ends after so many pages, and the warning names those that were not read", async () => {
    recognized = 0
    const document = await read(
      scans(6, page => 100 + page * 100),
      { pages: 2, seconds: 3600 },
    )
    expect(recognized).toBe(2)
    expect(document.ocrPageCount).toBe(2)
    expect(pageText(document, 2)).toContain("Invoice number 4711")
    expect(pageText(document, 3)).toBe("")
    expect(document.warnings).toEqual([{ code: "ocr_limit", message: expect.stringContaining("pages 3–6 not read") }])
  }, 60_000)

  test("ends after so long", async () => {
    recognized = 0
    const document = await read(
      scans(20, page => 10 + page * 35),
      { pages: 1000, seconds: 0.01 },
    )
    expect(recognized).toBe(1)
    expect(document.warnings[0]!.message).toContain("pages 2–20 not read")
  }, 60_000)

  test("none at all leaves scans without text", async () => {
    const code = await read(
      scans(1, () => 600),
      { pages: 0, seconds: 1 },
    ).catch((error: ExtractionError) => error.code)
    expect(code).toBe("no_text")
  })
})

describe("files inside a PDF", () => {
  /** A letter that encloses files; those called `pinned` hang on the page, and the first of all does so too. */
  function withFiles(enclosed: [name: string, content: Uint8Array | string][], pinned: typeof enclosed = []) {
    const writer = new PdfWriter()
    const specs = [...enclosed, ...pinned].map(([name, content]) => {
      const stream = writer.stream("/Type/EmbeddedFile", typeof content === "string" ? Buffer.from(content) : content)
      return writer.add(`<</Type/Filespec/F(${name})/UF(${name})/EF<</F ${stream} 0 R>>>>`)
    })
    const own = specs.slice(0, enclosed.length).map((spec, i) => `(${i}) ${spec} 0 R`)
    const pins = [specs[0]!, ...specs.slice(enclosed.length)].map(
      spec => `<</Type/Annot/Subtype/FileAttachment/Rect[9 9 20 20]/FS ${spec} 0 R>>`,
    )
    return writePages(writer, [{ content: lines(LEASE), more: `/Annots[${pins.join("")}]` }], {
      resources: `/Font<</F ${helvetica(writer)} 0 R>>`,
      catalog: `/Names<</EmbeddedFiles<</Names[${own.join(" ")}]>>>>`,
    })
  }
  const memberText = ({ text, blocks }: ExtractedDocument, member: string | null) =>
    blocks
      .filter(block => block.place.member === member)
      .map(({ start, end }) => text.slice(start, end))
      .join("\n")

  test("are read under their names, once each, behind the pages", async () => {
    const inner = withFiles([["deep.txt", "A file in a file."]])
    const document = await read(
      withFiles(
        [
          ["terms.txt", "Terms of payment: thirty days."],
          ["inner.pdf", inner],
        ],
        [["pin.csv", "plant;rent\nficus;310\n"]],
      ),
    )
    expect(memberText(document, null)).toContain("The tenant waters the ficus")
    expect(memberText(document, "terms.txt")).toBe("Terms of payment: thirty days.")
    expect(memberText(document, "pin.csv")).toBe("plant\trent\nficus\t310")
    expect(memberText(document, "inner.pdf/deep.txt")).toBe("A file in a file.")
    expect(document.text.split("thirty days")).toHaveLength(2)
    expect(document.pageCount).toBe(1)
    expect(codes(document)).toEqual([])
  })

  test("that cannot be read are warned of, and the pages stay", async () => {
    const document = await read(withFiles([["setup.exe", "MZ\x90\x00\x03"]]))
    expect(document.text).toContain("The tenant waters the ficus")
    expect(document.warnings).toEqual([
      { code: "attachment_skipped", message: "the attached file setup.exe: files of this type cannot be read" },
    ])
  })

  test("that unpack to too much are not read", async () => {
    const document = await read(enclosingZeros(LEASE, 80_000_000))
    expect(document.text).toContain("The tenant waters the ficus")
    expect(document.warnings.map(({ message }) => message)).toEqual([
      "the attached file a.txt: it unpacks to more than is allowed for a PDF of this size",
    ])
  })

  test("are opened three deep", async () => {
    let nested: [string, Uint8Array | string] = ["bottom.txt", "The bottom."]
    for (let depth = 4; depth > 0; depth--) nested = [`${depth}.pdf`, withFiles([nested])]
    const document = await read(nested[1] as Uint8Array)
    expect(document.text).not.toContain("The bottom.")
    expect(codes(document)).toEqual(["attachment_skipped"])
  })
})
