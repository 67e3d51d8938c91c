import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
let client: Client

beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
})
afterAll(() => app.stop())

const find = async (query: string) => (await client.post("/search", { query, mode: "keyword", limit: 20 })).body.hits
const filler = (words: string) =>
  Array.from({ length: 400 }, (_, i) => `Paragraph ${i} about ${words} and the tide.`).join("\n\n")

describe("a file on its way to being searchable", () => {
  test("moves forward through the documented states and stages only", async () => {
    const { body } = await client.upload([{ name: "long.txt", data: filler("rowing boats") }])
    const id = body.files[0].id
    const response = await client.raw("GET", `/libraries/${id}/events`)
    const text = await response.text()
    const records = [...text.matchAll(/^data: (.*)$/gm)].map(match => JSON.parse(match[1]!))
    const rank = { queued: 0, indexing: 1, searchable: 2 } as Record<string, number>
    const stages = ["extracting", "ocr", "chunking", "embedding", "committing", null]
    for (const [i, record] of records.entries()) {
      expect(stages).toContain(record.stage)
      if (i === 0) continue
      expect(rank[record.status]!).toBeGreaterThanOrEqual(rank[records[i - 1].status]!)
      expect(record.progress).toBeGreaterThanOrEqual(records[i - 1].progress)
    }
    expect(records.at(-1)).toMatchObject({ status: "searchable", stage: null, progress: 1, error: null })
    expect(records.at(-1).chunk_count).toBeGreaterThan(10)
  })

  test("is seen by search whole or not at all", async () => {
    const { body } = await client.upload([{ name: "whole.txt", data: filler("wholeness") }])
    const id = body.files[0].id
    for (;;) {
      const hits = (await find("wholeness")).filter((hit: { file: { id: string } }) => hit.file.id === id)
      const { status } = (await client.get(`/libraries/${id}`)).body
      if (hits.length > 0) {
        expect(hits.length).toBe(20)
        break
      }
      if (status === "searchable") expect((await find("wholeness")).length).toBe(20)
    }
  })
})

describe("a new version", () => {
  test("replaces the old one without a gap, and leaves nothing of it", async () => {
    const [file] = await client.index([{ name: "plan.txt", data: "The plan speaks of albatross." }])
    await client.upload([{ name: "plan.txt", data: `The plan speaks of cormorant.\n\n${filler("nothing else")}` }], {
      on_duplicate: "replace",
    })
    for (let done = false; !done; ) {
      const [old, fresh] = [(await find("albatross")).length, (await find("cormorant")).length]
      expect(old + fresh).toBeGreaterThan(0)
      done = (await client.get(`/libraries/${file.id}`)).body.status === "searchable"
    }
    expect(await find("albatross")).toEqual([])
    const hits = await find("cormorant")
    expect(hits.map((hit: { file: { id: string } }) => hit.file.id)).toEqual([file.id])
    const text = await (await client.raw("GET", `/libraries/${file.id}/text`)).text()
    expect(text.slice(hits[0].position.start, hits[0].position.end)).toBe(hits[0].text)
  })

  test("by re-indexing keeps the file findable throughout, once", async () => {
    const [file] = await client.index([{ name: "steady.txt", data: `The steady kittiwake.\n\n${filler("waves")}` }])
    expect((await client.post(`/libraries/${file.id}/reindex`)).status).toBe(202)
    for (let done = false; !done; ) {
      expect(await find("kittiwake")).toHaveLength(1)
      done = (await client.get(`/libraries/${file.id}`)).body.status === "searchable"
    }
    expect(await find("kittiwake")).toHaveLength(1)
  })

  test("that overtakes another while it is being indexed wins", async () => {
    const uploads = ["petrel", "skua", "fulmar"].map(bird => ({
      name: "race.txt",
      data: `A ${bird} flies.\n\n${filler("cliffs")}`,
    }))
    let id = ""
    for (const upload of uploads) id = (await client.upload([upload], { on_duplicate: "replace" })).body.files[0].id
    const settled = await client.settled(id)
    expect(settled.status).toBe("searchable")
    expect([(await find("petrel")).length, (await find("skua")).length, (await find("fulmar")).length]).toEqual([
      0, 0, 1,
    ])
  })
})

describe("a file that cannot be read", () => {
  test.each([
    ["broken.pdf", "%PDF-1.7 this is no PDF at all", ["corrupt_file", "no_text"]],
    ["broken.docx", "PK\u0003\u0004 nonsense", ["corrupt_file"]],
    ["blank.txt", "   \n\n  ", ["no_text"]],
    ["not-a-picture.png", "these bytes show nothing", ["corrupt_file", "no_text"]],
  ] as [string, string, string[]][])("%s fails with its reason and is found by nothing", async (name, data, codes) => {
    const [file] = await client.index([{ name, data }])
    expect(file.status).toBe("failed")
    expect(codes).toContain(file.error.code)
    expect(file.error.message).toBeString()
    expect(file.error.message).not.toMatch(/\/tmp\/|node_modules|\.ts:/)
    const text = await client.get(`/libraries/${file.id}/text`)
    expect([text.status, text.body.error.code]).toEqual([409, "conflict"])
  })

  test("leaves the queue empty: nothing waits without a job", async () => {
    const { body } = await client.get("/libraries?status=queued,indexing")
    expect(body.pagination.total_items).toBe(0)
  })
})
