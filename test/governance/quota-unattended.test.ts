/** Quotas of work that nobody waits for: lines of batches and runs of schedules over it end with its code, and take nothing. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

const MODEL = "builtin/extractive"
const CHAT = { url: "/external/conversations", body: { message: "Where do herons nest?", model: MODEL } }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const tokensOf = async (client: Client): Promise<number> => {
  const [row] = (await client.get("/usage?bucket=month")).body.data
  return row.prompt_tokens + row.completion_tokens
}

test("lines of a batch over the tokens of a day are refused with its code, and take no more", async () => {
  const client = await app.client("batch", { quota: { tokens_per_day: 1 } })
  expect((await client.post("/start-conversation", CHAT.body)).status).toBeLessThan(300)
  const before = await tokensOf(client)
  expect(before).toBeGreaterThan(0)
  const requests = Array.from({ length: 5 }, (_, i) => ({ custom_id: `${i}`, method: "POST", ...CHAT }))
  const search = { custom_id: "search", method: "POST", url: "/external/search", body: { query: "herons" } }
  const { body } = await client.post("/batches", { requests: [...requests, search] })
  const batch = await until(
    async () => {
      const { body: seen } = await client.get(`/batches/${body.id}`)
      return seen.status === "completed" && seen
    },
    { within: 30_000 },
  )
  expect(batch.request_counts).toEqual({ total: 6, completed: 1, failed: 5 })
  const errors = await client.under("").raw("GET", `/v1/files/${batch.error_file_id}/content`)
  const lines = (await errors.text())
    .trim()
    .split("\n")
    .map(line => JSON.parse(line))
  expect(lines.map(({ response }) => [response.status_code, response.body.error.code])).toEqual(
    requests.map(() => [429, "quota_exceeded"]),
  )
  expect(await tokensOf(client)).toBe(before)
})

test("a run of a schedule over it fails with its code, and takes no more", async () => {
  const client = await app.client("schedule", { quota: { tokens_per_day: 1 } })
  await client.post("/start-conversation", CHAT.body)
  const before = await tokensOf(client)
  const { body } = await client.post("/schedules", { name: "herons", every: "1d", request: CHAT })
  await client.post(`/schedules/${body.id}/run`, {})
  const run = await until(
    async () => {
      const { body: runs } = await client.get(`/schedules/${body.id}/runs`)
      const [newest] = runs.data ?? runs
      return newest && !["queued", "running"].includes(newest.status) && newest
    },
    { within: 30_000 },
  )
  expect(run).toMatchObject({ status: "failed", response: { status_code: 429 } })
  expect(JSON.stringify(run.response)).toContain("quota_exceeded")
  expect(await tokensOf(client)).toBe(before)
})
