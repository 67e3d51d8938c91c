/** `/v1/vector_stores` beyond what its clients send: contexts as stores, bad input, strangers, restarts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Client, startTestApp, type TestApp } from "../../support/app.ts"

let app: TestApp
let library: Client
let client: Client
/** Of another workspace. */
let stranger: Client
const v1 = (of: Client) => new Client(() => app.url, of.key, "/v1")
beforeAll(async () => {
  app = await startTestApp()
  library = await app.client()
  client = v1(library)
  stranger = v1(await app.client("another"))
})
afterAll(() => app.stop())

const store = async (body: object = {}): Promise<{ id: string; context: string }> => {
  const { id } = (await client.post("/vector_stores", body)).body
  return { id, context: id.slice(3) }
}
const text = async (name: string, data: string, fields: Record<string, string> = {}) =>
  (await library.index([{ name, data }], fields))[0]

describe("a context", () => {
  test("of a conversation is no place that models answer from, one of another name is", async () => {
    for (const context_id of ["conv_1", "convoy"]) await text("ship.txt", "The convoy sails.", { context_id })
    const { body } = await client.get("/models")
    const ids: string[] = body.data.map((model: { id: string }) => model.id)
    expect(ids.filter(id => /^library:conv/.test(id))).toEqual(["library:convoy/builtin/extractive"])
  })

  test("with files is a store, under its name, until it has none", async () => {
    const file = await text("bird.txt", "The heron nests in March.", { context_id: "birds:of.2026" })
    const id = "vs_birds:of.2026"
    const { body } = await client.get(`/vector_stores/${encodeURIComponent(id)}`)
    expect(body).toMatchObject({ id, name: "birds:of.2026", metadata: {}, usage_bytes: 25, status: "completed" })
    expect(body.file_counts).toEqual({ in_progress: 0, completed: 1, failed: 0, cancelled: 0, total: 1 })
    expect((await client.get("/vector_stores")).body.data.map((each: { id: string }) => each.id)).toContain(id)
    expect((await client.get(`/vector_stores/${id}/files`)).body.data[0]).toMatchObject({
      id: file.id,
      vector_store_id: id,
    })
    await library.patch(`/libraries/${file.id}`, { context_id: null })
    expect((await client.get(`/vector_stores/${id}`)).status).toBe(404)
  })

  test("may be named and described, and is then a store without files too", async () => {
    const file = await text("frog.txt", "The frog sings in May.", { context_id: "frogs" })
    const named = await client.post("/vector_stores/vs_frogs", { name: "Frogs", metadata: { by: "Ada" } })
    expect(named.body).toMatchObject({ id: "vs_frogs", name: "Frogs", metadata: { by: "Ada" } })
    expect((await client.post("/vector_stores/vs_frogs", { name: null })).body.metadata).toEqual({ by: "Ada" })
    await library.delete(`/libraries/${file.id}`)
    expect((await client.get("/vector_stores/vs_frogs")).body).toMatchObject({
      name: "Frogs",
      file_counts: { total: 0 },
    })
  })

  test("of a file that is put into a store is that store's, and null when it is taken out", async () => {
    const { id, context } = await store({ name: "Trams" })
    const file = await text("tram.txt", "The tram leaves at noon.", { context_id: "before" })
    const attached = await client.post(`/vector_stores/${id}/files`, { file_id: file.id, attributes: { line: 4 } })
    expect(attached.body).toMatchObject({ id: file.id, status: "completed", attributes: { line: 4 } })
    expect((await library.get(`/libraries/${file.id}`)).body).toMatchObject({
      context_id: context,
      metadata: { line: 4 },
    })
    expect((await client.get("/vector_stores/vs_before")).status).toBe(404)
    expect((await library.post("/search", { query: "tram", filters: { context_id: context } })).body.hits.length).toBe(
      1,
    )
    await client.delete(`/vector_stores/${id}/files/${file.id}`)
    expect((await library.get(`/libraries/${file.id}`)).body).toMatchObject({ context_id: null, metadata: { line: 4 } })
    expect((await client.get(`/vector_stores/${id}/files/${file.id}`)).status).toBe(404)
  })
})

test("stores, their names and batches survive a restart", async () => {
  const { id } = await store({ name: "Kept", description: "for long", metadata: { a: 1 } })
  const file = await text("kept.txt", "The ferry leaves at noon.")
  const { body: batch } = await client.post(`/vector_stores/${id}/file_batches`, { file_ids: [file.id] })
  await app.restart()
  expect((await client.get(`/vector_stores/${id}`)).body).toMatchObject({
    name: "Kept",
    description: "for long",
    metadata: { a: 1 },
    file_counts: { total: 1 },
  })
  expect((await client.get(`/vector_stores/${id}/file_batches/${batch.id}`)).body).toMatchObject({
    id: batch.id,
    object: "vector_store.files_batch",
    vector_store_id: id,
    status: "completed",
    file_counts: { completed: 1, total: 1 },
  })
})

describe("a batch", () => {
  test("takes all files or none", async () => {
    const { id } = await store()
    const file = await text("one.txt", "The first.")
    const answer = await client.post(`/vector_stores/${id}/file_batches`, { file_ids: [file.id, "file_unknown"] })
    expect([answer.status, answer.body.error.code]).toEqual([404, "not_found"])
    expect((await client.get(`/vector_stores/${id}/files`)).body.data).toEqual([])
  })

  test("takes files with attributes of their own", async () => {
    const { id } = await store()
    const [one, two] = [
      await text("a1.txt", "The first."),
      await text("a2.txt", "The second.", { metadata: '{"own": 1}' }),
    ]
    const files = [{ file_id: one.id, attributes: { n: 1 } }, { file_id: two.id }]
    await client.post(`/vector_stores/${id}/file_batches`, { files, attributes: { all: true } })
    const { body } = await client.get(`/vector_stores/${id}/files?order=asc`)
    expect(body.data.map((each: { attributes: object }) => each.attributes)).toEqual([{ n: 1 }, { own: 1 }])
  })

  test("that is cancelled lets those go that are not read yet", async () => {
    const { id } = await store()
    const { body: upload } = await library.upload(
      Array.from({ length: 40 }, (_, i) => ({ name: `w${i}.txt`, data: `Waiting ${i}. ${"word ".repeat(2_000)}` })),
    )
    const ids = upload.files.map((file: { id: string }) => file.id)
    const { body: batch } = await client.post(`/vector_stores/${id}/file_batches`, { file_ids: ids })
    const { body } = await client.post(`/vector_stores/${id}/file_batches/${batch.id}/cancel`)
    expect(body.status).toBe("cancelled")
    expect(body.file_counts).toMatchObject({ in_progress: 0, total: 40 })
    expect(body.file_counts.cancelled).toBeGreaterThan(0)
    expect((await client.get(`/vector_stores/${id}`)).body.file_counts.total).toBe(body.file_counts.completed)
    for (const each of ids) await library.settled(each)
    expect((await client.get(`/vector_stores/${id}/file_batches/${batch.id}`)).body).toEqual(body)

    const narrow = v1(await app.client("default", { context_ids: [id.slice(3)] }))
    await text("in.txt", "So that the store is seen.", { context_id: id.slice(3) })
    const seen = (await narrow.get(`/vector_stores/${id}/file_batches/${batch.id}`)).body.file_counts
    expect(seen).toMatchObject({ cancelled: 0, total: body.file_counts.completed })
  }, 60_000)
})

test("what is waiting is told to who polls, with a time to come back", async () => {
  const { id } = await store()
  const { body } = await library.upload([{ name: "scan.txt", data: "word ".repeat(500_000) }])
  await client.post(`/vector_stores/${id}/files`, { file_id: body.files[0].id })
  const answer = await client.get(`/vector_stores/${id}/files/${body.files[0].id}`)
  expect([answer.body.status, Number(answer.headers.get("openai-poll-after-ms"))]).toEqual(["in_progress", 500])
  expect((await client.get(`/vector_stores/${id}`)).body.status).toBe("in_progress")
  expect((await client.get(`/vector_stores/${id}/files?filter=in_progress`)).body.data.length).toBe(1)
  expect((await client.get(`/vector_stores/${id}/files?filter=completed`)).body.data).toEqual([])
  await library.settled(body.files[0].id)
  const done = await client.get(`/vector_stores/${id}/files/${body.files[0].id}`)
  expect([done.body.status, done.headers.get("openai-poll-after-ms")]).toEqual(["completed", null])
}, 60_000)

test("the text of a file comes whole, whatever is in it", async () => {
  const { id } = await store()
  const odd = `"quoted" \\ 🦩 水 ${"ünïcödé ".repeat(40_000)}\u2028 end`
  const file = await text("odd.txt", odd)
  await client.post(`/vector_stores/${id}/files`, { file_id: file.id })
  const { body } = await client.get(`/vector_stores/${id}/files/${file.id}/content`)
  const shown = await (await library.raw("GET", `/libraries/${file.id}/text`)).text()
  expect(body.data).toEqual([{ type: "text", text: shown }])
})

describe("a search", () => {
  let id: string
  beforeAll(async () => {
    id = (await store({ name: "Birds" })).id
    const texts = [
      ["heron.txt", "The heron nests in March beside the canal.", { year: 2025, kind: "bird" }],
      ["stork.txt", "The stork nests in April on the roof.", { year: 2026, kind: "bird" }],
      ["otter.txt", "The otter sleeps in the reeds.", { year: 2026, kind: "mammal" }],
    ] as const
    for (const [name, data, attributes] of texts) {
      const file = await text(name, data)
      await client.post(`/vector_stores/${id}/files`, { file_id: file.id, attributes })
    }
    await text("elsewhere.txt", "The heron nests in March in another store.")
  })
  const search = (body: object) => client.post(`/vector_stores/${id}/search`, body)
  const names = ({ body }: { body: { data: { filename: string }[] } }) => body.data.map(({ filename }) => filename)

  test("finds what is in the store only, the surest first", async () => {
    const answer = await search({ query: "When does the heron nest?" })
    expect(answer.body).toMatchObject({
      object: "vector_store.search_results.page",
      search_query: ["When does the heron nest?"],
      has_more: false,
      next_page: null,
    })
    expect(names(answer)[0]).toBe("heron.txt")
    expect(names(answer)).not.toContain("elsewhere.txt")
    const scores = answer.body.data.map(({ score }: { score: number }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(answer.body.data[0].attributes).toEqual({ year: 2025, kind: "bird" })
  })

  test("takes several queries, a number of results and a least score", async () => {
    const both = await search({ query: ["heron nests", "otter sleeps"], max_num_results: 2 })
    expect(names(both).sort()).toEqual(["heron.txt", "otter.txt"])
    expect(both.body.search_query).toEqual(["heron nests", "otter sleeps"])
    const sure = await search({ query: "heron", ranking_options: { ranker: "auto", score_threshold: 1 } })
    expect(sure.body.data).toEqual([])
    expect((await search({ query: "heron", rewrite_query: true })).status).toBe(200)
    expect((await search({ query: `heron ${"word ".repeat(2_000)}` })).status).toBe(200)
  })

  test("keeps to filters on attributes and on files", async () => {
    const by = async (filters: object) => names(await search({ query: "nests sleeps", filters })).sort()
    expect(await by({ type: "eq", key: "year", value: 2026 })).toEqual(["otter.txt", "stork.txt"])
    const bird = { type: "eq", key: "kind", value: "bird" }
    expect(await by({ type: "and", filters: [bird, { type: "gte", key: "year", value: 2026 }] })).toEqual(["stork.txt"])
    expect(await by({ type: "nin", key: "kind", value: ["bird"] })).toEqual(["otter.txt"])
    expect(await by({ type: "eq", key: "file.name", value: "heron.txt" })).toEqual(["heron.txt"])
  })

  test("names what is wrong with it", async () => {
    for (const [body, status, param] of [
      [{}, 400, "query"],
      [{ query: " " }, 400, "query"],
      [{ query: [] }, 400, "query"],
      [{ query: ["a", ""] }, 400, "query.1"],
      [{ query: "a", max_num_results: 51 }, 400, "max_num_results"],
      [{ query: "a", ranking_options: { score_threshold: 2 } }, 400, "ranking_options.score_threshold"],
      [{ query: "a", filters: { type: "like", key: "a", value: 1 } }, 422, "filters.type"],
      [{ query: "a", filters: "year" }, 422, "filters"],
    ] as const) {
      const answer = await search(body)
      expect([body, answer.status, answer.body.error?.param]).toEqual([body, status, param])
    }
  })
})

describe("bad input is named", () => {
  const wrong: [string, string, unknown, number, string | null][] = [
    [
      "a store that is to expire",
      "/vector_stores",
      { expires_after: { anchor: "last_active_at", days: 7 } },
      400,
      "expires_after",
    ],
    [
      "passages cut in another way",
      "/vector_stores",
      { chunking_strategy: { type: "static" } },
      400,
      "chunking_strategy.type",
    ],
    ["a name that is none", "/vector_stores", { name: 5 }, 400, "name"],
    ["a file that is none", "/vector_stores", { file_ids: ["file_unknown"] }, 404, null],
    ["2 001 files", "/vector_stores", { file_ids: Array(2_001).fill("file_x") }, 400, "file_ids"],
  ]
  for (const [name, path, body, status, param] of wrong)
    test(name, async () => {
      const before = (await client.get("/vector_stores?limit=100")).body.data.length
      const answer = await client.post(path, body)
      expect([answer.status, answer.body.error.param]).toEqual([status, param])
      expect((await client.get("/vector_stores?limit=100")).body.data.length).toBe(before)
    })

  test("in a store", async () => {
    const { id } = await store()
    for (const [path, body, status, param] of [
      [`/vector_stores/${id}/files`, {}, 400, "file_id"],
      [`/vector_stores/${id}/files`, { file_id: "file_unknown" }, 404, null],
      [`/vector_stores/${id}/file_batches`, {}, 400, "file_ids"],
      [`/vector_stores/${id}/file_batches`, { file_ids: ["a"], files: [{ file_id: "a" }] }, 400, "file_ids"],
      [`/vector_stores/${id}/file_batches`, { file_ids: [] }, 400, "file_ids"],
    ] as const) {
      const answer = await client.post(path, body)
      expect([path, answer.status, answer.body.error.param]).toEqual([path, status, param])
    }
    for (const [query, param] of [
      ["limit=101", "limit"],
      ["filter=done", "filter"],
    ]) {
      const answer = await client.get(`/vector_stores/${id}/files?${query}`)
      expect([answer.status, answer.body.error.param]).toEqual([400, param])
    }
    const cursor = await client.get("/vector_stores?after=vs_nothing")
    expect([cursor.status, cursor.body.error.param]).toEqual([400, "after"])
  })
})

test("another workspace's store, file and batch are 404, and a context of the same name is its own", async () => {
  const { id } = await store({ name: "Mine" })
  const file = await text("secret.txt", "The secret ferry.", { context_id: "shared-name" })
  const { body: batch } = await client.post(`/vector_stores/${id}/file_batches`, { file_ids: [file.id] })
  const own = (await stranger.post("/vector_stores", {})).body.id
  for (const [method, path, body] of [
    ["GET", `/vector_stores/${id}`],
    ["POST", `/vector_stores/${id}`, { name: "Stolen" }],
    ["DELETE", `/vector_stores/${id}`],
    ["POST", `/vector_stores/${id}/search`, { query: "ferry" }],
    ["GET", `/vector_stores/${id}/files`],
    ["GET", `/vector_stores/${id}/files/${file.id}`],
    ["POST", `/vector_stores/${id}/files/${file.id}`, { attributes: {} }],
    ["DELETE", `/vector_stores/${id}/files/${file.id}`],
    ["GET", `/vector_stores/${id}/files/${file.id}/content`],
    ["GET", `/vector_stores/${id}/file_batches/${batch.id}`],
    ["POST", `/vector_stores/${id}/file_batches/${batch.id}/cancel`],
    ["GET", `/vector_stores/${id}/file_batches/${batch.id}/files`],
    ["POST", `/vector_stores/${own}/files`, { file_id: file.id }],
    ["GET", `/vector_stores/${own}/file_batches/${batch.id}`],
    ["GET", "/vector_stores/vs_shared-name"],
    ["GET", "/vector_stores/shared-name"],
    ["GET", "/vector_stores/vs_%00"],
  ] as const) {
    const answer = await stranger.send(method, path, body)
    expect([method, path, answer.status, answer.body.error?.code]).toEqual([method, path, 404, "not_found"])
  }
  expect((await stranger.get("/vector_stores")).body.data.map((each: { id: string }) => each.id)).toEqual([own])
  expect((await client.get(`/vector_stores/${id}/files`)).body.data.length).toBe(1)
})
