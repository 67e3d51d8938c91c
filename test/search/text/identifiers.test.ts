/** Words that differ in a digit: row numbers, article numbers, headings of many short sections. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { helvetica, PdfWriter, writePages } from "../../ingest/formats/pdf-writer.ts"
import { writeZip } from "../../ingest/formats/zip-writer.ts"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)

const ROWS = numbers(60_000).map(i => `${i},row${i},${i * 1.5}`)
const GERMAN = numbers(3_000).map(
  i => `Der Vorgang AB${10_000 + i} wurde für die Behörde geprüft und über Köln verschickt.`,
)
const ASKED = numbers(30).map(i => 601 + i * 1_977)

let app: TestApp
let api: Client

beforeAll(async () => {
  app = await startTestApp()
  api = await app.client()
}, 60_000)
afterAll(() => app.stop())

const best = async (query: string, file: string, mode = "hybrid") =>
  (await api.post("/search", { query, limit: 1, mode, filters: { file_ids: [file] } })).body.hits[0]

describe("a word that one passage holds", () => {
  let rows: string
  let german: string
  beforeAll(async () => {
    const uploads = [
      { name: "big.csv", data: ROWS.join("\n") },
      { name: "vorgaenge.txt", data: GERMAN.join("\n\n") },
    ]
    const [first, second] = await api.index(uploads)
    rows = first.id
    german = second.id
  }, 120_000)

  for (const [name, query] of [
    ["alone", (i: number) => `row${i}`],
    ["in a question", (i: number) => `what is the value of row${i}`],
    ["among words that are nowhere", (i: number) => `which number stands in row${i} please`],
  ] as const)
    test(`${name}, is found among sixty thousand lookalikes`, async () => {
      const missed: number[] = []
      for (const i of ASKED) if (!(await best(query(i), rows)).text.includes(`row${i}\t`)) missed.push(i)
      expect(missed).toEqual([])
    })

  for (const mode of ["hybrid", "keyword"])
    test(`is found whole where other words are cut to their beginnings (${mode})`, async () => {
      const missed: number[] = []
      for (let i = 10_007; i < 13_000; i += 151)
        if (!(await best(`Vorgang AB${i}`, german, mode)).text.includes(`AB${i}`)) missed.push(i)
      expect(missed).toEqual([])
    })
})

describe("a hit names the section of the identifier, not that of its neighbor", () => {
  const heading = (i: number) => `Section ${i} about subject${i}`
  const said = (i: number) => `The fee of subject${i} is ${i * 3} euros.`
  const sections = numbers(400)

  const markdown = sections.map(i => `## ${heading(i)}\n\n${said(i)}`).join("\n\n")
  const html = `<html><body>${sections.map(i => `<h2>${heading(i)}</h2><p>${said(i)}</p>`).join("")}</body></html>`

  const files: [name: string, data: () => string | Uint8Array][] = [
    ["many.md", () => markdown],
    ["many.html", () => html],
    ["many.docx", () => docx(sections.flatMap(i => [[heading(i), "Heading1"] as const, [said(i), ""] as const]))],
    ["many.pdf", () => pdf(sections.map(i => [heading(i), said(i)]))],
  ]
  for (const [name, data] of files)
    test(name, async () => {
      const [record] = await api.index([{ name, data: data() }])
      const wrong: unknown[] = []
      for (let i = 3; i <= 400; i += 16)
        for (const query of [`fee of subject${i}`, `subject${i}`]) {
          const { section } = (await best(query, record.id)).position
          if (section !== heading(i)) wrong.push([query, section])
        }
      expect(wrong).toEqual([])
    }, 60_000)
})

function docx(paragraphs: (readonly [text: string, style: string])[]): Uint8Array {
  const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  const relation = (type: string, target: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relationships}/${type}" Target="${target}"/></Relationships>`
  const main = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
  const body = paragraphs.map(
    ([text, style]) =>
      `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`,
  )
  return writeZip([
    { name: "_rels/.rels", content: relation("officeDocument", "word/document.xml") },
    { name: "word/_rels/document.xml.rels", content: relation("styles", "styles.xml") },
    {
      name: "word/styles.xml",
      content: `<w:styles ${main}><w:style w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    },
    { name: "word/document.xml", content: `<w:document ${main}><w:body>${body.join("")}</w:body></w:document>` },
  ])
}

/** Ten sections a page, headings in larger letters. */
function pdf(sections: string[][]): Uint8Array {
  const writer = new PdfWriter()
  const font = helvetica(writer)
  const pages: string[] = []
  for (let from = 0; from < sections.length; from += 10)
    pages.push(
      sections
        .slice(from, from + 10)
        .map(([title, said], i) => {
          const y = 780 - i * 75
          return `BT /F1 18 Tf 60 ${y} Td (${title}) Tj ET BT /F1 11 Tf 60 ${y - 30} Td (${said}) Tj ET`
        })
        .join("\n"),
    )
  return writePages(
    writer,
    pages.map(content => ({ content })),
    { resources: `/Font<</F1 ${font} 0 R>>` },
  )
}
