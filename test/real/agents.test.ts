/** Agents, batches and schedules' requests, carried out by real models: small ones answer badly, and every run still ends as promised. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { LLAMA_CPP_MODELS, OLLAMA_MODELS, REAL_FLAGS, SLOW_MS } from "../support/real-models.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(SLOW_MS)

let app: TestApp
let api: Client
beforeAll(async () => {
  app = await startTestApp(REAL_FLAGS)
  api = await app.client()
  await api.index([{ name: "lease.txt", data: "The notice period of the boathouse lease is 90 days." }])
}, SLOW_MS)
afterAll(() => app.stop())

const ASKERS = [
  ["the text protocol on Ollama", `ollama/${OLLAMA_MODELS.chat}`],
  ["native tools on Ollama", `ollama/${OLLAMA_MODELS.tools}`],
  ["native tools on llama.cpp's server", `openai/${LLAMA_CPP_MODELS.tools}`],
] as const

describe.each(ASKERS)("a run by %s", (_, model) => {
  test("ends with an answer, or at its time, and every step of it is a tool that it had", async () => {
    const tools = ["search_library", "calculate"]
    const task = "What is the notice period of the lease? Search the library."
    // A model this small may fill each of its turns to the last token: thousands of them.
    const { status, body } = await api.post("/agents/run", { model, tools, task, max_steps: 2, timeout_seconds: 120 })
    if (status === 408) return expect(body.error.code).toBe("agent_timeout")
    expect([status, body.status]).toEqual([200, "completed"])
    expect(body.output.trim()).not.toBe("")
    expect(["final_answer", "max_steps"]).toContain(body.finish_reason)
    for (const { name, is_error } of body.steps) expect(is_error || tools.includes(name)).toBe(true)
    expect(body.usage.prompt_tokens).toBeGreaterThan(50)
  })

  test("without tools it answers in one turn", async () => {
    const { body } = await api.post("/agents/run", { model, tools: [], task: "Name a river.", max_steps: 3 })
    expect([body.status, body.steps]).toEqual(["completed", []])
  })

  test("held to a schema it gives what meets the schema, or says that it does not", async () => {
    const output_schema = {
      type: "object",
      properties: { kind: { type: "string", enum: ["river", "lake"] } },
      required: ["kind"],
    }
    const task = "Is the Thames a river or a lake?"
    const asked = { model, tools: [], task, output_schema, max_steps: 2, timeout_seconds: 120 }
    const { status, body } = await api.post("/agents/run", asked)
    if (status === 200) expect(["river", "lake"]).toContain(body.structured_output.kind)
    else expect(["output_schema_violation", "agent_timeout"]).toContain(body.error.code)
  })

  test("past its time it ends at once, and the model is free for the next", async () => {
    const task = "Write a story of ten thousand words about every river of Europe."
    const late = await api.post("/agents/run", { model, tools: [], task, timeout_seconds: 1 })
    if (late.status === 200) return // it was short
    expect([late.status, late.body.error.code]).toEqual([408, "agent_timeout"])
    const next = await api.post("/agents/run", { model, tools: [], task: "Name a river.", max_steps: 1 })
    expect(next.body.status).toBe("completed")
  })
})

test("a run that is cancelled is cancelled", async () => {
  const asked = { model: ASKERS[0][1], tools: [], task: "Write a story of ten thousand words about rivers." }
  const { body } = await api.post("/agents/run", asked, { prefer: "respond-async" })
  expect((await api.post(`/agents/runs/${body.run_id}/cancel`)).status).toBe(202)
  const status = await until(async () => {
    const run = (await api.get(`/agents/runs/${body.run_id}`)).body
    return run.status !== "running" && run.status
  })
  expect(["cancelled", "completed"]).toContain(status)
})

test("a batch of questions is answered line by line, each once", async () => {
  const requests = Array.from({ length: 6 }, (_, at) => ({
    custom_id: `q${at}`,
    method: "POST",
    url: "/v1/chat/completions",
    body: {
      model: at % 2 ? ASKERS[0][1] : `openai/${LLAMA_CPP_MODELS.chat}`,
      messages: [{ role: "user", content: `Write the number ${at}.` }],
      max_tokens: 10,
    },
  }))
  const { body } = await api.post("/batches", { requests })
  const batch = await until(
    async () => {
      const now = (await api.get(`/batches/${body.id}`)).body
      return ["completed", "failed", "expired"].includes(now.status) && now
    },
    { within: SLOW_MS },
  )
  expect([batch.status, batch.request_counts]).toMatchObject(["completed", { total: 6, completed: 6, failed: 0 }])
  const text = await (await api.under("/v1").raw("GET", `/files/${batch.output_file_id}/content`)).text()
  const answered = text
    .trim()
    .split("\n")
    .map(line => JSON.parse(line).custom_id)
  expect(answered.sort()).toEqual(requests.map(({ custom_id }) => custom_id))
})
