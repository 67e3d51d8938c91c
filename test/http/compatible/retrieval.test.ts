/** `/retrieval`, as Dify asks for it: what it sends, what it reads, what it is told when something is wrong. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Client, startTestApp, type TestApp } from "../../support/app.ts"

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp()
  const library = await app.client()
  client = new Client(() => app.url, library.key, "")
  const index = (name: string, data: string, metadata: object, context_id = "birds") =>
    library.index([{ name, data }], { context_id, metadata: JSON.stringify(metadata) })
  await index("heron.txt", "The heron nests in March beside the canal.", { year: 2025, kind: "bird", note: null })
  await index("stork.txt", "The stork nests in April on the roof.", { year: "2026", kind: "big bird" })
  await index("otter.txt", "The otter sleeps in the reeds by the nest.", { year: 2026, tags: ["wet", "shy"], kind: "" })
  await index("tram.txt", "The tram nests nowhere.", { year: 2024 }, "trams")
})
afterAll(() => app.stop())

const retrieve = (body: unknown, path = "/retrieval") => client.post(path, body)
/** As Dify writes it. */
const asked = (more: object = {}) => ({
  knowledge_id: "birds",
  query: "In March the heron nests beside the canal",
  retrieval_setting: { top_k: 5, score_threshold: 0 },
  metadata_condition: null,
  ...more,
})
const titles = ({ body }: { body: { records: { title: string }[] } }) => body.records.map(({ title }) => title).sort()

describe("records", () => {
  test("hold text, score, title and where the passage stands, and nothing that is null", async () => {
    const { status, body } = await retrieve(asked())
    expect(status).toBe(200)
    expect(body.records[0]).toMatchObject({
      content: "The heron nests in March beside the canal.",
      title: "heron.txt",
      metadata: { year: 2025, kind: "bird", context_id: "birds", start: 0, file_id: expect.stringMatching(/^file_/) },
    })
    const scores = body.records.map(({ score }: { score: number }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    for (const { metadata } of body.records) expect(Object.values(metadata)).not.toContain(null)
    expect(titles({ body })).not.toContain("tram.txt")
  })

  test("bring a link that opens the passage", async () => {
    const { body } = await retrieve(asked())
    const url = new URL(body.records[0].metadata.url)
    expect(url.pathname).toBe(`/view/${body.records[0].metadata.file_id}`)
  })

  test("come from the whole library for *, and are the same under /v1", async () => {
    expect(titles(await retrieve(asked({ knowledge_id: "*" })))).toContain("tram.txt")
    expect((await retrieve(asked(), "/v1/retrieval")).body.records.length).toBe(
      (await retrieve(asked())).body.records.length,
    )
  })

  test("are as many as asked for, and none below the threshold", async () => {
    const one = await retrieve(asked({ retrieval_setting: { top_k: 1, score_threshold: 0 } }))
    expect(titles(one)).toEqual(["heron.txt"])
    const [best] = one.body.records
    const above = await retrieve(asked({ retrieval_setting: { top_k: 5, score_threshold: best.score } }))
    expect(above.body.records.every(({ score }: { score: number }) => score >= best.score)).toBe(true)
    expect(above.body.records.length).toBeGreaterThan(0)
    expect((await retrieve(asked({ retrieval_setting: { top_k: 5, score_threshold: 1 } }))).body).toEqual({
      records: [],
    })
  })

  test("are found for a query of any length, with or without settings", async () => {
    expect(titles(await retrieve({ knowledge_id: "birds", query: "heron" }))).toContain("heron.txt")
    expect((await retrieve(asked({ query: `heron ${"word ".repeat(5_000)}` }))).status).toBe(200)
  })

  test("are none of a context that was made and is empty", async () => {
    const { body } = await client.post("/v1/vector_stores", { name: "Empty" })
    expect((await retrieve(asked({ knowledge_id: body.id.slice(3) }))).body).toEqual({ records: [] })
  })
})

describe("a condition on metadata", () => {
  const all = ["heron.txt", "otter.txt", "stork.txt"]
  const cases: [string | string[], string, unknown, string[]][] = [
    ["kind", "contains", "bird", ["heron.txt", "stork.txt"]],
    ["kind", "not contains", "big", ["heron.txt", "otter.txt"]],
    ["kind", "start with", "big", ["stork.txt"]],
    ["kind", "is", "bird", ["heron.txt"]],
    ["kind", "is not", "bird", ["otter.txt", "stork.txt"]],
    ["kind", "in", ["bird", "fish"], ["heron.txt"]],
    ["kind", "in", "bird, big bird", ["heron.txt", "stork.txt"]],
    ["kind", "not in", ["bird"], ["otter.txt", "stork.txt"]],
    ["kind", "empty", undefined, ["otter.txt"]],
    ["kind", "not empty", undefined, ["heron.txt", "stork.txt"]],
    ["note", "null", undefined, all],
    ["tags", "not null", undefined, ["otter.txt"]],
    ["tags", "contains", "wet", ["otter.txt"]],
    ["year", "=", 2026, ["otter.txt"]],
    ["year", "=", "2026", ["otter.txt", "stork.txt"]],
    ["year", "≠", "2026", ["heron.txt"]],
    ["year", ">", "2025", ["otter.txt"]],
    ["year", "≥", 2025, ["heron.txt", "otter.txt"]],
    ["year", "<", 2026, ["heron.txt"]],
    ["year", "≤", "2025", ["heron.txt"]],
    ["year", "before", 2026, ["heron.txt"]],
    ["year", "after", 2025, ["otter.txt"]],
    [["kind", "tags"], "contains", "shy", ["otter.txt"]],
    [["kind", "tags"], "not contains", "shy", ["heron.txt", "stork.txt"]],
    ["file.type", "is", "txt", all],
  ]
  for (const [name, comparison_operator, value, expected] of cases)
    test(`${name} ${comparison_operator} ${JSON.stringify(value) ?? ""}`, async () => {
      const conditions = [{ name, comparison_operator, ...(value === undefined ? {} : { value }) }]
      const answer = await retrieve(
        asked({ query: "nest", metadata_condition: { logical_operator: "and", conditions } }),
      )
      expect(titles(answer)).toEqual(expected)
    })

  test("may be several, joined by and or or; none narrows nothing", async () => {
    const conditions = [
      { name: ["kind"], comparison_operator: "contains", value: "bird" },
      { name: ["year"], comparison_operator: "=", value: 2026 },
    ]
    const by = async (metadata_condition: object) =>
      titles(await retrieve(asked({ query: "nest", metadata_condition })))
    expect(await by({ logical_operator: "and", conditions })).toEqual([])
    expect(await by({ logical_operator: "or", conditions })).toEqual(all)
    expect(await by({ conditions })).toEqual([])
    for (const none of [{}, { conditions: null }, { conditions: [], logical_operator: null }])
      expect(await by(none)).toEqual(all)
  })

  test("that cannot be carried out is refused and named", async () => {
    for (const [condition, status, part] of [
      [{ name: "kind", comparison_operator: "end with", value: "a" }, 400, "comparison_operator"],
      [{ name: "kind", comparison_operator: "is" }, 400, "value"],
      [{ name: "kind", comparison_operator: ">", value: { a: 1 } }, 400, "value"],
      [{ comparison_operator: "is", value: "a" }, 400, "name"],
      [{ name: "file.colour", comparison_operator: "is", value: "a" }, 422, "file.name"],
    ] as const) {
      const { status: told, body } = await retrieve(asked({ metadata_condition: { conditions: [condition] } }))
      expect([told, body.error_code]).toEqual([status, status])
      expect(body.error_msg).toContain(part)
    }
  })
})

describe("errors have the shape that Dify reads", () => {
  const told = async (response: Response) => [response.status, await response.json()]
  const post = (headers: Record<string, string>, body: BodyInit | null = JSON.stringify(asked())) =>
    fetch(`${app.url}/retrieval`, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  test("1001 without credentials or with malformed ones, 1002 with wrong ones or without the scope", async () => {
    expect(await told(await post({}))).toMatchObject([401, { error_code: 1001 }])
    expect(await told(await post(bearer("sk-guess")))).toMatchObject([401, { error_code: 1001 }])
    expect(await told(await post(bearer("cid_a.cpk_b.csk_c")))).toMatchObject([401, { error_code: 1002 }])
    const { key } = await app.client("default", { scopes: ["chat"] })
    expect(await told(await post(bearer(key.token)))).toMatchObject([403, { error_code: 1002 }])
  })

  test("2001 for a knowledge base that there is not, or that is another workspace's", async () => {
    expect(await told(await client.raw("POST", "/retrieval", asked({ knowledge_id: "fish" })))).toEqual([
      404,
      { error_code: 2001, error_msg: "there is no such knowledge base" },
    ])
    const stranger = new Client(() => app.url, (await app.client("another")).key, "")
    expect((await stranger.post("/retrieval", asked())).body.error_code).toBe(2001)
    expect((await stranger.post("/v1/retrieval", asked({ knowledge_id: "*" }))).body).toEqual({ records: [] })
  })

  test("400 for the empty body with which it tries an address, and for what is no request", async () => {
    const own = bearer(client.key.token)
    for (const body of [null, "", "{}", "{", "[]", JSON.stringify({ query: "a" })])
      expect(await told(await post(own, body))).toMatchObject([400, { error_code: 400, error_msg: expect.any(String) }])
    const plain = await fetch(`${app.url}/retrieval`, { method: "POST", headers: own })
    expect(await told(plain)).toMatchObject([400, { error_code: 400 }])
    for (const wrong of [
      { query: " " },
      { retrieval_setting: { top_k: 0 } },
      { retrieval_setting: { score_threshold: 2 } },
    ])
      expect((await retrieve(asked(wrong))).status).toBe(400)
  })

  test("405 for another method", async () => {
    expect(await told(await client.raw("GET", "/retrieval"))).toMatchObject([405, { error_code: 405 }])
  })
})
