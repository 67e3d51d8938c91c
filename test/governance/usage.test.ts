import { afterAll, beforeAll, expect, test } from "bun:test"
import { MEASURES } from "../../src/storage/usage.ts"
import { type Answer, type Client, startTestApp, type TestApp } from "../support/app.ts"

const MODEL = "builtin/extractive"
const HOUR = { from: new Date(Date.now() - 3_600_000).toISOString(), bucket: "hour" }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const ask = (client: Client, more: object = {}) =>
  client.post("/start-conversation", { message: "Where do herons nest?", model: MODEL, ...more })

type Sums = Record<(typeof MEASURES)[number], number>

async function used(client: Client, more: Record<string, string> = {}): Promise<Answer["body"]["data"]> {
  const { status, body } = await client.get(`/usage?${new URLSearchParams({ ...HOUR, ...more })}`)
  expect([status, body]).toEqual([200, { data: expect.any(Array) }])
  return body.data
}

const sumsOf = (rows: Answer["body"]["data"]): Sums =>
  Object.fromEntries(MEASURES.map(name => [name, rows.reduce((sum: number, row: Sums) => sum + row[name], 0)])) as Sums

const TEXT = "Herons nest in tall trees near the water. They come back in March."

test("sums equal what the answers said, and each request is one", async () => {
  const client = await app.client("sums")
  const [file] = await client.index([{ name: "herons.txt", data: TEXT }], { context_id: "birds" })
  const polls = (await used(client))[0].requests - 2 // but the upload and this one
  const said = { prompt_tokens: 0, completion_tokens: 0 }
  const add = (usage: typeof said) => {
    said.prompt_tokens += usage.prompt_tokens
    said.completion_tokens += usage.completion_tokens
  }
  const kept = await ask(client, { context_id: "birds" })
  const { data } = (await client.get(`/conversations/${kept.body.conversation_id}`)).body
  expect(data).toBeUndefined()
  const run = await client.post("/agents/run", { task: "Where do herons nest?", model: MODEL })
  add(run.body.usage)
  const v1 = client.under("")
  const unstored = await v1.post("/v1/chat/completions", {
    model: `library/${MODEL}`,
    messages: [{ role: "user", content: "Where do herons nest?" }],
  })
  add(unstored.body.usage)
  const embedded = await v1.post("/v1/embeddings", {
    model: (await v1.get("/v1/models")).body.data.find((each: { id: string }) => !each.id.includes("extractive"))?.id,
    input: ["one", "two"],
  })
  await client.post("/search", { query: "herons" })
  await client.get("/libraries/file_none")
  const rows = await used(client, { group_by: "model,context" })
  const sums = sumsOf(rows)
  const reply = rows.find((row: Sums & { model: string; context: string }) => row.model && row.context === "birds")
  add(reply)
  expect(unstored.body.usage.prompt_tokens).toBeGreaterThan(0)
  expect(reply.prompt_tokens).toBeGreaterThan(0)
  expect(sums).toMatchObject({ ...said, searches: 1, bytes_in: TEXT.length, bytes_stored: TEXT.length })
  expect(sums.requests).toBe(polls + 2 + 9)
  expect(sums.pages).toBe(file.page_count ?? 0)
  expect(embedded.status).toBe(200)
  expect(sums.embedded_tokens).toBeGreaterThanOrEqual(embedded.body.usage.total_tokens)
  await client.delete(`/libraries/${file.id}`)
  const after = sumsOf(await used(client, { group_by: "context" }))
  expect(after).toMatchObject({ bytes_in: TEXT.length, bytes_stored: 0 })
  await app.restart()
  expect(sumsOf(await used(client))).toMatchObject({ ...said, searches: 1, requests: after.requests + 1 })
})

test("another workspace sees nothing of it, a narrowed key and a token their own", async () => {
  const whole = await app.client("narrow")
  const narrow = await app.client("narrow", { context_ids: ["a"] })
  const other = await app.client("elsewhere")
  const ada = await whole.scoped({ end_user: "ada" })
  for (const client of [whole, narrow, ada]) await client.get("/libraries")
  const keys = async (client: Client) =>
    (await used(client, { group_by: "key" })).map((row: { key: string }) => row.key)
  expect((await keys(whole)).sort()).toEqual([whole.key.id, narrow.key.id].sort())
  expect(await keys(narrow)).toEqual([narrow.key.id])
  expect(await keys(other)).toEqual([other.key.id])
  const users = (await used(ada, { group_by: "end_user" })).map((row: { end_user: string }) => row.end_user)
  expect(users).toEqual(["ada"])
  const searcher = await app.client("narrow", { scopes: ["search"] })
  expect((await searcher.get("/usage")).status).toBe(403)
})

test("what is wrong with a query is named", async () => {
  const client = await app.client()
  for (const [query, field] of [
    ["bucket=week", "bucket"],
    ["group_by=key,colour", "group_by"],
    ["from=yesterday", "from"],
    ["from=2026-02-30", "from"],
    ["from=2026-03-01&to=2026-02-01", "from"],
    ["bucket=hour&from=2020-01-01", "from"],
  ]) {
    const { status, body } = await client.get(`/usage?${query}`)
    expect([query, status, body.error.details[0].field]).toEqual([query!, 400, field!])
  }
})

test("of fifty requests at once as many pass as the quota of a day leaves, and none is counted that is refused", async () => {
  const client = await app.client("requests", { quota: { requests_per_day: 12 } })
  await client.get("/libraries")
  await app.restart()
  const answers = await Promise.all(Array.from({ length: 50 }, () => client.get("/libraries")))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(11)
  const refused = answers.find(({ status }) => status === 429)!
  const { code, details } = refused.body.error
  expect([code, details[0].resets_at]).toEqual(["quota_exceeded", `${tomorrow()}T00:00:00.000Z`])
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  const token = await app.client("requests")
  expect(sumsOf(await used(token, { group_by: "key" })).requests).toBe(13)
})

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

test("tokens are looked at before a model is asked: what begins within the quota ends", async () => {
  const client = await app.client("tokens", { quota: { tokens_per_day: 1 } })
  const first = await ask(client)
  expect(first.status).toBeLessThan(300)
  const messages = [{ role: "user", content: "Again?" }]
  const again = await Promise.all([
    ask(client),
    client.post("/agents/run", { task: "again", model: MODEL }),
    client.post("/conversations", { message: "again", model: MODEL }, { accept: "text/event-stream" }),
    client.under("").post("/v1/chat/completions", { model: MODEL, messages }),
    client.under("").post("/v1/chat/completions", { model: MODEL, messages, stream: true }),
  ])
  expect(again.map(({ status, body }) => [status, body.error?.code])).toEqual(again.map(() => [429, "quota_exceeded"]))
  expect((await client.post("/search", { query: "herons" })).status).toBe(200)
})

test("a key holds no more bytes than its quota, whoever uploads at the same time; what is deleted makes room", async () => {
  const client = await app.client("bytes", { quota: { bytes_stored: 1_000 } })
  const upload = (i: number) => client.upload([{ name: `${i}.txt`, data: `${i}`.padEnd(300, "x") }])
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => upload(i)))
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(3)
  const refused = answers.find(({ status }) => status === 429)!
  expect(refused.body.error).toMatchObject({ code: "quota_exceeded", details: [{ resets_at: null, limit: 1_000 }] })
  const taken = answers.find(({ status }) => status === 202)!
  await client.delete(`/libraries/${taken.body.files[0].id}`)
  expect((await upload(9)).status).toBe(202)
  expect((await upload(10)).status).toBe(429)
  const text = { name: "note.txt", text: "y".repeat(500) }
  expect((await client.post("/libraries/text", text)).body.error?.code).toBe("quota_exceeded")
  expect(sumsOf(await used(client, { group_by: "key" }))).toMatchObject({ bytes_stored: 900, bytes_in: 1_200 })
})
