import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
let client: Client
const ids: Record<string, string> = {}

beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  for (const [i, name] of ["b_100%.txt", "ÄPFEL.md", "a-notes.txt", "report.csv"].entries()) {
    const records = await client.index(
      [{ name, data: `content of ${name} `.repeat(i + 1) }],
      i < 2 ? { tags: "red,green", context_id: "ctx" } : { tags: "blue" },
    )
    ids[name] = records[0].id
  }
})
afterAll(() => app.stop())

const names = async (query: string) => (await client.get(`/libraries?${query}`)).body.data.map((file: any) => file.name)

describe("the list", () => {
  test("is newest first by default and pages without gap or repetition", async () => {
    expect(await names("")).toEqual(["report.csv", "a-notes.txt", "ÄPFEL.md", "b_100%.txt"])
    const { body } = await client.get("/libraries?page=2&page_size=3&sort=name&order=asc")
    expect(body.data).toHaveLength(1)
    expect(body.pagination).toEqual({ page: 2, page_size: 3, total_items: 4, total_pages: 2, has_next: false })
    expect((await client.get("/libraries?page=999")).body.data).toEqual([])
  })

  test.each([
    ["type=md,csv", ["report.csv", "ÄPFEL.md"]],
    ["type=.MD", ["ÄPFEL.md"]],
    ["status=&type=&tag=&name=&context_id=&created_after=&page_size=1", ["report.csv"]],
    ["tag=green", ["ÄPFEL.md", "b_100%.txt"]],
    ["tag=red,blue", ["report.csv", "a-notes.txt", "ÄPFEL.md", "b_100%.txt"]],
    ["name=NOTES", ["a-notes.txt"]],
    ["name=äpfel", ["ÄPFEL.md"]],
    ["name=%25", ["b_100%.txt"]],
    ["name=a_notes", []],
    ["context_id=ctx", ["ÄPFEL.md", "b_100%.txt"]],
    ["status=failed", []],
    ["created_after=2999-01-01T00:00:00Z", []],
    ["created_before=2001-01-01T00:00:00.000Z", []],
    ["sort=size&order=asc&page_size=1", ["b_100%.txt"]],
  ])("narrowed by %s", async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  test.each([
    "page=0",
    "page=-1",
    "page=abc",
    "page_size=0",
    "page_size=101",
    "page_size=1.5",
    "sort=bogus",
    "order=sideways",
    "status=bogus",
    "type=exe",
    "context_id=no%20spaces",
    "created_after=yesterdayish",
    "created_before=2026-02-30",
  ])("refuses %s by name", async query => {
    const { status, body } = await client.get(`/libraries?${query}`)
    expect([status, body.error.code]).toEqual([400, "invalid_request"])
    expect(body.error.details[0].field).toBe(query.split("=")[0])
  })
})

describe("a file", () => {
  test("comes back byte for byte, whole or by range", async () => {
    const path = `/libraries/${ids["report.csv"]}/content`
    const whole = await client.raw("GET", path)
    expect(await whole.text()).toBe("content of report.csv ".repeat(4))
    expect(whole.headers.get("content-disposition")).toStartWith("attachment")
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff")
    for (const [range, expected] of [
      ["bytes=0-6", "content"],
      ["bytes=-4", "csv "],
      ["bytes=80-", "ort.csv "],
    ] as const) {
      const part = await client.raw("GET", path, undefined, { range })
      expect([part.status, await part.text()]).toEqual([206, expected])
    }
    const outside = await client.get(path, { range: "bytes=9999-" })
    expect([outside.status, outside.body.error.code]).toEqual([416, "range_not_satisfiable"])
    expect(outside.headers.get("content-range")).toBe("bytes */88")
  })

  test("is sent whole to a client that resumes a former version, and not at all to one that has it", async () => {
    const path = `/libraries/${ids["report.csv"]}/content`
    const etag = (await client.raw("HEAD", path)).headers.get("etag")!
    const resume = (version: string) => client.raw("GET", path, undefined, { range: "bytes=80-", "if-range": version })
    expect(await (await resume(etag)).text()).toBe("ort.csv ")
    const changed = await resume('"another"')
    expect([changed.status, (await changed.text()).length]).toEqual([200, 88])
    const known = await client.raw("GET", path, undefined, { "if-none-match": etag })
    expect([known.status, await known.text()]).toEqual([304, ""])
  })

  test("with a name beyond ASCII can be downloaded", async () => {
    const response = await client.raw("GET", `/libraries/${ids["ÄPFEL.md"]}/content`)
    expect(response.headers.get("content-disposition")).toContain("filename*=UTF-8''%C3%84PFEL.md")
  })

  test("can be renamed, tagged, described and moved", async () => {
    const change = { name: "renamed.txt", tags: ["one", "two"], metadata: { k: { deep: [1] } }, context_id: "moved" }
    const { status, body } = await client.patch(`/libraries/${ids["a-notes.txt"]}`, change)
    expect(status).toBe(200)
    expect(body).toMatchObject(change)
    expect(body.updated_at >= body.created_at).toBe(true)
  })

  test("of another workspace does not exist", async () => {
    const stranger = await app.client("other")
    const id = ids["report.csv"]
    const answers = await Promise.all([
      stranger.get(`/libraries/${id}`),
      stranger.get(`/libraries/${id}/content`),
      stranger.get(`/libraries/${id}/text`),
      stranger.get(`/libraries/${id}/events`),
      stranger.patch(`/libraries/${id}`, { name: "stolen.txt" }),
      stranger.post(`/libraries/${id}/reindex`),
      stranger.delete(`/libraries/${id}`),
    ])
    for (const { status, body } of answers) expect([status, body.error.code]).toEqual([404, "not_found"])
    expect((await stranger.get("/libraries")).body.data).toEqual([])
    expect((await client.get(`/libraries/${id}`)).body.name).toBe("report.csv")
  })

  test("is gone after deletion, also for a second deletion", async () => {
    const id = ids["b_100%.txt"]
    expect((await client.delete(`/libraries/${id}`)).status).toBe(204)
    for (const path of ["", "/content", "/text"]) expect((await client.get(`/libraries/${id}${path}`)).status).toBe(404)
    expect((await client.delete(`/libraries/${id}`)).status).toBe(404)
    expect(await names("")).not.toContain("b_100%.txt")
  })
})

describe("a list that is read on by cursor", () => {
  const NAMES = Array.from({ length: 12 }, (_, i) => `cursor ${String(i).padStart(2, "0")}.txt`)
  const byName = "name=cursor&sort=name&order=asc&page_size=4"
  const page = async (more: string) => (await client.get(`/libraries?${byName}${more}`)).body
  const named = ({ data }: any): string[] => data.map(({ name }: any) => name)
  let records: any[]
  beforeAll(async () => {
    records = await client.index(NAMES.map(name => ({ name, data: `text of ${name}` })))
  })

  test("goes on where it ended, forwards and backwards, and says where it ends", async () => {
    const first = await page("")
    const second = await page(`&after=${first.next}`)
    const third = await page(`&after=${second.next}`)
    expect([first, second, third].flatMap(named)).toEqual(NAMES)
    expect([first.previous, third.next]).toEqual([null, null])
    expect(second.pagination).toMatchObject({ page_size: 4, total_items: 12, has_next: true })
    const back = await page(`&before=${third.previous}`)
    expect(named(back)).toEqual(named(second))
    const start = await page(`&before=${back.previous}`)
    expect([named(start), start.previous]).toEqual([named(first), null])
    // a page by number leads on, too
    const numbered = await page("&page=2")
    expect(named(await page(`&before=${numbered.previous}`))).toEqual(named(first))
  })

  test("leaves none out and repeats none while files before and behind it come and go", async () => {
    const first = await page("")
    for (const { id } of records.slice(0, 4)) await client.delete(`/libraries/${id}`) // also the one that it ended with
    await client.index([{ name: "cursor 00 again.txt", data: "came later" }])
    const second = await page(`&after=${first.next}`)
    expect(named(second)).toEqual(NAMES.slice(4, 8))
    expect(named(await page(`&before=${second.previous}`))).toEqual(["cursor 00 again.txt"])
    expect(named(await page(`&after=${second.next}`))).toEqual(NAMES.slice(8))
  })

  test.each([
    ["another order", (next: string) => `&order=desc&after=${next}`, "after"],
    ["another field", (next: string) => `&sort=size&before=${next}`, "before"],
    ["nothing", () => "&after=nonsense", "after"],
    ["both directions", (next: string) => `&after=${next}&before=${next}`, "before"],
  ])("refuses a cursor of %s", async (_, more, field) => {
    const { next } = (await client.get("/libraries?page_size=1&sort=name&order=asc")).body
    const asked = new URLSearchParams(more(next))
    const given = new URLSearchParams({ sort: "name", order: "asc", page_size: "1", ...Object.fromEntries(asked) })
    const { status, body } = await client.get(`/libraries?${given}`)
    expect([status, body.error.code]).toEqual([400, "invalid_request"])
    expect(JSON.stringify(body.error)).toContain(field)
  })
})
