/** Pages are shown while everything else is busy, and by readers that break. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PageReader } from "../../../src/ingest/process/page-reader.ts"
import { scratchFile } from "../../../src/storage/blobs/scratch.ts"
import { smallPdf } from "../../binary/small-pdf.ts"
import { helvetica, lines, PdfWriter, scans, writePages } from "../../ingest/formats/pdf-writer.ts"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"
import { until } from "../../support/until.ts"
import { readPng } from "./png.ts"

const MEMORY = 1024 * 2 ** 20

describe("20 callers", () => {
  let app: TestApp
  let client: Client

  beforeAll(async () => {
    app = await startTestApp({ "index-workers": "1" })
    client = await app.client()
  })
  afterAll(() => app.stop())

  test("see their pages while a book of scans is read, each its own", async () => {
    const texts = Array.from({ length: 12 }, (_, i) => `This is page ${i + 1} ${"and no other ".repeat(i)}`)
    const [file] = await client.index([{ name: "leaves.pdf", data: smallPdf(texts) }])
    const { body } = await client.upload([{ name: "book.pdf", data: scans(30, page => 100 + page) }])
    const book = body.files[0].id
    await until(async () => (await client.get(`/libraries/${book}`)).body.stage === "ocr")
    const asked = Array.from({ length: 60 }, (_, i) => (i % 12) + 1)
    const left = asked.values()
    const inks = new Map<number, Set<number>>()
    const look = async () => {
      for (const page of left) {
        const response = await client.raw("GET", `/libraries/${file.id}/pages/${page}.png?width=600`)
        expect(response.status).toBe(200)
        const { dark } = readPng(await response.bytes())
        inks.set(page, (inks.get(page) ?? new Set()).add(dark))
      }
    }
    await Promise.all(Array.from({ length: 20 }, look))
    expect((await client.get(`/libraries/${book}`)).body.status).toBe("indexing")
    expect([...inks.values()].map(({ size }) => size)).toEqual(texts.map(() => 1))
    expect(new Set([...inks.values()].flatMap(ink => [...ink])).size).toBe(texts.length)
    await client.delete(`/libraries/${book}`)
  }, 120_000)

  test("get 404 for a file that is deleted while its pages are drawn", async () => {
    const pages = Array.from({ length: 20 }, (_, i) => `Page ${i + 1} of what is soon gone`)
    const [file] = await client.index([{ name: "gone.pdf", data: smallPdf(pages) }])
    const answers = pages.map((_, i) => client.raw("GET", `/libraries/${file.id}/pages/${i + 1}.png?width=1000`))
    await client.delete(`/libraries/${file.id}`)
    const statuses = await Promise.all(answers.map(async answer => (await answer).status))
    expect(statuses.filter(status => status !== 200 && status !== 404)).toEqual([])
    expect(statuses).toContain(404)
    expect((await client.get(`/libraries/${file.id}/pages/1.png`)).status).toBe(404)
  }, 60_000)

  test("see the last of 2 000 pages, and a passage on it", async () => {
    const writer = new PdfWriter()
    const resources = `/Font<</F ${helvetica(writer)} 0 R>>`
    const pages = Array.from({ length: 2_000 }, (_, i) => ({ content: lines([`Chapter ${i + 1}`, "has one line."]) }))
    const [file] = await client.index([{ name: "long.pdf", data: writePages(writer, pages, { resources }) }])
    const { body } = await client.get(`/libraries/${file.id}/pages`)
    expect(body).toHaveLength(2_000)
    const text: string = (await client.get(`/libraries/${file.id}/text`)).body
    const start = text.indexOf("Chapter 2000")
    const marks = (page: number) =>
      client.get(`/libraries/${file.id}/pages/${page}/marks?start=${start}&end=${start + 12}`)
    expect((await marks(2_000)).body).toHaveLength(1)
    expect((await marks(1_999)).body).toEqual([])
    expect((await client.raw("GET", `/libraries/${file.id}/pages/2000.png`)).status).toBe(200)
    expect((await client.raw("GET", `/libraries/${file.id}/pages/2001.png`)).status).toBe(404)
  }, 120_000)

  test("a passage over three pages is marked on each of them by its part", async () => {
    const [file] = await client.index([
      { name: "three.pdf", data: smallPdf(["First ends here", "Second all", "Third begins"]) },
    ])
    const text: string = (await client.get(`/libraries/${file.id}/text`)).body
    const range = `start=${text.indexOf("ends")}&end=${text.indexOf("begins")}`
    const widths = await Promise.all(
      [1, 2, 3].map(async page => (await client.get(`/libraries/${file.id}/pages/${page}/marks?${range}`)).body),
    )
    const whole = async (page: number) => (await client.get(`/libraries/${file.id}/pages/${page}/marks`)).body[0].width
    expect(widths.map(boxes => boxes.length)).toEqual([1, 1, 1])
    expect(widths[0][0].width).toBeLessThan(await whole(1))
    expect(widths[1][0].width).toBe(await whole(2))
    expect(widths[2][0].width).toBeLessThan(await whole(3))
  }, 60_000)
})

describe("a reader", () => {
  const folder = mkdtempSync(join(tmpdir(), "carrel-pages-"))
  const readers: PageReader[] = []
  afterAll(async () => {
    await Promise.all(readers.map(reader => reader.stop()))
    rmSync(folder, { recursive: true })
  })
  const readerOf = (options: { pageCpuMs?: number; memoryLimitBytes?: number } = {}) => {
    const reader = new PageReader({
      places: 2,
      memoryLimitBytes: MEMORY,
      makeFile: () => scratchFile(folder),
      ...options,
    })
    readers.push(reader)
    return reader
  }
  const fileOf = (name: string, bytes: Uint8Array) => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return { path, name, type: "pdf", size: bytes.length, workspaceId: "w" }
  }
  const never = new AbortController().signal

  test("that is killed while it draws is replaced, and nobody notices", async () => {
    const reader = readerOf()
    const file = fileOf("small.pdf", smallPdf(["Shown all the same"]))
    const shown = reader.show(file, { page: 1, width: 2400 }, never)
    const pid = await until(() => reader.pids[0])
    process.kill(pid, "SIGKILL")
    expect(readPng((await shown)!.picture).width).toBe(2400)
    expect(reader.pids).not.toContain(pid)
  }, 30_000)

  test("draws a page of any size in few pixels, and goes on", async () => {
    const reader = readerOf()
    const writer = new PdfWriter()
    const more = (box: string) => ({ content: lines(["Large"]), more: `/MediaBox[${box}]` })
    const boxes = ["0 0 14400 14400", "0 0 100000000 100000000", "0 0 10 1000000", "0 0 1000000 10", "0 0 0 0"]
    const bytes = writePages(writer, boxes.map(more), { resources: `/Font<</F ${helvetica(writer)} 0 R>>` })
    const file = fileOf("bomb.pdf", bytes)
    for (const [i, box] of boxes.entries()) {
      const shown = await reader.show(file, { page: i + 1, width: 2400 }, never)
      if (!shown) continue // no size at all
      const { width, height } = readPng(shown.picture)
      expect([box, width <= 2400, width * height <= 12_000_000, width > 0, height > 0]).toEqual([
        box,
        true,
        true,
        true,
        true,
      ])
    }
    expect(await reader.show(file, { page: 1, width: 320 }, never)).toBeDefined()
  }, 60_000)

  test("that takes too long is killed, and the next page is drawn", async () => {
    const writer = new PdfWriter()
    // Each form draws the one before it forty times.
    let form = writer.stream("/Type/XObject/Subtype/Form/BBox[0 0 600 800]", "0 0 m 500 700 l S")
    for (let depth = 0; depth < 6; depth++)
      form = writer.stream(
        `/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X ${form} 0 R>>>>`,
        "/X Do ".repeat(40),
      )
    const bytes = writePages(writer, [{ content: "/X Do" }], { resources: `/XObject<</X ${form} 0 R>>` })
    const reader = readerOf({ pageCpuMs: 1_500 })
    const endless = reader.show(fileOf("endless.pdf", bytes), { page: 1, width: 800 }, never)
    await expect(endless).rejects.toMatchObject({ code: "extraction_timeout" })
    const next = await reader.show(fileOf("next.pdf", smallPdf(["Next"])), { page: 1, width: 400 }, never)
    expect(readPng(next!.picture).width).toBe(400)
  }, 60_000)

  test("ends when nobody waits for it any more", async () => {
    const reader = readerOf()
    const stop = new AbortController()
    const shown = reader.show(fileOf("left.pdf", smallPdf(["Left"])), { page: 1, width: 2400 }, stop.signal)
    await until(() => reader.pids[0])
    stop.abort(new Error("gone"))
    await expect(shown).rejects.toThrow("gone")
    await until(() => reader.pids.length === 0)
  }, 30_000)
})
