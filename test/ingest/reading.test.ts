/** What becomes of documents that are hard to read, from upload to search. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import iconv from "iconv-lite"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { sharedStringWorkbook, word6 } from "./formats/office-writer.ts"
import { helvetica, lines, PdfWriter, scans, writePages } from "./formats/pdf-writer.ts"

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp({ "ocr-max-pages": "3" })
  client = await app.client()
})
afterAll(() => app.stop())

const find = async (query: string): Promise<{ file: { id: string }; text: string }[]> =>
  (await client.post("/search", { query, mode: "keyword", limit: 5 })).body.hits
const indexOne = async (name: string, data: Uint8Array) => (await client.index([{ name, data }]))[0]
const codes = (record: { warnings: { code: string }[] }) => record.warnings.map(({ code }) => code)

/** Bytes of all files below a directory. */
function bytesBelow(directory: string): number {
  let bytes = 0
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  return bytes
}

describe("a document", () => {
  test("whose font tells control characters is found by what its pages show, and the record says so", async () => {
    const writer = new PdfWriter()
    const font = helvetica(writer, code => (code % 24) + 1)
    const text = [
      "The lighthouse keeper polishes the brass lantern on Mondays,",
      "and writes the weather into the logbook every evening.",
    ]
    const record = await indexOne(
      "garbled.pdf",
      writePages(writer, [{ content: lines(text) }], { resources: `/Font<</F ${font} 0 R>>` }),
    )
    expect(record).toMatchObject({ status: "searchable", ocr_page_count: 1 })
    expect(codes(record)).toEqual(["garbled_text"])
    const [hit] = await find("lighthouse keeper lantern")
    expect(hit!.file.id).toBe(record.id)
    const { body } = await client.get(`/libraries/${record.id}/text`)
    expect(JSON.stringify(body)).not.toMatch(/\\u00[01]/)
  }, 60_000)

  test("in a code page of its time is found by its words", async () => {
    const record = await indexOne(
      "старый.doc",
      word6(iconv.encode("Смотритель маяка чистит латунный фонарь по понедельникам.", "windows-1251"), 0x409, [204]),
    )
    expect(record.status).toBe("searchable")
    expect((await find("маяка фонарь"))[0]!.file.id).toBe(record.id)
  })

  test("of more scans than the setting allows is searchable with those that were read", async () => {
    const record = await indexOne(
      "scans.pdf",
      scans(5, page => 100 + page * 100),
    )
    expect(record).toMatchObject({ status: "searchable", page_count: 5, ocr_page_count: 3 })
    expect(record.warnings).toEqual([
      { code: "ocr_limit", message: expect.stringMatching(/^pages 4–5 not read: .* 3 pages or 3600 seconds/) },
    ])
  }, 60_000)
})

test("a small file that unfolds to 200 MB of text is rejected, and leaves little on the disk; others are indexed beside it", async () => {
  const bomb = sharedStringWorkbook(100_000, 100)
  const before = bytesBelow(app.data)
  const { body } = await client.upload([{ name: "bomb.xlsx", data: bomb }])
  const sound = await indexOne("sound.txt", Buffer.from("The harbour master is sound asleep."))
  expect(sound.status).toBe("searchable")
  const record = await client.settled(body.files[0].id)
  expect(record).toMatchObject({ status: "failed", error: { code: "archive_rejected" } })
  expect(bytesBelow(app.data) - before).toBeLessThan(3_000_000)
  expect(readdirSync(join(app.data, "tmp"))).toEqual([])
}, 60_000)
