/** The pages of documents over HTTP: which there are, their pictures, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { Glob } from "bun"
import { wholeOf } from "../../../src/access/view.ts"
import { Pages } from "../../../src/library/pages.ts"
import { DiskBlobs } from "../../../src/storage/blobs/disk.ts"
import { ExtractionError } from "../../../src/storage/document.ts"
import { smallPdf } from "../../binary/small-pdf.ts"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"
import { PNG_SIGNATURE, readPng } from "./png.ts"

const FIXTURES = join(import.meta.dir, "../../fixtures/documents")
const fixture = (name: string) => ({ name, data: readFileSync(join(FIXTURES, name)) })

let app: TestApp
let client: Client
const ids: Record<string, string> = {}

beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  const files = [
    { name: "two.pdf", data: smallPdf(["The first page is short", "The second page says more than the first"]) },
    ...["lease.pdf", "lease.png", "lease.webp", "talk.pptx", "rents.xlsx", "encrypted.pdf"].map(fixture),
  ]
  for (const record of await client.index(files)) ids[record.name] = record.id
}, 60_000)
afterAll(() => app.stop())

const picture = (name: string, page: number | string, query = "", headers = {}) =>
  client.raw("GET", `/libraries/${ids[name]}/pages/${page}.png${query}`, undefined, headers)

describe("the list of pages", () => {
  test("tells each page's size and how much text is on it", async () => {
    const { body } = await client.get(`/libraries/${ids["two.pdf"]}/pages`)
    expect(body).toEqual([
      { page: 1, width: 612, height: 792, characters: 23, ocr: false },
      { page: 2, width: 612, height: 792, characters: 40, ocr: false },
    ])
  })

  test("of a picture is one page in pixels, whose text was recognized", async () => {
    const { body } = await client.get(`/libraries/${ids["lease.png"]}/pages`)
    const record = (await client.get(`/libraries/${ids["lease.png"]}`)).body
    const { width, height } = readPng(readFileSync(join(FIXTURES, "lease.png")))
    expect(body).toEqual([{ page: 1, width, height, characters: record.character_count, ocr: true }])
  })

  test.each(["talk.pptx", "rents.xlsx"])("of %s is 404: it has no pages that can be shown", async name => {
    const { status, body } = await client.get(`/libraries/${ids[name]}/pages`)
    expect([status, body.error.code]).toEqual([404, "not_found"])
  })
})

describe("the picture of a page", () => {
  test.each([
    ["two.pdf", 2],
    ["lease.pdf", 1],
    ["lease.png", 1],
    ["lease.webp", 1],
  ] as const)("of %s, page %d, has the width that is asked for", async (name, page) => {
    const response = await picture(name, page, "?width=500")
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"])
    const { width, height, dark } = readPng(await response.bytes())
    expect(width).toBe(500)
    const { body } = await client.get(`/libraries/${ids[name]}/pages`)
    expect(height).toBe(Math.round((500 * body[page - 1].height) / body[page - 1].width))
    expect(dark).toBeGreaterThan(20)
  })

  test("is 1200 pixels wide where nothing is said, and the client's own until it is asked for again", async () => {
    const response = await picture("two.pdf", 1)
    expect(readPng(await response.bytes()).width).toBe(1200)
    expect(response.headers.get("cache-control")).toBe("private, no-cache")
    const etag = response.headers.get("etag")!
    expect((await picture("two.pdf", 1, "", { "if-none-match": etag })).status).toBe(304)
    expect((await picture("two.pdf", 2, "", { "if-none-match": etag })).status).toBe(200)
  })

  test.each([
    ["two.pdf", 2, "start=29&end=40"],
    ["lease.png", 1, "start=0&end=12"],
  ] as const)("of %s is marked where the marks are, and nowhere else", async (name, page, range) => {
    const { body } = await client.get(`/libraries/${ids[name]}/pages/${page}/marks?${range}`)
    expect(body).toHaveLength(1)
    const { width, height, pixels } = readPng(await (await picture(name, page, `?width=800&${range}`)).bytes())
    const [left, top, right, bottom] = [width, height, 0, 0].map(Number) as [number, number, number, number]
    const found = { left, top, right, bottom }
    for (let at = 0; at < pixels.length; at += 3) {
      if (pixels[at]! - pixels[at + 2]! < 100) continue // no yellow
      const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)]
      found.left = Math.min(found.left, x)
      found.right = Math.max(found.right, x + 1)
      found.top = Math.min(found.top, y)
      found.bottom = Math.max(found.bottom, y + 1)
    }
    const [box] = body
    expect(Math.abs(found.left - box.x * width)).toBeLessThanOrEqual(1)
    expect(Math.abs(found.right - (box.x + box.width) * width)).toBeLessThanOrEqual(1)
    expect(Math.abs(found.top - box.y * height)).toBeLessThanOrEqual(1)
    expect(Math.abs(found.bottom - (box.y + box.height) * height)).toBeLessThanOrEqual(1)
  })

  test("has no body for HEAD", async () => {
    const response = await client.raw("HEAD", `/libraries/${ids["two.pdf"]}/pages/1.png`)
    expect([response.status, response.headers.get("content-type"), (await response.bytes()).length]).toEqual([
      200,
      "image/png",
      0,
    ])
  })

  test.each([
    ["page 0", 0, "", 404, "not_found"],
    ["a page beyond the end", 3, "", 404, "not_found"],
    ["no number", "x", "", 404, "not_found"],
    ["a width below 320", 1, "?width=319", 400, "invalid_request"],
    ["a width above 2400", 1, "?width=2401", 400, "invalid_request"],
    ["a width that is no number", 1, "?width=wide", 400, "invalid_request"],
    ["a range that ends before it starts", 1, "?start=5&end=4", 400, "invalid_request"],
    ["a negative start", 1, "?start=-1", 400, "invalid_request"],
  ] as const)("is refused for %s", async (_, page, query, status, code) => {
    const response = await picture("two.pdf", page, query)
    expect([response.status, (await response.json()).error.code]).toEqual([status, code])
  })

  test("and the marks are refused alike", async () => {
    for (const [path, status] of [
      ["0/marks", 404],
      ["3/marks", 404],
      ["x/marks", 404],
      ["1/marks?start=2&end=1", 400],
    ] as const)
      expect((await client.get(`/libraries/${ids["two.pdf"]}/pages/${path}`)).status).toBe(status)
  })
})

describe("a file", () => {
  test("that could not be read has no pages: 409", async () => {
    for (const path of ["pages", "pages/1.png", "pages/1/marks"]) {
      const { status, body } = await client.get(`/libraries/${ids["encrypted.pdf"]}/${path}`)
      expect([status, body.error.code]).toEqual([409, "conflict"])
    }
  })

  test("of another workspace, or one that is deleted, is not there", async () => {
    const other = await app.client("elsewhere")
    const [gone] = await client.index([{ name: "gone.pdf", data: smallPdf(["Soon gone"]) }])
    await client.get(`/libraries/${gone.id}/pages/1.png`)
    await client.delete(`/libraries/${gone.id}`)
    for (const path of ["pages", "pages/1.png", "pages/1/marks"]) {
      expect((await other.get(`/libraries/${ids["two.pdf"]}/${path}`)).status).toBe(404)
      expect((await client.get(`/libraries/${gone.id}/${path}`)).status).toBe(404)
    }
  })

  test("is not shown to a key that may not read files", async () => {
    const searcher = await app.client("default", { scopes: ["search"] })
    expect((await searcher.get(`/libraries/${ids["two.pdf"]}/pages/1.png`)).status).toBe(403)
  })

  test("that was replaced shows its new pages", async () => {
    const [file] = await client.index([{ name: "again.pdf", data: smallPdf(["Before"]) }])
    const before = await (await client.raw("GET", `/libraries/${file.id}/pages/1.png`)).bytes()
    const { body } = await client.upload(
      [{ name: "again.pdf", data: smallPdf(["After that it has another text", "and more"]) }],
      { on_duplicate: "replace" },
    )
    expect(body.files[0].id).toBe(file.id)
    await client.settled(file.id)
    const after = await (await client.raw("GET", `/libraries/${file.id}/pages/1.png`)).bytes()
    expect(Buffer.compare(before, after)).not.toBe(0)
    expect((await client.get(`/libraries/${file.id}/pages`)).body).toHaveLength(2)
  })
})

test("files that were read before layouts were stored have the same pages, those of text with marks", async () => {
  const name = "two.pdf"
  const asked = async () => {
    const list = (await client.get(`/libraries/${ids[name]}/pages`)).body
    return [list, (await client.get(`/libraries/${ids[name]}/pages/2/marks?start=30&end=45`)).body]
  }
  const before = await asked()
  expect(before[1]).toHaveLength(1)
  const layouts = [...new Glob(`texts/*/${ids[name]}.*.pages`).scanSync(app.data)]
  expect(layouts).toHaveLength(1)
  rmSync(join(app.data, layouts[0]!))
  await app.restart()
  expect(await asked()).toEqual(before)
})

test("the layout of a file's pages goes with the file", async () => {
  const [file] = await client.index([{ name: "leaves.pdf", data: smallPdf(["It leaves nothing behind"]) }])
  const layouts = () => [...new Glob(`texts/*/${file.id}.*`).scanSync(app.data)].length
  expect(layouts()).toBe(2)
  await client.delete(`/libraries/${file.id}`)
  expect(layouts()).toBe(0)
})

test("what is drawn begins as PNG files do", async () => {
  expect((await (await picture("lease.pdf", 1)).bytes()).subarray(0, 8)).toEqual(PNG_SIGNATURE)
})

test("a page that breaks its reader is not tried again at once", async () => {
  let asked = 0
  const reader = {
    outline: async () => [],
    show: async () => {
      asked++
      throw new ExtractionError("extraction_timeout", "drawing the page took too long")
    },
  }
  const version = { id: "f", workspaceId: "w", name: "f.pdf", type: "pdf", generation: 1, blob: "b" }
  const blobs = new DiskBlobs(app.data)
  await blobs.write("b", Readable.from([Buffer.from("x")]), 10)
  await using pages = new Pages({ library: { version: async () => version }, blobs, reader })
  const view = wholeOf("w")
  for (const width of [400, 500])
    await expect(pages.png(view, "f", 1, { width }, new AbortController().signal)).rejects.toMatchObject({
      code: "conflict",
    })
  expect(asked).toBe(1)
  await expect(pages.png(view, "f", 2, {}, new AbortController().signal)).rejects.toThrow("too long")
  expect(asked).toBe(2)
})
