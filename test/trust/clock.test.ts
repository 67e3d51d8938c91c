/** A clock that is set back or ahead while the daemon runs. */
import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

const HOUR_MS = 3_600_000

describe("a clock that jumps", () => {
  let app: TestApp
  let client: Client
  beforeAll(async () => {
    app = await startTestApp()
    client = await app.client("default", { rate_limit_per_minute: 500 })
  })
  afterEach(() => void setSystemTime())
  afterAll(() => app.stop())

  test.each([
    ["back", -HOUR_MS],
    ["ahead", HOUR_MS],
  ])("%s: files are indexed, found, listed in their order, and asked about", async (where, jumpMs) => {
    const [before] = await client.index([
      { name: `before-${where}.txt`, data: `The ${where} heron stands in the reeds.` },
    ])
    const { body: first } = await client.post("/start-conversation", {
      message: `Where does the ${where} heron stand?`,
    })
    setSystemTime(new Date(Date.now() + jumpMs))
    const [after] = await client.index([{ name: `after-${where}.txt`, data: `The ${where} otter sleeps on the raft.` }])
    expect([after.status, after.attempts]).toEqual(["searchable", 1])
    expect(before.id < after.id).toBe(true)
    expect((await client.post("/search", { query: `${where} otter` })).body.hits[0].file.id).toBe(after.id)
    const second = await client.post("/send", {
      conversation_id: first.conversation_id,
      message: `Where does the ${where} otter sleep?`,
    })
    expect(second.body.messages.map((message: { role: string }) => message.role)).toEqual(["user", "assistant"])
    const { body: run } = await client.post("/agents/run", {
      task: `Where does the ${where} otter sleep?`,
      timeout_seconds: 60,
    })
    expect([run.status, run.steps.every((step: { duration_ms: number }) => step.duration_ms >= 0)]).toEqual([
      "completed",
      true,
    ])
  })

  test("back: a rate limit is over within its minute", async () => {
    const limited = await app.client("default", { rate_limit_per_minute: 1 })
    expect((await limited.get("/models")).status).toBe(200)
    expect((await limited.get("/models")).status).toBe(429)
    setSystemTime(new Date(Date.now() - HOUR_MS))
    const { status, headers } = await limited.get("/models")
    expect(status).toBe(200)
    expect(Number(headers.get("X-RateLimit-Reset"))).toBeLessThanOrEqual(Date.now() / 1000 + 61)
  })
})
