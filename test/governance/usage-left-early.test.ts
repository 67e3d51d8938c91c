/** Streams that end before the model tells its tokens: what it wrote until then is counted, and the record says the same. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { LLAMA, startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(30_000)

const WORDS = ["one ", "two ", "three ", "four ", "five ", "six ", "seven ", "eight "]
const WRITTEN = 5

const ollama = await startOllama([LLAMA])
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ "ollama-host": ollama.server.url })
  ollama.server.scenes.add("stays", { pieces: WORDS, held: new Promise(() => {}), holdAfter: WRITTEN })
  ollama.server.scenes.add("breaks", { pieces: WORDS, errorAfter: WRITTEN })
})
afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

/** Until the last word is there that the model writes. */
async function readTo(response: Response, word: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  const reader = response.body!.getReader()
  while (!text.includes(word)) text += decoder.decode((await reader.read()).value, { stream: true })
  return text
}

async function usedBy(client: Client) {
  const { body } = await client.get("/usage?group_by=model")
  const row = body.data.find(({ model }: { model: string | null }) => model !== null)
  return row && { prompt_tokens: row.prompt_tokens, completion_tokens: row.completion_tokens }
}
const counted = (client: Client) => until(async () => usedBy(client))

test("a reply that is cancelled counts what came, as its record says", async () => {
  const client = await app.client("cancelled")
  const asked = await client.raw("POST", "/conversations", { message: "case-stays Count", model: LLAMA.name })
  const id = /conv_\w+/.exec(await readTo(asked, "five"))![0]
  expect((await client.post(`/conversations/${id}/cancel`)).status).toBeLessThan(300)
  await asked.body?.cancel().catch(() => {})
  const used = await counted(client)
  expect(used).toEqual({ prompt_tokens: expect.any(Number), completion_tokens: WRITTEN })
  expect(used.prompt_tokens).toBeGreaterThan(0)
})

test("an answer that nobody stores counts what came when its client leaves, and the model stops", async () => {
  const client = await app.client("left")
  const leave = new AbortController()
  const messages = [{ role: "user", content: "case-stays Count" }]
  const body = { model: `ollama/${LLAMA.name}`, messages, stream: true }
  const asked = await client.under("").raw("POST", "/v1/chat/completions", body, {}, { signal: leave.signal })
  await readTo(asked, "five")
  leave.abort()
  expect((await counted(client)).completion_tokens).toBe(WRITTEN)
  await until(() => ollama.server.open === 0)
})

test("a model that breaks off has written what came", async () => {
  const client = await app.client("broken")
  const { body } = await client.post("/start-conversation", { message: "case-breaks Count", model: LLAMA.name })
  expect((await counted(client)).completion_tokens).toBe(WRITTEN)
  expect(body).toBeDefined()
})

test("a run whose time is over says what is counted", async () => {
  const client = await app.client("run")
  const task = { task: "case-stays Count", model: LLAMA.name, tools: [], timeout_seconds: 2 }
  const { body } = await client.post("/agents/run", task, { prefer: "respond-async" })
  const run = await until(async () => {
    const { body: seen } = await client.get(`/agents/runs/${body.run_id}`)
    return seen.finished_at && seen
  })
  const { prompt_tokens, completion_tokens } = run.usage
  expect(completion_tokens).toBe(WRITTEN)
  expect(await counted(client)).toEqual({ prompt_tokens, completion_tokens })
})
