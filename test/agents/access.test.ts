/** Which keys may let an agent read files, and how runs are removed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import type { ModelServer } from "../support/model-server.ts"
import { startOllama } from "../support/ollama.ts"

let app: TestApp
let server: ModelServer
let client: Client
const MODEL = "ollama/llama3.2:3b"
const READING = ["search_library", "read_file", "list_files", "query_table"]

beforeAll(async () => {
  server = (await startOllama()).server
  app = await startTestApp({ "ollama-host": server.url })
  client = await app.client()
  await client.index([{ name: "lease.txt", data: "The rent of the boathouse is 900 a month." }])
})
afterAll(async () => {
  await app.stop()
  server.stop()
})

describe("a key without files:read", () => {
  let narrow: Client
  beforeAll(async () => {
    narrow = await app.client("default", { scopes: ["agents"] })
  })

  test.each(READING)("is refused %s by name, and the scope is named", async tool => {
    const { status, body } = await narrow.post("/agents/run", {
      task: "rent?",
      tools: ["calculate", tool],
      model: MODEL,
    })
    expect(status).toBe(403)
    expect(body.error.code).toBe("forbidden")
    expect(body.error.message).toBe(`the key lacks the scope files:read, which ${tool} needs`)
    expect(body.error.details).toEqual([{ tool, scope: "files:read" }])
  })

  test("runs with the other tools by default: the model is offered none that reads, nor can it call one", async () => {
    server.scenes.add("narrow", (_, count) =>
      count === 0 ? { tools: READING.map(name => ({ name, arguments: { query: "rent" } })) } : { text: "done" },
    )
    const { status, body } = await narrow.post("/agents/run", { task: "case-narrow rent?", model: MODEL })
    expect(status).toBe(200)
    const offered = server.scenes
      .got("narrow")[0]
      .tools.map((tool: { function: { name: string } }) => tool.function.name)
    expect(offered).toEqual(["calculate", "current_time"])
    expect(body.steps.map((step: { is_error: boolean }) => step.is_error)).toEqual(READING.map(() => true))
    expect(JSON.stringify(body)).not.toContain("900")
    const quoted = await narrow.post("/agents/run", { task: "rent of the boathouse", model: "builtin/extractive" })
    expect(quoted.body.output).not.toContain("900")
  })

  test("a key with both reads", async () => {
    const both = await app.client("default", { scopes: ["agents", "files:read"] })
    const { body } = await both.post("/agents/run", { task: "rent of the boathouse", model: "builtin/extractive" })
    expect(body.output).toContain("900")
  })
})

describe("deleting runs", () => {
  test("removes a run that has ended, with its steps, for its own workspace alone", async () => {
    const { body } = await client.post("/agents/run", { task: "rent of the boathouse", model: "builtin/extractive" })
    const path = `/agents/runs/${body.run_id}`
    const other = await app.client("elsewhere")
    expect((await other.delete(path)).status).toBe(404)
    expect((await client.get(path)).status).toBe(200)
    const deleted = await client.raw("DELETE", path)
    expect(deleted.status).toBe(204)
    expect(await deleted.text()).toBe("")
    for (const gone of [path, `${path}/events`]) expect((await client.get(gone)).status).toBe(404)
    expect((await client.delete(path)).status).toBe(404)
    const { body: list } = await client.get("/agents/runs?page_size=100")
    expect(list.data.some((run: { run_id: string }) => run.run_id === body.run_id)).toBe(false)
  })

  test("leaves one that is running alone until it is cancelled", async () => {
    server.scenes.add("hang", { hang: true })
    const started = await client.post("/agents/run", { task: "case-hang", model: MODEL }, { prefer: "respond-async" })
    const path = `/agents/runs/${started.body.run_id}`
    const refused = await client.delete(path)
    expect(refused.status).toBe(409)
    expect(refused.body.error).toMatchObject({ code: "conflict", message: expect.stringContaining("cancel") })
    expect((await client.get(path)).body.status).toBe("running")
    await client.post(`${path}/cancel`)
    expect((await client.delete(path)).status).toBe(204)
  })
})
