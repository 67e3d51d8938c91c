/** Runs over HTTP: the real application, a real socket, a model server that speaks Ollama's protocol. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import iconv from "iconv-lite"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { startDaemon } from "../support/daemon.ts"
import type { ScriptedTurn } from "../support/model-script.ts"
import type { ModelServer } from "../support/model-server.ts"
import { startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"

let model: ModelServer
let app: TestApp
let client: Client
let fileId: string

beforeAll(async () => {
  model = (await startOllama()).server
  app = await startTestApp({ "ollama-host": model.url })
  client = await app.client()
  const [file] = await client.index([
    { name: "prices.csv", data: "item,price\npen,1.25\nink,2.50\npad,4.00\n" },
    { name: "contract.txt", data: "The notice period is ninety days.\n" },
  ])
  fileId = file.id
}, 60_000)
afterAll(async () => {
  await app.stop()
  model.stop()
})
beforeEach(() => {
  model.requests.length = 0
})

/** The next model turns, the last one again and again. */
function say(...turns: ScriptedTurn[]): void {
  const before = model.scenes.got("none").length
  model.scenes.add("none", (_, count) => turns[Math.min(count - before, turns.length - 1)]!)
}
const call = (name: string, args: Record<string, unknown>): ScriptedTurn => ({ tools: [{ name, arguments: args }] })

test("a table in Shift-JIS is found and queried in the same letters", async () => {
  const [file] = await client.index([
    {
      name: "rents-jp.csv",
      data: iconv.encode(
        "部屋,家賃,備考\n屋根裏,31000,観葉植物の水やりは木曜日\n地下室,9000,倉庫として使用\n",
        "shift_jis",
      ),
    },
  ])
  const { body: found } = await client.post("/search", { query: "観葉植物", mode: "keyword" })
  expect(found.hits[0].text).toContain("観葉植物の水やりは木曜日")
  const sql = `select "備考" from data where "部屋" = '屋根裏'`
  say(call("query_table", { file_id: file.id, sql }), { text: "On Thursdays." })
  const { body } = await client.post("/agents/run", { task: "When?" })
  expect(body.steps[0]).toMatchObject({ is_error: false, result: expect.stringContaining("観葉植物の水やりは木曜日") })
})

test("every tool works on the real library", async () => {
  say(
    call("search_library", { query: "notice period" }),
    {
      tools: [
        { name: "list_files", arguments: {} },
        { name: "read_file", arguments: { file_id: fileId } },
        { name: "query_table", arguments: { file_id: fileId, sql: "select sum(price) as total from data" } },
        { name: "calculate", arguments: { expression: "0.1 + 0.2" } },
        { name: "current_time", arguments: { timezone: "Europe/Berlin" } },
      ],
    },
    { text: "The notice period is ninety days [1]." },
  )
  const { status, body } = await client.post("/agents/run", { task: "Find out" })
  expect(status).toBe(200)
  expect(body.steps.map((step: { name: string; is_error: boolean }) => [step.name, step.is_error])).toEqual([
    ["search_library", false],
    ["list_files", false],
    ["read_file", false],
    ["query_table", false],
    ["calculate", false],
    ["current_time", false],
  ])
  const results = body.steps.map((step: { result: string }) => step.result)
  expect(results[0]).toContain("ninety days")
  expect(results[1]).toContain(fileId)
  expect(results[2]).toContain("pen")
  expect(results[3]).toContain("7.75")
  expect(results[4]).toBe("0.3")
  expect(results[5]).toContain("Europe/Berlin")
  expect(body).toMatchObject({
    status: "completed",
    finish_reason: "final_answer",
    model: "ollama/llama3.2:3b",
    usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
  })
  expect(body.citations[0]).toMatchObject({
    index: 1,
    name: "contract.txt",
    chunk_id: expect.stringMatching(/^chunk_/),
  })
}, 30_000)

test("the deadline is 408 with the run, which can be read", async () => {
  say(call("calculate", { expression: "1+1" }), { hang: true })
  const started = performance.now()
  const { status, body } = await client.post("/agents/run", { task: "t", timeout_seconds: 4 })
  expect(performance.now() - started).toBeGreaterThan(3_900)
  expect(status).toBe(408)
  expect(body.error.code).toBe("agent_timeout")
  const run = await client.get(`/agents/runs/${body.error.details[0].run_id}`)
  expect(run.body).toMatchObject({ status: "timed_out", steps: [{ name: "calculate", result: "2" }] })
  await until(async () => model.open === 0)
})

test("a client that disconnects cancels its run, and the model's request ends", async () => {
  say({ hang: true })
  const abort = new AbortController()
  const request = client
    .raw("POST", "/agents/run", { task: "unique task of the one who leaves" }, {}, { signal: abort.signal })
    .catch(() => undefined)
  const run = await until(async () => (await client.get("/agents/runs?status=running")).body.data[0])
  await until(async () => model.requests.length > 0)
  abort.abort()
  await request
  await until(async () => (await client.get(`/agents/runs/${run.run_id}`)).body.status === "cancelled")
  await until(async () => model.open === 0)
})

test("null is the same as absent", async () => {
  say({ text: "Done." })
  const nulls = { model: null, tools: null, file_ids: null, context_id: null, timeout_seconds: null, max_steps: null }
  const { status, body } = await client.post("/agents/run", {
    task: "t",
    ...nulls,
    output_schema: null,
    redaction: null,
  })
  expect([status, body.output]).toEqual([200, "Done."])
})

test("respond-async answers 202 at once; the run is watched, cancelled and read", async () => {
  say(call("calculate", { expression: "2+2" }), { hang: true })
  const { status, body, headers } = await client.post(
    "/agents/run",
    { task: "t", additional_metadata: { ticket: 7 } },
    { prefer: "respond-async" },
  )
  expect(status).toBe(202)
  expect(headers.get("preference-applied")).toBe("respond-async")
  expect(body).toMatchObject({ status: "running", finished_at: null, steps: [], additional_metadata: { ticket: 7 } })
  const events = client.raw("GET", `/agents/runs/${body.run_id}/events`).then(response => response.text())
  await until(async () => (await client.get(`/agents/runs/${body.run_id}`)).body.steps[0]?.result === "4")
  const cancelled = await client.post(`/agents/runs/${body.run_id}/cancel`)
  expect([cancelled.status, cancelled.body.status]).toEqual([202, "cancelled"])
  const names = [...(await events).matchAll(/^id: (\d+)\nevent: (\w+)$/gm)].map(match => [Number(match[1]), match[2]])
  expect(names).toEqual([
    [1, "run_started"],
    [2, "step_started"],
    [3, "step_completed"],
    [4, "run_finished"],
    [5, "done"],
  ])
  const odd = await client.raw("GET", `/agents/runs/${body.run_id}/events`, undefined, { "last-event-id": "three" })
  expect(odd.status).toBe(400)
  const rest = await client.raw("GET", `/agents/runs/${body.run_id}/events`, undefined, { "last-event-id": "3" })
  expect((await rest.text()).startsWith("id: 4\nevent: run_finished\n")).toBe(true)
})

test("a blocking call whose run is cancelled by another gets 200 and cancelled; a failing model 502", async () => {
  say({ hang: true })
  const blocking = client.post("/agents/run", { task: "t" })
  const run = await until(async () => (await client.get("/agents/runs?status=running")).body.data[0])
  await client.post(`/agents/runs/${run.run_id}/cancel`, {})
  expect(await blocking).toMatchObject({ status: 200, body: { status: "cancelled", run_id: run.run_id } })
  say({ status: 500, error: "the runner broke" })
  const failed = await client.post("/agents/run", { task: "t" })
  expect(failed).toMatchObject({
    status: 502,
    body: { error: { code: "model_error", details: [{ run_id: expect.stringMatching(/^run_/) }] } },
  })
  expect(failed.body.error.hint).toContain("the runner broke")
})

test("an answer that never meets the schema is 422 with the run", async () => {
  say({ text: "no JSON here" })
  const { status, body } = await client.post("/agents/run", {
    task: "t",
    output_schema: { type: "object", required: ["a"] },
  })
  expect(status).toBe(422)
  expect(body.error).toMatchObject({
    code: "output_schema_violation",
    details: [{ run_id: expect.stringMatching(/^run_/) }, { issue: expect.any(String) }],
  })
})

test("eight runs at once with arguments or answers nested far too deep are answered, and the model is told", async () => {
  let nested: unknown = 1
  for (let level = 0; level < 20_000; level++) nested = { a: nested }
  const answer = `{"final_answer": ${"[".repeat(200_000)}${"]".repeat(200_000)}}`
  const seen: string[] = []
  model.scenes.add("deepcall", request => {
    const { role, content } = request.messages.at(-1)
    if (role !== "tool") return { tools: [{ name: "calculate", arguments: { expression: nested } }] }
    seen.push(content)
    return { text: "done" }
  })
  model.scenes.add("deepanswer", { text: answer })
  const run = (task: string, more = {}) => client.post("/agents/run", { task, model: "ollama/qwen3:8b", ...more })
  const all = [
    run("case-deepcall"),
    run("case-deepcall"),
    run("case-deepcall", { redaction: { enabled: true } }),
    run("case-deepanswer"),
    run("case-deepanswer"),
    run("case-deepanswer"),
    run("case-deepanswer", { output_schema: { type: "object" } }),
    run("case-deepanswer", { output_schema: { type: "object" } }),
  ]
  const results = await Promise.all(all)
  expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 422, 422])
  expect(seen).toHaveLength(3)
  for (const told of seen) expect(told).toContain("nested deeper than 64 levels")
  expect(results[3]!.body.output).toBe(answer)
}, 30_000)

test("an Idempotency-Key gives the same run", async () => {
  say({ text: "once" })
  const send = () => client.post("/agents/run", { task: "t" }, { "idempotency-key": "abc" })
  const [first, second] = [await send(), await send()]
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.body.run_id).toBe(first.body.run_id)
  expect(model.requests).toHaveLength(1)
  expect((await client.post("/agents/run", { task: "other" }, { "idempotency-key": "abc" })).status).toBe(409)
})

test.each<[string, unknown, number, string]>([
  ["no task", {}, 400, "task"],
  ["a blank task", { task: "  " }, 400, "task"],
  ["metadata of more than 16 KB, in bytes", { task: "t", additional_metadata: { x: "é".repeat(9_000) } }, 400, "16 KB"],
  ["an unknown tool", { task: "t", tools: ["shell"] }, 400, "tools"],
  ["a timeout that is too long", { task: "t", timeout_seconds: 1_801 }, 400, "timeout_seconds"],
  ["a timeout of nothing", { task: "t", timeout_seconds: 0 }, 400, "timeout_seconds"],
  ["too many steps", { task: "t", max_steps: 101 }, 400, "max_steps"],
  ["an invalid schema", { task: "t", output_schema: { type: 5 } }, 400, "output_schema"],
  ["a file that is not there", { task: "t", file_ids: ["file_unknown"] }, 404, "file_unknown"],
  ["a model that is not there", { task: "t", model: "ollama/none" }, 404, "ollama/none"],
  ["a conversation that is not there", { task: "t", context_id: "conv_none" }, 404, "conv"],
])("%s is refused", async (_, body, status, word) => {
  const answer = await client.post("/agents/run", body)
  expect(answer.status).toBe(status)
  expect(JSON.stringify(answer.body.error)).toContain(word)
})

test("another workspace sees neither runs nor files", async () => {
  say({ text: "mine" })
  const { body } = await client.post("/agents/run", { task: "t" })
  const other = await app.client("other")
  expect((await other.get(`/agents/runs/${body.run_id}`)).status).toBe(404)
  expect((await other.get(`/agents/runs/${body.run_id}/events`)).status).toBe(404)
  expect((await other.post(`/agents/runs/${body.run_id}/cancel`, {})).status).toBe(404)
  expect((await other.get("/agents/runs")).body.data).toEqual([])
  expect((await other.post("/agents/run", { task: "t", file_ids: [fileId] })).status).toBe(404)
  say(
    {
      tools: [
        { name: "search_library", arguments: { query: "notice period" } },
        { name: "read_file", arguments: { file_id: fileId } },
        { name: "query_table", arguments: { file_id: fileId, sql: "select 1" } },
        { name: "list_files", arguments: {} },
      ],
    },
    { text: "ok" },
  )
  model.requests.length = 0
  const run = await other.post("/agents/run", { task: "t" })
  expect(JSON.stringify(run.body.steps)).not.toMatch(/ninety|pen,|prices\.csv/)
})

test("runs are listed newest first, by page and status; a wrong status is refused", async () => {
  const { body } = await client.get("/agents/runs?page=1&page_size=2&status=completed,cancelled")
  expect(body.data).toHaveLength(2)
  expect(body.data[0].run_id > body.data[1].run_id).toBe(true)
  expect(body.pagination).toMatchObject({ page: 1, page_size: 2, has_next: true })
  expect(body.data[0].step_count).toBeNumber()
  expect((await client.get("/agents/runs?status=done")).status).toBe(400)
  const readOnly = await app.client("default", { scopes: ["search"] })
  expect((await readOnly.get("/agents/runs")).status).toBe(403)
})

test("with no model server the built-in mode answers with quotes", async () => {
  const { status, body } = await client.post("/agents/run", {
    task: "How long is the notice period?",
    model: "builtin/extractive",
  })
  expect(status).toBe(200)
  expect(body.output).toContain("ninety days")
  expect(body.citations[0].name).toBe("contract.txt")
})

test("a run alive at SIGKILL is failed as interrupted after the restart, with its steps", async () => {
  say(call("list_files", {}), { hang: true })
  const daemon = await startDaemon(["--ollama-host", model.url])
  try {
    const response = await fetch(`${daemon.url}/external/agents/run`, {
      method: "POST",
      headers: { ...daemon.credentials, "content-type": "application/json", prefer: "respond-async" },
      body: JSON.stringify({ task: "t" }),
    })
    const { run_id } = (await response.json()) as { run_id: string }
    await until(async () => (await daemon.call("GET", `/agents/runs/${run_id}`)).steps[0]?.result)
    await daemon.kill()
    await daemon.start()
    const run = await daemon.call("GET", `/agents/runs/${run_id}`)
    expect(run).toMatchObject({
      status: "failed",
      error: { code: "interrupted" },
      steps: [{ name: "list_files", is_error: false }],
    })
  } finally {
    await daemon.remove()
  }
}, 60_000)
