/** What documents hold beside their running text: drawings, hidden elements, formulas, further frames. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { extractDocument } from "../../../src/ingest/formats/extract.ts"
import { findExtension } from "../../../src/ingest/formats/formats.ts"
import { frameCount } from "../../../src/ingest/formats/ocr/frames.ts"
import type { ExtractionError } from "../../../src/storage/document.ts"
import { type Member, writeZip } from "./zip-writer.ts"

const fixture = (name: string) => readFileSync(join(import.meta.dir, "../../fixtures/documents", name))
const extract = (content: string | Uint8Array, name: string) =>
  extractDocument({ name, bytes: Buffer.from(content as string) }, findExtension(name)!, {
    onProgress: () => {},
    onOcrExpected: () => {},
    pause: async () => {},
    recognize: async () => ({ text: "The ficus.", confidence: 90 }),
  })
const textOf = async (content: string | Uint8Array, name: string) => (await extract(content, name)).text

const REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const relations = (...targets: [id: string, type: string, target: string][]) =>
  `<Relationships>${targets.map(([id, type, target]) => `<Relationship Id="${id}" Type="${REL}/${type}" Target="${target}"/>`).join("")}</Relationships>`

describe("drawings in SVG", () => {
  const drawing = (...inner: string[]) =>
    `<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><style>text{fill:red}</style>${inner.join("")}</svg>`
  const PUMP = drawing(
    "<title>Pump</title><metadata><rdf:RDF><dc:title>made by a program</dc:title></rdf:RDF></metadata>",
    '<g><text x="1" y="1"><tspan>Valve</tspan><tspan>seven</tspan></text><path d="M0 0"/></g>',
  )
  const TOLD = "Pump\n\nValve seven"

  test("as files of an archive are read by their labels and names, not as code", async () => {
    expect(await textOf(writeZip([{ name: "pump.svg", content: PUMP }]), "a.zip")).toBe(TOLD)
  })

  test("of what is said for several programs the first is taken", async () => {
    const label =
      "<g><switch><foreignObject><div><p>Boiler</p><p>room</p></div></foreignObject><text>Text is not SVG</text></switch></g>"
    const whole = "<switch><foreignObject/><g><text>One</text><text>Two</text></g><text>Old</text></switch>"
    const svg = drawing(label, whole)
    expect(await textOf(writeZip([{ name: "a.svg", content: svg }]), "a.zip")).toBe("Boiler room\n\nOne\n\nTwo")
  })

  test("stand in web pages where they are drawn, without the names of icons", async () => {
    const icon = "<svg><title>Search icon</title><path d='M0 0'/></svg>"
    const page = `<p>See${icon} below: <svg><text>Valve</text><g><text>seven<title>tip</title></text></g></svg>Done.</p>`
    expect(await textOf(page, "a.html")).toBe("See below:\nValve\n\nseven\nDone.")
  })

  const documents: [name: string, members: Member[]][] = [
    [
      "a.docx",
      [
        { name: "_rels/.rels", content: relations(["r1", "officeDocument", "word/document.xml"]) },
        { name: "word/document.xml", content: "<w:document><w:p><w:t>Body.</w:t></w:p></w:document>" },
        {
          name: "word/_rels/document.xml.rels",
          content: relations(["r1", "image", "media/a.png"], ["r2", "image", "media/a.svg"]),
        },
        { name: "word/media/a.svg", content: PUMP },
      ],
    ],
    [
      "a.pptx",
      [
        { name: "_rels/.rels", content: relations(["r1", "officeDocument", "ppt/presentation.xml"]) },
        { name: "ppt/presentation.xml", content: '<p:presentation><p:sldId r:id="r1"/></p:presentation>' },
        { name: "ppt/_rels/presentation.xml.rels", content: relations(["r1", "slide", "slides/slide1.xml"]) },
        { name: "ppt/slides/slide1.xml", content: "<p:sld><p:sp><a:p><a:t>Body.</a:t></a:p></p:sp></p:sld>" },
        { name: "ppt/slides/_rels/slide1.xml.rels", content: relations(["r1", "image", "../media/a.svg"]) },
        { name: "ppt/media/a.svg", content: PUMP },
      ],
    ],
    [
      "a.xlsx",
      [
        { name: "_rels/.rels", content: relations(["r1", "officeDocument", "xl/workbook.xml"]) },
        { name: "xl/workbook.xml", content: '<workbook><sheet name="Body." r:id="r1"/></workbook>' },
        { name: "xl/_rels/workbook.xml.rels", content: relations(["r1", "worksheet", "worksheets/sheet1.xml"]) },
        { name: "xl/worksheets/sheet1.xml", content: "<worksheet><sheetData/></worksheet>" },
        { name: "xl/worksheets/_rels/sheet1.xml.rels", content: relations(["r1", "drawing", "../drawings/d1.xml"]) },
        { name: "xl/drawings/d1.xml", content: "<xdr:wsDr/>" },
        { name: "xl/drawings/_rels/d1.xml.rels", content: relations(["r1", "image", "../media/a.svg"]) },
        { name: "xl/media/a.svg", content: PUMP },
      ],
    ],
  ]
  for (const [name, members] of documents)
    test(`are read as pictures of ${name.slice(2)}`, async () => {
      expect(await textOf(writeZip(members), name)).toBe(`Body.\n\n${TOLD}`)
    })
})

describe("a book", () => {
  const chapter = (body: string) => `<html><head><title>The whole book</title></head><body>${body}</body></html>`
  const book = (...more: Member[]) =>
    writeZip([
      { name: "mimetype", content: "application/epub+zip", stored: true },
      { name: "META-INF/container.xml", content: '<container><rootfile full-path="OPS/p.opf"/></container>' },
      {
        name: "OPS/p.opf",
        content:
          '<package><manifest><item id="b" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/><item id="d" href="d.svg" media-type="image/svg+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
      },
      { name: "OPS/text/two b.xhtml", content: chapter("<h2>Two</h2><p>Later.<br/>Last.</p>") },
      { name: "OPS/text/a.xhtml", content: chapter('<h1>One</h1><p>First.</p><p hidden="">Unseen.</p>') },
      { name: "OPS/d.svg", content: "<svg><text>A map</text></svg>" },
      ...more,
    ])

  test("is read in the order of its spine, then its drawings", async () => {
    const document = await extract(book(), "a.epub")
    expect(document.text).toBe("One\n\nFirst.\n\nTwo\n\nLater.\nLast.\n\nA map")
    expect(document.blocks.find(({ start }) => start > 20)?.place.section).toBe("Two")
  })

  test("under rights management is encrypted; fonts that are disguised are no matter", async () => {
    const encryption = (uri: string): Member => ({
      name: "META-INF/encryption.xml",
      content: `<encryption><enc:EncryptedData><enc:CipherData><enc:CipherReference URI="${uri}"/></enc:CipherData></enc:EncryptedData></encryption>`,
    })
    const code = await extract(book(encryption("OPS/text/a.xhtml")), "a.epub").catch(
      (error: ExtractionError) => error.code,
    )
    expect(code).toBe("encrypted_file")
    expect(await textOf(book(encryption("OPS/font.otf")), "a.epub")).toStartWith("One")
  })

  test("without a table of its parts is read by their names", async () => {
    const loose = writeZip([
      { name: "META-INF/container.xml", content: "<container/>" },
      { name: "b.xhtml", content: chapter("<p>B</p>") },
      { name: "a.xhtml", content: chapter("<p>A</p>") },
    ])
    expect(await textOf(loose, "a.epub")).toBe("A\n\nB")
  })
})

describe("of a web page", () => {
  test("what the page itself hides is left out, as browsers leave it out", async () => {
    const page = `<body style="display:none"><p>Shown.</p>
      <div hidden>no <b>none <br> at</b> all<div>deeper</div></div>
      <div style="color: red; DISPLAY : none">no</div><p style="visibility:hidden">no</p>
      <dialog>no</dialog><template>no</template><datalist><option>no</option></datalist><input hidden value="no">
      <table><tr><td>Rent</td><td style="display:none">no</td><td>310</td></tr><tr hidden><td>no</td></tr></table>
      <p hidden="until-found">Folded.</p><p aria-hidden="true">Seen.</p><dialog open>Asked.</dialog>
      <p style="display:block">Block.</p><p style="--x:display:none-of-it">Own.</p></body>`
    expect(await textOf(page, "a.html")).toBe("Shown.\n\nRent\t310\n\nFolded.\n\nSeen.\n\nAsked.\n\nBlock.\n\nOwn.")
  })

  test("a hidden paragraph without an end ends where the next block begins, whatever is open in it", async () => {
    const page = `<div><p hidden><b>no <i>no<p>Shown.</div><p style="display:none">no <em>no<h2>Head</h2><p>Text.`
    expect(await textOf(page, "a.html")).toBe("Shown.\n\nHead\n\nText.")
  })
})

describe("of a workbook", () => {
  test("formulas that nobody has computed are counted in a warning; an empty result is one", async () => {
    const cell = (at: string, inner: string, type = "") => `<c r="${at}"${type}>${inner}</c>`
    const sheet = `<worksheet><sheetData><row>${cell("A1", "<v>4</v>")}${cell("B1", "<f>A1*2</f><v>8</v>")}${cell("C1", "<f>A1*3</f>")}</row>
      <row>${cell("A2", "<f>A1*4</f>")}${cell("B2", '<f>""</f><v></v>', ' t="str"')}</row></sheetData></worksheet>`
    const document = await extract(
      writeZip([
        { name: "xl/workbook.xml", content: '<workbook><sheet name="S" r:id="r1"/></workbook>' },
        { name: "xl/_rels/workbook.xml.rels", content: relations(["r1", "worksheet", "worksheets/sheet1.xml"]) },
        { name: "xl/worksheets/sheet1.xml", content: sheet },
      ]),
      "a.xlsx",
    )
    expect(document.text).toBe("S\n\n4\t8")
    expect(document.warnings).toEqual([
      {
        code: "formulas_without_values",
        message: "the file keeps no values for the formulas of 2 cells; these were left out",
      },
    ])
  })
})

describe("of an animation", () => {
  const gif = fixture("lease.gif")
  const frames = gif.subarray(13 + (gif[10]! & 0x80 ? 3 * 2 ** ((gif[10]! & 7) + 1) : 0), gif.lastIndexOf(0x3b))
  const animated = Buffer.concat([
    gif.subarray(0, gif.length - frames.length - 1),
    frames,
    frames,
    frames,
    gif.subarray(-1),
  ])
  const riff = (...chunks: string[]) =>
    Buffer.from(`RIFF\0\0\0\0WEBP${chunks.map(name => `${name}\x03\0\0\0abc\0`).join("")}`, "latin1")
  const png = fixture("lease.png")
  const apng = Buffer.concat([
    png.subarray(0, 33),
    Buffer.from("\0\0\0\x08acTL\0\0\0\x05\0\0\0\0\0\0\0\0", "latin1"),
    png.subarray(33),
  ])

  test("the first frame is read, and a warning counts them", async () => {
    const { text, warnings } = await extract(animated, "a.gif")
    expect(text).toBe("The ficus.")
    expect(warnings).toEqual([{ code: "frames_skipped", message: "of the 3 frames of a.gif the first was read" }])
    expect((await extract(gif, "a.gif")).warnings).toEqual([])
  })

  test("frames are counted in every format, and damage ends the count", () => {
    expect(frameCount(animated)).toBe(3)
    expect(frameCount(animated.subarray(0, animated.length - frames.length - 9))).toBe(2)
    expect(frameCount(riff("VP8X", "ANIM", "ANMF", "ANMF"))).toBe(2)
    expect(frameCount(riff("VP8 "))).toBe(1)
    expect(frameCount(apng)).toBe(5)
    expect(frameCount(png)).toBe(1)
    for (let end = 0; end < 60; end++) expect(frameCount(apng.subarray(0, end))).toBeGreaterThan(0)
    expect(frameCount(fixture("lease.jpg"))).toBe(1)
  })
})
