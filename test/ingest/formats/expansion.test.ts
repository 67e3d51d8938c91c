/** Small files that unfold to much text by saying the same again and again: no compression is needed for it. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ReaderPool } from "../../../src/ingest/process/reader-pool.ts"
import { scratchFile } from "../../../src/storage/blobs/scratch.ts"
import type { ExtractionError } from "../../../src/storage/document.ts"
import { sharedStringWorkbook } from "./office-writer.ts"
import { helvetica, lines, PdfWriter } from "./pdf-writer.ts"
import { writeZip } from "./zip-writer.ts"

const directory = mkdtempSync(join(tmpdir(), "carrel-expansion-"))
const results = join(directory, "results")
mkdirSync(results)
const pool = new ReaderPool({ size: 1, memoryLimitBytes: 700_000_000, makeFile: () => scratchFile(results) })
afterAll(async () => {
  await pool.stop()
  rmSync(directory, { recursive: true })
})

interface Outcome {
  code: string
  characters: number
  /** Most bytes that the results took on the disk meanwhile, as far as they were seen. */
  peak: number
}

async function read(name: string, bytes: Uint8Array): Promise<Outcome> {
  const path = join(directory, name)
  writeFileSync(path, bytes)
  let peak = 0
  const look = setInterval(() => {
    const sizes = readdirSync(results).map(file => statSync(join(results, file), { throwIfNoEntry: false })?.size ?? 0)
    peak = Math.max(
      peak,
      sizes.reduce((sum, size) => sum + size, 0),
    )
  }, 10)
  try {
    const file = { path, name, type: name.split(".").at(-1)!, size: bytes.length }
    const document = await pool.read(file, () => {}, new AbortController().signal)
    await document.close()
    return { code: "read", characters: document.characterCount, peak }
  } catch (error) {
    return { code: (error as ExtractionError).code, characters: 0, peak }
  } finally {
    clearInterval(look)
  }
}

/** Pages that share one content, packed as an archive as they are. */
function pages(count: number): Uint8Array {
  const writer = new PdfWriter()
  const resources = `/Font<</F ${helvetica(writer)} 0 R>>`
  const content = lines(
    Array.from({ length: 40 }, () => "The tenant waters the ficus in room twelve on Thursdays. ".repeat(2)),
  )
  const page = writer.reserve()
  const tree = writer.reserve()
  const contents = writer.stream("", content)
  writer.add(
    `<</Type/Page/Parent ${tree} 0 R/MediaBox[0 0 595 842]/Contents ${contents} 0 R/Resources<<${resources}>>>>`,
    page,
  )
  writer.add(`<</Type/Pages/Kids[${`${page} 0 R `.repeat(count)}]/Count ${count}>>`, tree)
  return writer.finish(writer.add(`<</Type/Catalog/Pages ${tree} 0 R>>`))
}

/** A spreadsheet whose cells and rows are repeated by a number. */
function repeated(columns: number, rows: number): Uint8Array {
  const NS = "urn:oasis:names:tc:opendocument:xmlns"
  const names = ["office", "text", "table"].map(name => `xmlns:${name}="${NS}:${name}:1.0"`).join(" ")
  const cell = `<table:table-cell table:number-columns-repeated="${columns}" office:value-type="string"><text:p>ficus in room twelve</text:p></table:table-cell>`
  return writeZip([
    { name: "mimetype", content: "application/vnd.oasis.opendocument.spreadsheet", stored: true },
    {
      name: "content.xml",
      content: `<office:document-content ${names}><office:body><office:spreadsheet><table:table table:name="A"><table:table-row table:number-rows-repeated="${rows}">${cell}</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`,
    },
  ])
}

describe("a file that unfolds to more text than its size allows is rejected, and leaves nothing on the disk", () => {
  const bombs: [string, string, Uint8Array][] = [
    ["cells that share a string", "a.xlsx", sharedStringWorkbook(60_000, 400)],
    [
      "the same inside an archive",
      "a.zip",
      writeZip([{ name: "a.xlsx", content: sharedStringWorkbook(60_000, 400), stored: true }]),
    ],
    ["pages that share a content", "a.pdf", pages(2_000)],
    ["cells repeated by number", "a.ods", repeated(1000, 100_000)],
  ]
  test.each(bombs)(
    "%s",
    async (_, name, bytes) => {
      const began = performance.now()
      const { code, peak } = await read(name, bytes)
      expect(code).toBe("archive_rejected")
      expect(peak).toBeLessThan(80_000_000)
      expect(readdirSync(results)).toEqual([])
      console.log(`${name}: ${bytes.length} bytes, peak ${peak}, ${Math.round(performance.now() - began)} ms`)
    },
    120_000,
  )
})

describe("files of real life are not", () => {
  test("a workbook of 100 000 rows of the same", async () => {
    expect(await read("b.xlsx", sharedStringWorkbook(60, 100_000, 5))).toMatchObject({ code: "read" })
  }, 60_000)

  test("an archive of a log of 20 MB that repeats itself", async () => {
    const log = "2026-11-21T10:00:00 GET /healthz 200 OK in 1 ms from 127.0.0.1\n".repeat(320_000)
    const outcome = await read("c.zip", writeZip([{ name: "server.log", content: log }]))
    expect(outcome).toMatchObject({ code: "read", characters: log.length })
  }, 60_000)
})
