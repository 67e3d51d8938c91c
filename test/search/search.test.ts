import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { inMemory, TestLibrary, wordEmbedder } from "./library.ts"

const embedder = wordEmbedder()
let library: TestLibrary

const LEASE = `The tenant shall give ninety days' written notice before terminating the lease.
Rent is due on the first day of each month.
The landlord repairs the roof and the outer walls.`
const PUMP = `The greenhouse irrigation pump must be primed every Monday.
The pump was painted cobalt blue in the Vantaa works.
Spare parts for the pump are kept in the shed.`

beforeAll(async () => {
  library = await TestLibrary.open({ embedder })
  await library.put("file_lease", LEASE, {
    tags: '["law","house"]',
    context_id: "ctx",
    metadata: '{"origin":"bar","n":1}',
  })
  await library.put("file_pump", PUMP, { type: "md", tags: '["garden"]' })
  await library.put("file_zh", "租约终止须提前三十天书面通知。\n水泵每周一必须加水。")
  await library.put(
    "file_de",
    "Die Kündigungsfrist des Mietvertrages beträgt drei Monate.\nDie Pumpe steht im Gewächshaus.",
  )
  await library.put("file_b", "The greenhouse irrigation pump of another workspace.", { workspace_id: "ws_b" })
})
afterAll(() => library.close())

for (const mode of ["hybrid", "keyword", "semantic"] as const)
  describe(`${mode} search`, () => {
    test("puts the passage with the words first, as an exact slice of its file", async () => {
      const { hits, degraded, total } = await library.search("When must the irrigation pump be primed?", { mode })
      expect(degraded).toBeNull()
      expect(hits[0]!.text).toBe("The greenhouse irrigation pump must be primed every Monday.")
      const { start, end } = hits[0]!.position
      expect(PUMP.slice(start, end)).toBe(hits[0]!.text)
      expect(hits[0]!.file).toEqual({
        id: "file_pump",
        name: "file_pump.txt",
        type: "md",
        context_id: null,
        tags: ["garden"],
      })
      expect(total).toBeGreaterThanOrEqual(hits.length)
    })

    test("gives scores from 0 to 1 that never rise, in the same order every time", async () => {
      const once = await library.search("the pump of the tenant", { mode })
      const again = await library.search("the pump of the tenant", { mode })
      expect(again.hits).toEqual(once.hits)
      const scores = once.hits.map(hit => hit.score)
      expect(scores).toEqual([...scores].sort((a, b) => b - a))
      expect(scores.every(score => score >= 0 && score <= 1)).toBe(true)
    })

    test("continues the same list at an offset", async () => {
      const all = await library.texts("the pump of the tenant", { mode, limit: 6 })
      const rest = await library.texts("the pump of the tenant", { mode, limit: 3, offset: 2 })
      expect(rest).toEqual(all.slice(2, 5))
    })

    test("counts the same on every page, also on one beyond the end", async () => {
      const pages = [0, 2, 1000].map(offset => library.search("the pump of the tenant", { mode, limit: 3, offset }))
      const [first, second, beyond] = await Promise.all(pages)
      expect([second!.total, beyond!.total]).toEqual([first!.total, first!.total])
      expect(beyond!.hits).toEqual([])
    })

    test("never shows another workspace's passages", async () => {
      const { hits } = await library.search("greenhouse irrigation pump of another workspace", { mode, limit: 100 })
      expect(hits.some(hit => hit.file.id === "file_b")).toBe(false)
    })

    test("answers any text, whatever is in it", async () => {
      const queries = [
        '"',
        '"""unclosed "phrase',
        "AND OR",
        "* ( ) ^",
        "\\",
        "%",
        "a",
        "7",
        "🙂🚀",
        "مضخة",
        "\u0000abc",
        "\ud83d",
        "'; DROP TABLE files; --",
        "foo:bar~2 +must -not [a TO b] {x}",
        "/.*(a+)+$/",
        "x".repeat(2000),
        "-only",
        '-"only this"',
        "+the",
        '"the"',
      ]
      for (const query of queries) expect((await library.search(query, { mode })).query).toBe(query)
    })
  })

describe("filters", () => {
  const cases: [string, object, string[]][] = [
    ["file ids", { file_ids: ["file_lease", "file_de"] }, ["file_de", "file_lease"]],
    ["types", { types: ["MD"] }, ["file_pump"]],
    ["tags, any of them", { tags: ["garden", "law", "nothing"] }, ["file_lease", "file_pump"]],
    ["context", { context_id: "ctx" }, ["file_lease"]],
    ["metadata", { metadata: { origin: "bar" } }, ["file_lease"]],
    ["metadata of another value", { metadata: { n: "1" } }, []],
    ["a filter", { filter: { type: "eq", key: "metadata.origin", value: "bar" } }, ["file_lease"]],
    ["a filter beside others", { types: ["md"], filter: { type: "eq", key: "metadata.origin", value: "bar" } }, []],
    ["time", { created_after: "2999-01-01T00:00:00Z" }, []],
    ["empty lists", { types: [], tags: [], file_ids: [] }, ["file_de", "file_lease", "file_pump", "file_zh"]],
  ]
  for (const [name, filters, expected] of cases)
    test(`${name} leave exactly the files that pass`, async () => {
      const { hits } = await library.search("pump", { mode: "semantic", filters, limit: 100 })
      expect([...new Set(hits.map(hit => hit.file.id))].sort()).toEqual(expected)
    })

  test("an unknown file is an error, and so is another workspace's", async () => {
    await expect(library.search("pump", { filters: { file_ids: ["file_none"] } })).rejects.toMatchObject({
      code: "not_found",
    })
    await expect(library.search("pump", { filters: { file_ids: ["file_b"] } })).rejects.toMatchObject({
      code: "not_found",
    })
  })

  test("do not change a passage's keyword score", async () => {
    const open = await library.search("pump", { mode: "keyword", explain: true })
    const narrow = await library.search("pump", { mode: "keyword", explain: true, filters: { types: ["md"] } })
    const scoreIn = (result: typeof open, id: string) => result.hits.find(hit => hit.id === id)!.scores!.keyword!.score
    for (const { id } of narrow.hits) expect(scoreIn(narrow, id)).toBe(scoreIn(open, id))
  })
})

describe("conditions in a query", () => {
  for (const mode of ["hybrid", "keyword", "semantic"] as const) {
    test(`${mode}: a quoted phrase must stand as it is`, async () => {
      expect(await library.texts('"pump must be primed"', { mode })).toEqual([PUMP.split("\n")[0]!])
      expect(await library.texts('"primed must pump"', { mode })).toEqual([])
    })
    test(`${mode}: a word with + must be there, one with - must not`, async () => {
      expect(await library.texts("pump +cobalt", { mode })).toEqual([PUMP.split("\n")[1]!])
      const without = await library.texts("pump -cobalt", { mode, limit: 100 })
      expect(without).toContain(PUMP.split("\n")[0]!)
      expect(without).not.toContain(PUMP.split("\n")[1]!)
    })
  }
  test("a Chinese phrase is found inside a sentence", async () => {
    expect(await library.texts('"书面通知"', { mode: "keyword" })).toEqual(["租约终止须提前三十天书面通知。"])
  })
})

test("every language of a mixed library is found by its own words", async () => {
  expect((await library.texts("书面通知", { mode: "keyword" }))[0]).toContain("书面通知")
  expect((await library.texts("Kündigungsfristen der Mietverträge", { mode: "keyword" }))[0]).toContain(
    "Kündigungsfrist",
  )
  expect((await library.texts("terminated leases", { mode: "keyword" }))[0]).toContain("terminating the lease")
})

test("highlights mark inflections of the query's words, and nothing when not asked for", async () => {
  const { hits } = await library.search("terminated leases", { mode: "keyword" })
  expect(hits[0]!.highlights.map(({ start, end }) => hits[0]!.text.slice(start, end))).toEqual(["terminating", "lease"])
  const plain = await library.search("terminated leases", { mode: "keyword", highlight: false })
  expect(plain.hits[0]!.highlights).toEqual([])
})

test("explain gives both legs' real scores", async () => {
  const { hits } = await library.search("irrigation pump", { explain: true })
  expect(hits[0]!.scores!.keyword!.rank).toBe(1)
  expect(hits[0]!.scores!.semantic!.score).toBeGreaterThan(0)
  expect((await library.search("irrigation pump")).hits[0]!.scores).toBeUndefined()
})

test("when the model fails the keyword leg answers, and says so", async () => {
  embedder.failing = true
  for (const mode of ["hybrid", "semantic"] as const) {
    const { hits, degraded } = await library.search("irrigation pump", { mode })
    expect(degraded).toBe("keyword_only")
    expect(hits[0]!.text).toContain("irrigation pump")
  }
  expect((await library.search("irrigation pump", { mode: "keyword" })).degraded).toBeNull()
  embedder.failing = false
})

test("a replaced file shows its new text alone, a deleted one nothing, at once and after the sweep", async () => {
  await library.put("file_new", "The quince marmalade is stirred clockwise.")
  expect(await library.texts("quince marmalade", { mode: "keyword" })).toHaveLength(1)
  const generation = await library.register("file_new")
  const text = "The quince jelly is stirred slowly."
  const chunks = [
    { start: 0, end: text.length, place: { page: null, sheet: null, slide: null, member: null, section: null } },
  ]
  await library.index.stage(
    { id: "file_new", workspaceId: "ws_a" },
    generation,
    inMemory(text, chunks),
    () => {},
    AbortSignal.timeout(9_000),
  )
  expect(await library.texts("quince", { mode: "keyword" })).toEqual(["The quince marmalade is stirred clockwise."])
  await library.publish("file_new", generation)
  expect(await library.texts("quince", { mode: "keyword" })).toEqual([text])
  await library.remove("file_new")
  for (const mode of ["hybrid", "keyword", "semantic"] as const)
    expect((await library.texts("quince jelly", { mode, limit: 100 })).join()).not.toContain("quince")
  await library.index.sweep()
  expect(await library.index.check()).toEqual({ problems: [] })
  expect(
    await library.db.selectFrom("generations").select("state").where("file_id", "=", "file_new").execute(),
  ).toEqual([])
})
