/** Real scans in one workspace, whose pages are read by OCR: how long others wait is told by how many scans still do. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

const SCAN = readFileSync(join(import.meta.dir, "../fixtures/documents/scan.pdf"))
const SCANS = 150

let app: TestApp
let busy: Client
let other: Client
/** Ids of scans in the order in which they came. */
let scans: string[]

beforeAll(async () => {
  app = await startTestApp({ "index-workers": "2" })
  busy = await app.client("busy")
  other = await app.client("other")
  const forms = Array.from({ length: SCANS }, (_, i) => ({ name: `scan-${i}.pdf`, data: SCAN }))
  const { body } = await busy.upload(forms)
  scans = body.files.map(({ id }: { id: string }) => id)
})
afterAll(() => app.stop())

const waiting = async () =>
  (await busy.get("/libraries?status=queued&type=pdf&page_size=1")).body.pagination.total_items

describe("while the scans of a workspace wait", () => {
  test("a note of another workspace does not wait for them", async () => {
    const [note] = await other.index([{ name: "note.txt", data: "The dredger is moored at quay nine.\n\n".repeat(80) }])
    expect(note.status).toBe("searchable")
    expect(await waiting()).toBeGreaterThan(0)
    const { body } = await other.post("/search", { query: "dredger", limit: 1 })
    expect(body.hits).toHaveLength(1)
  }, 60_000)

  test("nor do forty notes of the same workspace", async () => {
    const notes = Array.from({ length: 40 }, (_, i) => ({
      name: `note-${i}.md`,
      data: `# Note ${i}\n\nThe weir is open.`,
    }))
    const indexed = await busy.index(notes)
    expect(indexed.every(({ status }) => status === "searchable")).toBe(true)
    expect(await waiting()).toBeGreaterThan(0)
  }, 60_000)

  test("a scan of another workspace takes its turn, and does not wait for those before it", async () => {
    const [scan] = await other.index([{ name: "scan.pdf", data: SCAN }])
    expect(scan).toMatchObject({ status: "searchable", ocr_page_count: 1 })
    expect(await waiting()).toBeGreaterThan(0)
  }, 60_000)

  test("the scans themselves go on, the oldest first", async () => {
    const first = await busy.settled(scans[0]!)
    expect(first).toMatchObject({ status: "searchable", attempts: 1 })
    const last = (await busy.get(`/libraries/${scans.at(-1)}`)).body
    expect(last.status).toBe("queued")
  }, 60_000)
})
