import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
let client: Client
const ids: Record<string, string> = {}

const FILES: Record<string, string> = {
  "pump.txt": "The greenhouse irrigation pump must be primed every Monday.\n\nIt is painted cobalt blue.",
  "lease.md": "# Lease\n\nThe tenant gives ninety days' written notice before terminating the lease.",
  "stock.csv": "item,count\npump,3\ncompass,7\n",
}

beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  for (const [name, data] of Object.entries(FILES)) {
    const [file] = await client.index([{ name, data }], { context_id: name === "pump.txt" ? "garden" : "house" })
    ids[name] = file.id
  }
}, 60_000)
afterAll(() => app.stop())

describe("POST /search", () => {
  test("answers with every field of the contract", async () => {
    const { status, body } = await client.post("/search", { query: "when is the pump primed", explain: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({ query: "when is the pump primed", mode: "hybrid", degraded: null })
    expect(body.index.searchable_files).toBe(3)
    expect(body.hits[0].file).toEqual({
      id: ids["pump.txt"],
      name: "pump.txt",
      type: "txt",
      context_id: "garden",
      tags: [],
    })
    expect(body.hits[0].text).toBe(FILES["pump.txt"]!.slice(body.hits[0].position.start, body.hits[0].position.end))
    expect(body.hits[0].scores.keyword.rank).toBe(1)
    expect([body.corrections, body.groups]).toEqual([[], undefined])
  })

  const wrong: object[] = [
    {},
    { query: "" },
    { query: " \n\t " },
    { query: 5 },
    { query: "a".repeat(2001) },
    { query: "a", limit: 0 },
    { query: "a", limit: 101 },
    { query: "a", limit: "x" },
    { query: "a", offset: -1 },
    { query: "a", mode: "fuzzy" },
    { query: "a", exact: "yes" },
    { query: "a", group_by: "type" },
    { query: "a", group_by: "file", group_size: 0 },
    { query: "a", group_by: "file", group_size: 11 },
    { query: "a", group_size: 2 },
    { query: "a", rerank: "yes" },
    { query: "a", rerank: { candidates: 0 } },
    { query: "a", rerank: { candidates: 201 } },
    { query: "a", rerank: { budget_ms: 5 } },
    { query: "a", filters: { created_after: "x" } },
    { query: "a", filters: { types: "pdf" } },
  ]
  for (const body of wrong)
    test(`refuses ${JSON.stringify(body).slice(0, 50)}`, async () => {
      const answer = await client.post("/search", body)
      expect(answer.status).toBe(400)
      expect(answer.body.error.code).toBe("invalid_request")
    })

  test("misspelt words are corrected unless the request is exact", async () => {
    const { body } = await client.post("/search", { query: "irigation", mode: "keyword", explain: true })
    expect(body.corrections).toEqual([{ word: "irigation", tried: ["irrigation"] }])
    expect(body.hits[0].file.name).toBe("pump.txt")
    expect(body.hits[0].scores.corrected).toEqual(["irrigation"])
    const exact = await client.post("/search", { query: "irigation", mode: "keyword", exact: true })
    expect([exact.body.corrections, exact.body.hits]).toEqual([[], []])
  })

  test("hits can be gathered by file", async () => {
    const { status, body } = await client.post("/search", { query: "pump", group_by: "file", group_size: 1 })
    expect(status).toBe(200)
    expect(body.hits.map((hit: { file: { id: string } }) => hit.file.id)).toEqual(
      body.groups.map((group: { file_id: string }) => group.file_id),
    )
    expect(new Set(body.groups.map((group: { file_id: string }) => group.file_id)).size).toBe(body.groups.length)
  })

  test("an unknown file in the filter is 404, an unknown context is empty", async () => {
    const unknown = await client.post("/search", { query: "pump", filters: { file_ids: ["file_none"] } })
    expect(unknown.status).toBe(404)
    const empty = await client.post("/search", { query: "pump", filters: { context_id: "nowhere" } })
    expect(empty.body.hits).toEqual([])
  })

  test("another workspace sees nothing", async () => {
    const other = await app.client("other")
    const { body } = await other.post("/search", { query: "pump" })
    expect(body.hits).toEqual([])
    expect(body.index.searchable_files).toBe(0)
  })
})

describe("POST /semantic-search", () => {
  const saidBy = async (path: string, asked: object) => {
    const { degraded, reranked } = (await client.post(path, { query: "pump", ...asked })).body
    return { degraded, reranked }
  }

  for (const field of ["query", "keywords"])
    test(`gathers hits under whole records, asked by ${field}`, async () => {
      const { status, body } = await client.post("/semantic-search", { [field]: "terminating the lease" })
      expect(status).toBe(200)
      expect(body.documents[0].file).toMatchObject({ id: ids["lease.md"], status: "searchable", name: "lease.md" })
      expect(body.documents[0].passages.length).toBeGreaterThan(0)
      expect(new Set(body.documents.map((document: { file: { id: string } }) => document.file.id)).size).toBe(3)
    })
  test("a context narrows it", async () => {
    const { body } = await client.post("/semantic-search", { query: "pump", context_id: "garden" })
    expect(body.documents.map((document: { file: { id: string } }) => document.file.id)).toEqual([ids["pump.txt"]])
  })
  test("what is asked of the search beside its words is heeded", async () => {
    for (const asked of [{}, { rerank: false }, { rerank: { candidates: 5 }, exact: true }])
      expect(await saidBy("/semantic-search", asked)).toEqual(await saidBy("/search", asked))
    for (const wrong of [{ rerank: { candidates: 0 } }, { rerank: "yes" }, { exact: "yes" }])
      expect((await client.post("/semantic-search", { query: "pump", ...wrong })).status).toBe(400)
  })
  test("neither query nor keywords is 400, an unknown conversation 404", async () => {
    expect((await client.post("/semantic-search", { limit: 3 })).status).toBe(400)
    expect((await client.post("/semantic-search", { query: "a", context_id: "conv_none" })).status).toBe(404)
  })
})

test("a deleted file is gone at once", async () => {
  await client.delete(`/libraries/${ids["stock.csv"]}`)
  for (const mode of ["hybrid", "keyword", "semantic"]) {
    const { body } = await client.post("/search", { query: "compass pump", mode, limit: 50 })
    expect(body.hits.some((hit: { file: { id: string } }) => hit.file.id === ids["stock.csv"])).toBe(false)
  }
})
