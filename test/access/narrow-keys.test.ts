/** Keys that see a part of the library: what lies outside does not exist for them, and they put nothing there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { People, type Session } from "../support/people.ts"

let app: TestApp
let whole: Client
let inA: Client
let inAandB: Client
let published: Client
let people: People
let session: Session
const ids: Record<string, string> = {}

const PUBLIC = { type: "eq", key: "metadata.public", value: true }

beforeAll(async () => {
  app = await startTestApp()
  people = new People(app)
  session = (await people.add({ admin: true })).session
  whole = await app.client()
  inA = await app.client("default", { context_ids: ["a"] })
  inAandB = await app.client("default", { context_ids: ["a", "b"] })
  published = await app.client("default", { filter: PUBLIC })
  const add = async (name: string, fields: Record<string, string>) => {
    const [file] = await whole.index([{ name, data: `The heron of ${name} stands in the reeds.` }], fields)
    ids[name] = file.id
  }
  await add("a.txt", { context_id: "a" })
  await add("b.txt", { context_id: "b", metadata: '{"public": true}' })
  await add("none.txt", {})
})
afterAll(() => app.stop())

const listed = async (client: Client) =>
  (await client.get("/libraries")).body.data.map(({ name }: { name: string }) => name).sort()
const code = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code]
const text = (name: string, data = `${name} has a heron of its own.`) => [{ name, data }]

describe("a key of some contexts", () => {
  test("sees, counts and finds their files alone", async () => {
    expect(await listed(whole)).toEqual(["a.txt", "b.txt", "none.txt"])
    expect(await listed(inA)).toEqual(["a.txt"])
    expect(await listed(inAandB)).toEqual(["a.txt", "b.txt"])
    expect((await inA.get("/libraries")).body.pagination.total_items).toBe(1)
    const { body } = await inA.post("/search", { query: "heron", explain: true })
    expect([body.hits.length, body.total, body.index.searchable_files, body.index.vectors.total]).toEqual([1, 1, 1, 1])
    expect(body.hits[0].file.id).toBe(ids["a.txt"])
  })

  test("knows no other file by its id", async () => {
    for (const path of ["", "/content", "/text", "/events", "/access"])
      expect([path, ...code(await inA.get(`/libraries/${ids["b.txt"]}${path}`))]).toEqual([path, 404, "not_found"])
    expect(code(await inA.post("/search", { query: "heron", filters: { file_ids: [ids["b.txt"]] } }))[0]).toBe(404)
  })

  test("corrects no word by those of other files", async () => {
    await whole.index(text("zeppelin.txt", "A zeppelin lands."), { context_id: "hidden" })
    const asked = { query: "zepelin", mode: "keyword" }
    expect((await whole.post("/search", asked)).body.corrections).toEqual([{ word: "zepelin", tried: ["zeppelin"] }])
    expect((await inA.post("/search", asked)).body.corrections).toEqual([])
  })

  test("uploads into one of them alone, and there by itself where it has no other", async () => {
    const [own] = await inA.index(text("own.txt"))
    expect(own.context_id).toBe("a")
    expect(code(await inA.upload(text("x.txt"), { context_id: "b" }))).toEqual([403, "forbidden"])
    expect(code(await inAandB.upload(text("x.txt")))).toEqual([403, "forbidden"])
    expect((await inAandB.upload(text("y.txt"), { context_id: "b" })).status).toBe(202)
  })

  test("moves no file out of them", async () => {
    const path = `/libraries/${ids["a.txt"]}`
    expect(code(await inA.patch(path, { context_id: "b" }))).toEqual([403, "forbidden"])
    expect(code(await inA.patch(path, { context_id: null }))).toEqual([403, "forbidden"])
    expect((await whole.get(path)).body.context_id).toBe("a")
    expect((await inAandB.patch(path, { context_id: "b" })).body.context_id).toBe("b")
    expect(await listed(inA)).not.toContain("a.txt")
    expect((await whole.patch(path, { context_id: "a" })).status).toBe(200)
  })

  test("of none sees and takes nothing", async () => {
    const none = await app.client("default", { context_ids: [] })
    expect(await listed(none)).toEqual([])
    expect((await none.post("/search", { query: "heron" })).body.hits).toEqual([])
    expect(code(await none.upload(text("x.txt")))).toEqual([403, "forbidden"])
  })
})

describe("a key with a filter", () => {
  test("sees what passes it, and puts nothing beside it", async () => {
    expect(await listed(published)).toEqual(["b.txt"])
    expect(code(await published.upload(text("c.txt")))).toEqual([403, "forbidden"])
    expect(await listed(whole)).not.toContain("c.txt")
    expect((await published.upload(text("d.txt"), { metadata: '{"public": true}' })).status).toBe(202)
    expect(code(await published.patch(`/libraries/${ids["b.txt"]}`, { metadata: {} }))).toEqual([403, "forbidden"])
    expect((await whole.get(`/libraries/${ids["b.txt"]}`)).body.metadata).toEqual({ public: true })
  })

  test("follows the file: what passes no more is gone with the next request, also from search", async () => {
    const find = async () => (await published.post("/search", { query: "heron of b" })).body.hits.length
    expect(await find()).toBeGreaterThan(0)
    await whole.patch(`/libraries/${ids["b.txt"]}`, { metadata: { public: false } })
    const hits = (await published.post("/search", { query: "heron" })).body.hits as { file: { id: string } }[]
    expect(hits.map(({ file }) => file.id)).not.toContain(ids["b.txt"]!)
    await whole.patch(`/libraries/${ids["b.txt"]}`, { metadata: { public: true } })
    expect(await find()).toBeGreaterThan(0)
  })

  test("is refused where the filter is none", async () => {
    const bad = await people.call(
      "POST",
      "",
      { name: "k", filter: { type: "eq", key: "file.shoe", value: 1 } },
      session,
    )
    expect(code(bad)).toEqual([422, "invalid_filter"])
  })
})

describe("what a key does not see it does not reach", () => {
  test("by a duplicate", async () => {
    const same = text("same.txt", "Twice the same bytes.")
    const [hidden] = await whole.index(same, { context_id: "b" })
    const filtered = await app.client("default", { filter: { type: "eq", key: "metadata.mine", value: 1 } })
    const { body } = await filtered.upload(same, { context_id: "b", metadata: '{"mine": 1}' })
    expect([body.files[0].duplicate, body.files[0].id === hidden.id]).toEqual([undefined, false])
  })

  test("by replacing", async () => {
    const [hidden] = await whole.index(text("plan.txt", "The hidden plan."), { context_id: "b" })
    const filtered = await app.client("default", { filter: { type: "eq", key: "metadata.mine", value: 1 } })
    const fields = { context_id: "b", metadata: '{"mine": 1}', on_duplicate: "replace" }
    const { body } = await filtered.upload(text("plan.txt", "My plan."), fields)
    expect(body.files[0].id).not.toBe(hidden.id)
    expect(await (await whole.raw("GET", `/libraries/${hidden.id}/content`)).text()).toBe("The hidden plan.")
  })

  test("by an Idempotency-Key", async () => {
    const repeated = { "idempotency-key": "one-for-all" }
    const question = { message: "Where does the heron of b stand?" }
    const first = await whole.post("/start-conversation", question, repeated)
    const again = await inA.post("/start-conversation", question, repeated)
    expect(again.status).toBe(200)
    expect(again.body.conversation_id).not.toBe(first.body.conversation_id)
    expect(JSON.stringify(again.body)).not.toContain("b.txt")
    const form = text("idem.txt")
    const uploaded = await whole.upload(form, { context_id: "b" }, repeated)
    const other = await inAandB.upload(form, { context_id: "b" }, repeated)
    expect(other.body.files[0].duplicate).toBe(true) // seen by both, found as a duplicate
    expect(other.body.files[0].id).toBe(uploaded.body.files[0].id)
    const run = { task: "heron?" }
    const mine = await inA.post("/agents/run", run, repeated)
    expect(mine.body.run_id).not.toBe((await whole.post("/agents/run", run, repeated)).body.run_id)
  })
})

test("models that a key may not use are unknown to it", async () => {
  const none = await app.client("default", { models: ["ollama/*"] })
  const quoting = await app.client("default", { models: ["built*/extr*"] })
  expect((await none.get("/models")).body).toEqual([])
  expect((await quoting.get("/models")).body.map(({ value }: { value: string }) => value)).toEqual([
    "builtin/extractive",
  ])
  const asked = { message: "heron?", model: "builtin/extractive" }
  const refused = await none.post("/start-conversation", asked)
  expect(code(refused)).toEqual([404, "model_not_found"])
  expect(refused.body.error.message).toBe('there is no model "builtin/extractive"')
  expect(code(await none.post("/agents/run", { task: "heron?", model: "builtin/extractive" }))).toEqual([
    404,
    "model_not_found",
  ])
  const unnamed = await none.post("/start-conversation", { message: "heron?" })
  expect([...code(unnamed), unnamed.body.error.message]).toEqual([
    404,
    "model_not_found",
    "there is no model to be used",
  ])
  expect((await quoting.post("/start-conversation", asked)).status).toBe(200)
})

test("a key is narrowed and widened at once, and shows by what", async () => {
  const limits = { context_ids: ["a"], models: ["ollama/*"], filter: PUBLIC, quota: { bytes_stored: 1_000 } }
  const made = await people.call("POST", "", { name: "narrow", ...limits }, session)
  expect([made.status, made.body]).toEqual([201, expect.objectContaining(limits)])
  const key = await app.client()
  expect((await listed(key)).length).toBeGreaterThan(3)
  const change = (body: unknown) => people.call("PATCH", `/${key.key.id}`, body, session)
  expect((await change({ context_ids: ["a"] })).body.context_ids).toEqual(["a"])
  expect(await listed(key)).toEqual(["a.txt", "own.txt"])
  expect((await change({ name: "another name" })).body.context_ids).toEqual(["a"])
  expect((await change({ context_ids: null })).body.context_ids).toBeNull()
  expect((await listed(key)).length).toBeGreaterThan(3)
})
