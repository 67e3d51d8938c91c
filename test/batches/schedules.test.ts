/** Schedules over HTTP: when they run, what is kept of it, by whose rights. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { ApiKeys } from "../../src/access/keys.ts"
import type { Database } from "../../src/storage/database.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { MODEL } from "../support/talk.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

let app: TestApp
let ollama: OllamaStandIn
let client: Client
beforeAll(async () => {
  ollama = await startOllama()
  app = await startTestApp({ "ollama-host": ollama.server.url })
  client = await app.client()
  await client.index([{ name: "heron.txt", data: "The heron nests in April." }])
}, 60_000)
afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

const SEARCH = { url: "/external/search", body: { query: "heron" } }
const YEARLY = { name: "yearly", cron: "0 6 1 1 *", request: SEARCH }
const held = (name: string) => ({
  url: "/v1/chat/completions",
  body: { model: MODEL, messages: [{ role: "user", content: `case-${name}` }] },
})

async function make(given: object, by = client): Promise<string> {
  const { status, body } = await by.post("/schedules", given)
  expect([status, body.id]).toEqual([201, expect.stringMatching(/^sched_/)])
  return body.id
}
const runs = async (id: string, by = client) => (await by.get(`/schedules/${id}/runs`)).body
const ended = (id: string, by = client) =>
  until(async () => {
    const [newest] = await runs(id, by)
    return newest && newest.status !== "running" && newest
  })
const inStore = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
  const database = await openSqlite(app.data)
  return work(database).finally(() => database.destroy())
}
const due = (id: string, at: string) =>
  inStore(database => database.updateTable("schedules").set({ next_run_at: at }).where("id", "=", id).execute())
const failures = async (id: string, by = client) =>
  (await by.get("/events?types=schedule.failed&limit=100")).body.data.filter(
    (event: { data: { id: string } }) => event.data.id === id,
  )

describe("a schedule", () => {
  test("runs again and again, and keeps what was answered", async () => {
    const id = await make({ name: "often", every: "1s", request: SEARCH })
    await until(
      async () => (await runs(id)).filter(({ status }: { status: string }) => status === "completed").length >= 2,
    )
    const [, run] = await runs(id)
    expect(run).toMatchObject({ status: "completed", error: null, response: { status_code: 200, truncated: false } })
    expect(run.response.body.hits[0].file.name).toBe("heron.txt")
    expect((await client.delete(`/schedules/${id}`)).status).toBe(204)
    expect((await client.get(`/schedules/${id}/runs`)).status).toBe(404)
  })

  test("says when it is due next, in its time zone", async () => {
    const { body } = await client.post("/schedules", { ...YEARLY, timezone: "Asia/Tokyo" })
    expect(body).toMatchObject({
      cron: "0 6 1 1 *",
      every: null,
      timezone: "Asia/Tokyo",
      paused: false,
      request: SEARCH,
    })
    expect(body.next_run_at).toEndWith("-12-31T21:00:00.000Z")
    expect(body.owner).toMatchObject({ type: "key", id: client.key.id })
    const changed = await client.patch(`/schedules/${body.id}`, { every: "6h", name: "six" })
    expect(changed.body).toMatchObject({ name: "six", cron: null, every: "6h", timezone: null })
    expect((await client.get("/schedules?page_size=100")).body.data.map(({ id }: { id: string }) => id)).toContain(
      body.id,
    )
  })

  test.each([
    ["without a time", { name: "x", request: SEARCH }],
    ["with two times", { ...YEARLY, every: "1h" }],
    ["with a time that never comes", { ...YEARLY, cron: "0 0 30 2 *" }],
    ["with six fields", { ...YEARLY, cron: "* * * * * *" }],
    ["in no time zone", { ...YEARLY, timezone: "Mars/Base" }],
    ["with a time zone that says nothing", { name: "x", every: "1h", timezone: "UTC", request: SEARCH }],
    ["of a URL that may not be called", { ...YEARLY, request: { url: "/external/keys", body: {} } }],
    ["of another server", { ...YEARLY, request: { url: "http://127.0.0.1/external/search", body: {} } }],
    ["of a stream", { ...YEARLY, request: { url: "/v1/chat/completions", body: { stream: true } } }],
    ["without a request", { name: "x", every: "1h" }],
    ["without a name", { every: "1h", request: SEARCH }],
  ])("%s is refused", async (_, given) => {
    expect((await client.post("/schedules", given)).status).toBe(400)
  })

  test("that is paused does not run, but when told to; it goes on behind the times that went by", async () => {
    const id = await make({ ...YEARLY, paused: true })
    expect((await client.get(`/schedules/${id}`)).body.next_run_at).toBeNull()
    const { status, body } = await client.post(`/schedules/${id}/run`)
    expect([status, body.status]).toEqual([202, "running"])
    expect((await ended(id)).run_id).toBe(body.run_id)
    const next = (await client.patch(`/schedules/${id}`, { paused: false })).body.next_run_at
    expect(Date.parse(next)).toBeGreaterThan(Date.now())
    expect((await runs(id)).length).toBe(1)
  })

  test("runs once for all times that went by while nobody was there", async () => {
    const id = await make({ name: "hourly", every: "1h", request: SEARCH })
    await due(id, new Date(Date.now() - 100 * 3_600_000).toISOString())
    await ended(id)
    const { next_run_at } = (await client.get(`/schedules/${id}`)).body
    expect(Date.parse(next_run_at)).toBeGreaterThan(Date.now())
    await app.restart()
    expect((await runs(id)).length).toBe(1)
  })

  test("has one run at a time: a time that comes meanwhile is passed over", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    ollama.server.scenes.add("one", { held: promise, text: "Done." })
    const id = await make({ name: "long", every: "1s", request: held("one") })
    await until(() => ollama.server.scenes.got("one").length === 1)
    expect((await client.post(`/schedules/${id}/run`)).status).toBe(409)
    const before = (await client.get(`/schedules/${id}`)).body.next_run_at
    await until(async () => (await client.get(`/schedules/${id}`)).body.next_run_at !== before)
    await client.patch(`/schedules/${id}`, { paused: true })
    expect((await runs(id)).length).toBe(1)
    resolve()
    expect((await ended(id)).response.body.choices[0].message.content).toBe("Done.")
  })

  test("keeps the beginning of an answer that is too long", async () => {
    const text = "ä".repeat(200_000)
    const id = await make({ ...YEARLY, request: { url: "/external/redact", body: { text, redaction: false } } })
    await client.post(`/schedules/${id}/run`)
    const { response } = await ended(id)
    expect([response.truncated, typeof response.body]).toEqual([true, "string"])
    expect(Buffer.byteLength(response.body)).toBeWithin(262_140, 262_145)
  })

  test("that fails says so by an event, for those who see the schedule", async () => {
    const id = await make({ ...YEARLY, request: { url: "/external/search", body: { query: " " } } })
    await client.post(`/schedules/${id}/run`)
    const run = await ended(id)
    expect([run.status, run.response.status_code, run.error.code]).toEqual(["failed", 400, "invalid_request"])
    expect((await failures(id)).map((event: { data: object }) => event.data)).toEqual([
      { id, run_id: run.run_id, error: run.error },
    ])
    expect(await failures(id, await app.client("default", { context_ids: ["boats"] }))).toEqual([])
  })
})

describe("the rights of a schedule", () => {
  test("are those that its key has when it runs", async () => {
    const mine = await app.client()
    const id = await make(YEARLY, mine)
    await inStore(database => new ApiKeys(database).change(mine.key.id, { scopes: ["batches"] }))
    await mine.post(`/schedules/${id}/run`)
    expect((await ended(id, mine)).error.code).toBe("forbidden")
  })

  test("end with its key, also amid a run, and it is paused", async () => {
    const mine = await app.client()
    const { promise, resolve } = Promise.withResolvers<void>()
    ollama.server.scenes.add("revoked", { held: promise })
    const id = await make({ ...YEARLY, request: held("revoked") }, mine)
    await mine.post(`/schedules/${id}/run`)
    await until(() => ollama.server.scenes.got("revoked").length === 1)
    await inStore(database => new ApiKeys(database).revoke(mine.key.id))
    const run = await ended(id)
    expect([run.status, run.response, run.error.code]).toEqual(["failed", null, "unauthorized"])
    expect((await client.get(`/schedules/${id}`)).body).toMatchObject({ paused: true, next_run_at: null })
    expect((await failures(id)).length).toBe(1)
    resolve()
  })

  test("are not lent to others: only its maker changes what it asks", async () => {
    const mine = await app.client()
    const id = await make(YEARLY, mine)
    expect((await client.patch(`/schedules/${id}`, { request: SEARCH })).status).toBe(403)
    expect((await client.patch(`/schedules/${id}`, { name: "other" })).status).toBe(200)
    expect((await mine.patch(`/schedules/${id}`, { request: SEARCH })).status).toBe(200)
  })

  test("are seen by its key and the workspace's unlimited ones alone", async () => {
    const id = await make(YEARLY)
    const statuses = async (by: Client) => [
      (await by.get(`/schedules/${id}`)).status,
      (await by.get(`/schedules/${id}/runs`)).status,
      (await by.patch(`/schedules/${id}`, { paused: true })).status,
      (await by.post(`/schedules/${id}/run`)).status,
      (await by.delete(`/schedules/${id}`)).status,
    ]
    const none = Array(5).fill(404)
    expect(await statuses(await app.client("other"))).toEqual(none)
    expect(await statuses(await app.client("default", { context_ids: ["boats"] }))).toEqual(none)
    const token = await client.scoped({ end_user: "ada" })
    expect(await statuses(token)).toEqual(none)
    expect((await token.post("/schedules", YEARLY)).status).toBe(403)
    const without = await app.client("default", { scopes: ["search"] })
    expect(await statuses(without)).toEqual(Array(5).fill(403))
    expect(await statuses(await app.client())).toEqual([200, 200, 200, 202, 204])
  })
})
