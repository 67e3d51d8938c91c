/** A filter of a request wherever it may stand: search, lists, conversations, runs. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import fc from "fast-check"
import type { FileRecord } from "../../../src/library/record.ts"
import { dataOf } from "../../support/events.ts"
import { matches } from "../../support/matches.ts"
import type { ScriptedTurn } from "../../support/model-script.ts"
import { someFilter, someMetadata, someTags } from "../../support/some-filters.ts"
import { MODEL, startTalk, type Talk } from "../../support/talk.ts"

setDefaultTimeout(60_000)

let talk: Talk
const ids: Record<string, string> = {}
/** Every file says the same of something else. */
const FILES = [
  { name: "north.txt", metadata: { region: "north", year: 2024 } },
  { name: "south.md", metadata: { region: "south", year: 2025 } },
  { name: "east.txt", metadata: { year: 2026 } },
]
const SOUTH = { type: "eq", key: "metadata.region", value: "south" }
const NO_REGION = { type: "exists", key: "metadata.region", value: false }
const BAD = { type: "and", filters: [SOUTH, { type: "or", filters: [{ ...SOUTH, value: {} }] }] }
const REFUSED = {
  status: 422,
  body: {
    error: {
      code: "invalid_filter",
      details: [{ field: "filter.filters[1].filters[0].value", issue: expect.any(String) }],
    },
  },
}

beforeAll(async () => {
  talk = await startTalk()
  for (const { name, metadata } of FILES) {
    const data = `The pump of ${name} was serviced by the harbor office.`
    const [file] = await talk.api.index([{ name, data }], { metadata: JSON.stringify(metadata), context_id: "pumps" })
    ids[name] = file.id
  }
}, 60_000)
afterAll(() => talk.stop())

const query = (filter: unknown): string => `filter=${encodeURIComponent(JSON.stringify(filter))}`
const namesIn = (hits: { file: { name: string } }[]) => [...new Set(hits.map(({ file }) => file.name))].sort()

describe("a filter", () => {
  test("narrows searches of passages and of documents, beside the older filters", async () => {
    const { body: passages } = await talk.api.post("/search", { query: "pump", filter: SOUTH })
    expect(namesIn(passages.hits)).toEqual(["south.md"])
    const { body: documents } = await talk.api.post("/semantic-search", { query: "pump", filter: NO_REGION })
    expect(namesIn(documents.documents)).toEqual(["east.txt"])
    const { body: both } = await talk.api.post("/search", {
      query: "pump",
      filter: { type: "not", filters: [SOUTH] },
      filters: { metadata: { year: 2024 } },
    })
    expect(namesIn(both.hits)).toEqual(["north.txt"])
  })

  test("narrows lists, beside their other parameters", async () => {
    const { body: south } = await talk.api.get(`/libraries?${query(SOUTH)}`)
    expect(south.data.map(({ name }: { name: string }) => name)).toEqual(["south.md"])
    expect(south.pagination.total_items).toBe(1)
    const { body: none } = await talk.api.get(`/libraries?type=txt&${query(SOUTH)}`)
    expect(none.pagination.total_items).toBe(0)
    const { body: all } = await talk.api.get("/libraries?filter=")
    expect(all.pagination.total_items).toBe(3)
  })

  test("is followed at once when a file changes, also in what the counter of changes does not count", async () => {
    const found = async (key: string, value: string) =>
      namesIn((await talk.api.post("/search", { query: "pump", filter: { type: "eq", key, value } })).body.hits)
    expect(await found("file.name", "west.txt")).toEqual([])
    await talk.api.patch(`/libraries/${ids["north.txt"]}`, { name: "west.txt" })
    expect(await found("file.name", "west.txt")).toEqual(["west.txt"])
    await talk.api.patch(`/libraries/${ids["north.txt"]}`, { name: "north.txt" })
    expect(await found("file.name", "west.txt")).toEqual([])
  })

  test("is kept by a conversation for what follows, and taken off by an empty one", async () => {
    const ask = (path: string, more: object) =>
      talk.stream(path, { model: MODEL, message: "Who serviced the pump of the harbor office?", ...more })
    const first = await ask("/conversations", { filter: SOUTH })
    const id = dataOf(first, "conversation_created").conversation_id
    const namesOf = (events: typeof first) =>
      [...new Set(dataOf(events, "sources").sources.map(({ name }: { name: string }) => name))].sort()
    expect(namesOf(first)).toEqual(["south.md"])
    expect((await talk.stored(id)).settings.filter).toEqual(SOUTH)
    expect(namesOf(await ask(`/conversations/${id}`, {}))).toEqual(["south.md"])
    expect(namesOf(await ask(`/conversations/${id}`, { filter: NO_REGION }))).toEqual(["east.txt"])
    expect(namesOf(await ask(`/conversations/${id}`, { filter: {} }))).toHaveLength(3)
    expect((await talk.stored(id)).settings.filter).toBeNull()
  })

  test("narrows the files that a conversation names", async () => {
    const { body } = await talk.api.post("/start-conversation", {
      model: MODEL,
      message: "Who serviced the pump?",
      file_ids: Object.values(ids),
      filter: SOUTH,
    })
    const stored = await talk.stored(body.conversation_id)
    expect(stored.settings).toMatchObject({ filter: SOUTH, file_ids: Object.values(ids) })
    const prompt = JSON.stringify(talk.scenes.got("none").at(-1))
    expect(prompt).toContain("south.md")
    expect(prompt).not.toContain("north.txt")
  })

  test("with a private text is refused where redaction applies, because it would be stored", async () => {
    const filter = { type: "eq", key: "metadata.author", value: "ola.hansen@example.com" }
    const asked = { model: MODEL, message: "Who?", filter }
    const refused = await talk.api.post("/start-conversation", { ...asked, redaction: true })
    expect(refused).toMatchObject({ status: 400, body: { error: { details: [{ field: "filter" }] } } })
    expect((await talk.api.post("/start-conversation", asked)).status).toBe(200)
  })

  test("bounds every tool of a run", async () => {
    const call = (name: string, args: Record<string, unknown>): ScriptedTurn => ({ tools: [{ name, arguments: args }] })
    const turns = [
      call("list_files", {}),
      call("search_library", { query: "pump" }),
      call("read_file", { file_id: ids["north.txt"]! }),
      call("read_file", { file_id: ids["south.md"]! }),
      { text: "Done." },
    ]
    talk.scenes.add("run", (_, count) => turns[Math.min(count, turns.length - 1)]!)
    const { body } = await talk.api.post("/agents/run", { model: MODEL, task: "case-run Look.", filter: SOUTH })
    const results = body.steps.map(({ result }: { result: string }) => result)
    expect(results[0]).toStartWith("1 files:")
    expect(results[0]).toContain("south.md")
    expect(results[1]).toContain("south.md")
    expect(results[1]).not.toContain("north.txt")
    expect(results[2]).toStartWith("There is no file")
    expect(results[3]).toContain("The pump of south.md")
  })

  test("that is bad is refused on every surface with its place", async () => {
    const { api } = talk
    expect(await api.post("/search", { query: "pump", filter: BAD })).toMatchObject(REFUSED)
    expect(await api.post("/semantic-search", { query: "pump", filter: BAD })).toMatchObject(REFUSED)
    expect(await api.get(`/libraries?${query(BAD)}`)).toMatchObject(REFUSED)
    expect(await api.post("/conversations", { model: MODEL, message: "Who?", filter: BAD })).toMatchObject(REFUSED)
    expect(await api.post("/start-conversation", { model: MODEL, message: "Who?", filter: BAD })).toMatchObject(REFUSED)
    expect(await api.post("/agents/run", { model: MODEL, task: "Who?", filter: BAD })).toMatchObject(REFUSED)
    expect((await api.get("/libraries?filter=%7B")).body.error).toMatchObject({ code: "invalid_filter" })
    for (const filter of ["file.type", 7, true, [], [SOUTH]])
      expect((await api.post("/search", { query: "pump", filter })).body.error.code).toBe("invalid_filter")
    expect((await api.post("/search", { query: "pump", filter: null })).status).toBe(200)
  })
})

describe("the numbers of a library", () => {
  test("are the values of each key and how many files have them, the most frequent first", async () => {
    const { status, body } = await talk.api.get(
      "/libraries/facets?keys=file.type,metadata.year,file.tags,file.source_id",
    )
    expect(status).toBe(200)
    expect(body).toEqual({
      facets: {
        "file.type": [
          { value: "txt", count: 2 },
          { value: "md", count: 1 },
        ],
        "metadata.year": [2024, 2025, 2026].map(value => ({ value, count: 1 })),
        "file.tags": [],
        "file.source_id": [],
      },
      total_files: 3,
    })
    const { body: south } = await talk.api.get(`/libraries/facets?keys=file.type&${query(SOUTH)}`)
    expect(south).toEqual({ facets: { "file.type": [{ value: "md", count: 1 }] }, total_files: 1 })
  })

  test("follow a change at once", async () => {
    const years = async () => (await talk.api.get("/libraries/facets?keys=metadata.year")).body.facets["metadata.year"]
    expect((await years()).length).toBe(3)
    await talk.api.patch(`/libraries/${ids["east.txt"]}`, { metadata: { year: 2025 } })
    expect(await years()).toEqual([
      { value: 2025, count: 2 },
      { value: 2024, count: 1 },
    ])
    await talk.api.patch(`/libraries/${ids["east.txt"]}`, { metadata: { year: 2026 } })
  })

  test("sum up what the files hold", async () => {
    const [broken] = await talk.api.index([{ name: "broken.pdf", data: "no pdf" }])
    const { body } = await talk.api.get("/libraries/summary")
    const { body: list } = await talk.api.get("/libraries")
    const sum = (name: string) => list.data.reduce((all: number, file: Record<string, number>) => all + file[name]!, 0)
    expect(body).toMatchObject({
      total: 4,
      by_status: { queued: 0, indexing: 0, searchable: 3, failed: 1 },
      by_error: { [broken.error.code]: 1 },
      warnings: {},
      bytes: sum("size"),
      pages: sum("page_count"),
      chunks: sum("chunk_count"),
    })
    expect((await talk.api.get(`/libraries/summary?${query(SOUTH)}`)).body).toMatchObject({ total: 1, by_error: {} })
    await talk.api.delete(`/libraries/${broken.id}`)
  })

  test.each([
    ["no keys", "", "invalid_request"],
    ["empty keys", "?keys=,", "invalid_request"],
    ["an unknown key", "?keys=file.owner", "invalid_request"],
    ["a name of every object", "?keys=constructor", "invalid_request"],
    ["too many keys", `?keys=${Array.from({ length: 21 }, (_, i) => `metadata.k${i}`)}`, "invalid_request"],
    ["a bad filter", `?keys=file.type&${query(BAD)}`, "invalid_filter"],
    ["a filter that is no JSON", "?keys=file.type&filter=x", "invalid_filter"],
  ])("are refused for %s", async (_, asked, code) => {
    expect((await talk.api.get(`/libraries/facets${asked}`)).body.error.code).toBe(code)
  })

  test("are of the workspace of the caller alone", async () => {
    const other = await talk.app.client("other")
    expect((await other.get("/libraries/facets?keys=file.type")).body).toEqual({
      facets: { "file.type": [] },
      total_files: 0,
    })
    expect((await other.get("/libraries/summary")).body.total).toBe(0)
  })
})

describe("every surface", () => {
  const NAMES = ["a.txt", "A.txt", "é.md", "😀.txt", "%_.csv"]

  test("shows the files that an evaluation of their records lets pass, and no others", async () => {
    const api = await talk.app.client("surfaces")
    const labels = fc.sample(fc.record({ metadata: someMetadata, tags: someTags }), { numRuns: 12, seed: 5 })
    for (const [i, { metadata, tags }] of labels.entries()) {
      const [file] = await api.index([{ name: NAMES[i % NAMES.length]!, data: `The heron counts boat ${i}.\n` }])
      const changed = await api.patch(`/libraries/${file.id}`, { metadata, tags })
      if (changed.status !== 200) await api.patch(`/libraries/${file.id}`, { metadata })
    }
    const records: FileRecord[] = (await api.get("/libraries?page_size=100")).body.data
    expect(records).toHaveLength(12)
    const idsOf = (found: { id: string }[]) => [...new Set(found.map(({ id }) => id))].sort()
    const property = fc.asyncProperty(someFilter, async filter => {
      const passing = idsOf(records.filter(record => matches(filter, record)))
      const list = await api.get(`/libraries?page_size=100&${query(filter)}`)
      expect(idsOf(list.body.data)).toEqual(passing)
      const found = await api.post("/search", { query: "heron boat", mode: "keyword", limit: 100, filter })
      expect(idsOf(found.body.hits.map(({ file }: { file: { id: string } }) => file))).toEqual(passing)
      const facets = await api.get(`/libraries/facets?keys=file.id&${query(filter)}`)
      expect(facets.body.facets["file.id"].map(({ value }: { value: string }) => value).sort()).toEqual(passing)
      expect((await api.get(`/libraries/summary?${query(filter)}`)).body.total).toBe(passing.length)
      const would = await api.post("/libraries/bulk", { action: "delete", filter, dry_run: true })
      expect(idsOf(would.body.sample)).toEqual(passing)
    })
    await fc.assert(property, { numRuns: 60 })
  })
})
