/** Questions of assistants that the library's own model answers, and how they end. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import type { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"
import type { ModelServer } from "../../support/model-server.ts"
import { startOllama } from "../../support/ollama.ts"
import { until } from "../../support/until.ts"
import { bearerOf, type Connected, call, connect, MESSAGE_HEADERS, revokeBeside } from "./support.ts"

let app: TestApp
let model: ModelServer
let key: Client
let client: McpClient
let fileId: string
const open: Connected[] = []

beforeAll(async () => {
  model = (await startOllama()).server
  app = await startTestApp({ "ollama-host": model.url })
  key = await app.client()
  const [file] = await key.index([{ name: "lease.md", data: "The notice period of the lease is three months." }])
  fileId = file.id
  client = (await connect(app.url, key)).client
  await client.listTools()
})
afterEach(async () => {
  for (const { client: each } of open.splice(0)) await each.close()
})
afterAll(async () => {
  await client.close()
  await app.stop()
  model.stop()
})

const question = (scene: string) => ({ question: `How long is the notice period of the lease? case-${scene}` })

test("an answer has its citations, each with a link, and nothing of it is kept", async () => {
  model.scenes.add("cited", { text: "It is three months [1]." })
  const { data, text } = await call(client, "ask", question("cited"))
  expect(data).toMatchObject({
    answer: "It is three months [1].",
    model: "ollama/llama3.2:3b",
    citations: [
      { index: 1, file_id: fileId, name: "lease.md", page: null, url: expect.stringContaining("/view/file_") },
    ],
    finish_reason: "stop",
  })
  expect(text).toStartWith("It is three months [1].\n\nSources:\n[1] lease.md http")
  expect((await key.get("/conversations")).body.data).toEqual([])
})

test("a context and a model can be named, and ones that are not there are told", async () => {
  model.scenes.add("narrow", { text: "Nothing." })
  const { data } = await call(client, "ask", { ...question("narrow"), context_id: "project:1", model: "qwen3:8b" })
  expect(data).toMatchObject({ model: "ollama/qwen3:8b", citations: [] })
  const unknown = await call(client, "ask", { ...question("narrow"), model: "none/such" })
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining("none/such") })
})

test("who asks for it is told how far the answer is, ever further", async () => {
  const go = Promise.withResolvers<void>()
  model.scenes.add("slow", { pieces: ["It ", "is ", "three ", "months."], held: go.promise, holdAfter: 2 })
  const told: { progress: number; message?: string }[] = []
  const args = { name: "ask", arguments: question("slow") }
  const answered = client.callTool(args, undefined, { onprogress: each => told.push(each) })
  await until(async () => told.some(({ message }) => message?.includes("characters written")))
  go.resolve()
  expect(((await answered) as CallToolResult).structuredContent).toMatchObject({ answer: "It is three months." })
  expect(told.map(({ progress }) => progress)).toEqual(told.map((_, i) => i + 1))
})

test("a cancelled question stops the model, and the session goes on", async () => {
  model.scenes.add("cancelled", { pieces: ["It ", "is "], hangAfter: 1 })
  const cancel = new AbortController()
  const args = { name: "ask", arguments: question("cancelled") }
  const answered = client.callTool(args, undefined, { signal: cancel.signal }).catch(String)
  await until(async () => model.open === 1)
  cancel.abort("enough")
  expect(await answered).toContain("enough")
  await until(async () => model.open === 0)
  expect((await call(client, "search", { query: "notice" })).data.results).toHaveLength(1)
})

const asking = (id: number, scene: string) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "ask", arguments: question(scene) } })

test("a client that leaves stops the model", async () => {
  model.scenes.add("left", { pieces: ["It ", "is "], hangAfter: 1 })
  const { transport } = await connect(app.url, key)
  const leave = new AbortController()
  const headers = { ...MESSAGE_HEADERS, authorization: bearerOf(key), "mcp-session-id": transport.sessionId! }
  const body = asking(9, "left")
  const asked = fetch(`${app.url}/mcp`, { method: "POST", headers, body, signal: leave.signal }).catch(() => {})
  await until(async () => model.open === 1)
  leave.abort()
  await asked
  await until(async () => model.open === 0)
})

test("the end of a session stops the model", async () => {
  model.scenes.add("ended", { pieces: ["It ", "is "], hangAfter: 1 })
  const connected = await connect(app.url, key)
  const answered = connected.client.callTool({ name: "ask", arguments: question("ended") }).catch(String)
  await until(async () => model.open === 1)
  await connected.transport.terminateSession()
  await until(async () => model.open === 0)
  await connected.client.close()
  await answered
})

test("a revoked key ends its question, and stops the model", async () => {
  model.scenes.add("revoked", { pieces: ["It ", "is "], hangAfter: 1 })
  const other = await app.client()
  const { transport } = await connect(app.url, other)
  const headers = { ...MESSAGE_HEADERS, authorization: bearerOf(other), "mcp-session-id": transport.sessionId! }
  const answer = await fetch(`${app.url}/mcp`, { method: "POST", headers, body: asking(9, "revoked") })
  await until(async () => model.open === 1)
  await revokeBeside(app, other)
  expect(await answer.text()).not.toContain("result")
  await until(async () => model.open === 0)
})

test("a model that fails is told as an error of the tool", async () => {
  model.scenes.add("failed", { status: 500, error: "the runner has terminated" })
  expect(await call(client, "ask", question("failed"))).toMatchObject({
    isError: true,
    text: expect.stringContaining("the runner has terminated"),
  })
})

test("without the scope chat there is no such tool", async () => {
  const connected = await connect(app.url, await app.client("default", { scopes: ["search", "files:read"] }))
  open.push(connected)
  const { tools } = await connected.client.listTools()
  expect(tools.map(({ name }) => name)).not.toContain("ask")
  await expect(call(connected.client, "ask", question("cited"))).rejects.toThrow("Unknown tool")
})
