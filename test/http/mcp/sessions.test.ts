/** Sessions of assistants: whose they are, how they end, what is refused before one begins. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"
import { rejection } from "../../support/rejection.ts"
import { until } from "../../support/until.ts"
import { bearerOf, call, connect, MESSAGE_HEADERS, revokeBeside } from "./support.ts"

let app: TestApp
let key: Client
beforeAll(async () => {
  app = await startTestApp({ "cors-origins": "https://assistant.example" })
  key = await app.client()
  await key.index([{ name: "lease.md", data: "The notice period is three months." }])
})
afterAll(() => app.stop())

const initialize = (protocolVersion = "2025-11-25") => ({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } },
})

/** One request as it is. */
const send = (message: unknown, headers: Record<string, string> = {}, method = "POST", of = key): Promise<Response> =>
  fetch(`${app.url}/mcp`, {
    method,
    headers: { authorization: bearerOf(of), ...MESSAGE_HEADERS, ...headers },
    ...(method === "POST" ? { body: typeof message === "string" ? message : JSON.stringify(message) } : {}),
  })

async function begin(of = key): Promise<string> {
  const response = await send(initialize(), {}, "POST", of)
  await response.text()
  return response.headers.get("mcp-session-id")!
}

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }
const codeOf = async (response: Response) => [response.status, (await response.json()).error.code]

describe("before a session", () => {
  test.each(SUPPORTED_PROTOCOL_VERSIONS)("protocol version %s is agreed on", async version => {
    const response = await send(initialize(version))
    expect(await response.text()).toContain(`"protocolVersion":"${version}"`)
    const session = response.headers.get("mcp-session-id")!
    const listed = await send(list, { "mcp-session-id": session, "mcp-protocol-version": version })
    expect(await listed.text()).toContain('"name":"search"')
  })

  test("an unknown version is answered with the newest, and refused in a header", async () => {
    const response = await send(initialize("2031-01-01"))
    expect(await response.text()).toContain(`"protocolVersion":"${SUPPORTED_PROTOCOL_VERSIONS[0]}"`)
    const headers = { "mcp-session-id": response.headers.get("mcp-session-id")!, "mcp-protocol-version": "2031-01-01" }
    expect(await codeOf(await send(list, headers))).toEqual([400, "invalid_request"])
  })

  test("the three headers of a key do as well as a bearer", async () => {
    const response = await fetch(`${app.url}/mcp`, {
      method: "POST",
      headers: { ...key.credentials, ...MESSAGE_HEADERS },
      body: JSON.stringify(initialize()),
    })
    expect(response.status).toBe(200)
    await response.text()
  })

  test.each([
    ["no key", {}, 401],
    ["a wrong key", { authorization: "Bearer a.b.c" }, 401],
  ])("%s is refused", async (_, headers, status) => {
    const response = await fetch(`${app.url}/mcp`, {
      method: "POST",
      headers: { ...MESSAGE_HEADERS, ...headers },
      body: JSON.stringify(initialize()),
    })
    expect(response.status).toBe(status)
    expect(response.headers.get("www-authenticate")).toContain("Bearer")
  })

  test.each(["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", "chrome-extension://abc"])(
    "a page of %s is refused",
    async origin => {
      const response = await send(initialize(), { origin })
      expect(response.headers.get("access-control-allow-origin")).toBeNull()
      expect(await codeOf(response)).toEqual([403, "forbidden"])
    },
  )

  test("a page that a name was rebound for is refused", async () => {
    const { port } = new URL(app.url)
    const headers = { origin: `http://evil.example:${port}`, host: `evil.example:${port}` }
    expect(await codeOf(await send(initialize(), headers))).toEqual([403, "forbidden"])
  })

  test("pages of the server itself and of named origins are let in, and may read the session", async () => {
    for (const origin of ["https://assistant.example", new URL(app.url).origin]) {
      const response = await send(initialize(), { origin })
      expect(response.status).toBe(200)
      await response.text()
    }
    const response = await send(initialize(), { origin: "https://assistant.example" })
    expect(response.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id")
    await response.text()
    const asked = await fetch(`${app.url}/mcp`, {
      method: "OPTIONS",
      headers: { origin: "https://assistant.example", "access-control-request-method": "POST" },
    })
    expect(asked.headers.get("access-control-allow-headers")).toContain("mcp-session-id")
  })

  test.each([
    ["no JSON", "{", 400, "invalid_json"],
    ["a list", [initialize()], 400, "invalid_request"],
    ["no message", { hello: 1 }, 400, "invalid_request"],
    ["deep nesting", { ...initialize(), params: JSON.parse("[".repeat(70) + "]".repeat(70)) }, 400, "invalid_request"],
    ["2 MB", { ...initialize(), more: "x".repeat(2 ** 21) }, 413, "request_too_large"],
    ["a request without a session", list, 400, "invalid_request"],
  ])("%s is refused", async (_, message, status, code) => {
    expect(await codeOf(await send(message))).toEqual([status, code])
  })

  test("what is posted must be JSON, and its answer be taken as a stream", async () => {
    expect((await send(initialize(), { "content-type": "text/plain" })).status).toBe(415)
    expect((await send(initialize(), { accept: "text/html" })).status).toBe(400)
  })
})

describe("a session", () => {
  test("belongs to its key: to others it is not there", async () => {
    const session = await begin()
    const stranger = await app.client()
    for (const method of ["POST", "GET", "DELETE"])
      expect(await codeOf(await send(list, { "mcp-session-id": session }, method, stranger))).toEqual([
        404,
        "not_found",
      ])
    expect((await send(list, { "mcp-session-id": session })).status).toBe(200)
    expect((await send(list, { "mcp-session-id": "mcp_unknown" })).status).toBe(404)
  })

  test("ends by DELETE", async () => {
    const { client, transport } = await connect(app.url, key)
    expect((await call(client, "search", { query: "notice" })).data.results).toHaveLength(1)
    const session = transport.sessionId!
    await transport.terminateSession()
    await client.close()
    expect((await send(list, { "mcp-session-id": session })).status).toBe(404)
  })

  test("shows the tools that the scopes of its key allow, as they are at each request", async () => {
    const names = async (client: McpClient) => (await client.listTools()).tools.map(({ name }) => name)
    const reader = await app.client("default", { scopes: ["search"] })
    const { client } = await connect(app.url, reader)
    expect(await names(client)).toEqual(["search", "search_library"])
    await expect(call(client, "read_file", { file_id: "file_x" })).rejects.toThrow("Unknown tool")
    await expect(call(client, "add_text", { name: "x", text: "y" })).rejects.toThrow("Unknown tool")
    expect((await client.listResources()).resources).toEqual([])
    const [file] = (await call(client, "search", { query: "notice" })).data.results
    await expect(client.readResource({ uri: `carrel://file/${file.id}` })).rejects.toMatchObject({ code: -32_002 })
    await client.close()
    const uploader = await app.client("default", { scopes: ["files:write"] })
    const writing = await connect(app.url, uploader)
    expect(await names(writing.client)).toEqual(["add_text", "add_url"])
    await writing.client.close()
  })

  test("has one stream to listen to, which ends when its key is revoked", async () => {
    const revoked = await app.client()
    const session = await begin(revoked)
    const listen = () => send(undefined, { "mcp-session-id": session, accept: "text/event-stream" }, "GET", revoked)
    const stream = await listen()
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    expect(await codeOf(await listen())).toEqual([409, "conflict"])
    await revokeBeside(app, revoked)
    expect(await stream.text()).toBe(": open\n\n")
    expect((await send(list, { "mcp-session-id": session }, "POST", revoked)).status).toBe(401)
  })

  test.each([["7"], [7], ["a"], [0], ["true"]])("answers under the id of the request, %p", async id => {
    const session = await begin()
    const response = await send({ jsonrpc: "2.0", id, method: "ping" }, { "mcp-session-id": session })
    const [, data] = /^data: (.*)$/m.exec(await response.text())!
    expect(JSON.parse(data!)).toEqual({ jsonrpc: "2.0", id, result: {} })
  })

  test("takes an id once while it is waiting, so that no answer goes to another request", async () => {
    const session = await begin()
    const search = (query: string) => ({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "search", arguments: { query } },
    })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send(i % 2 ? search("notice") : { ...list, id: 7 }, { "mcp-session-id": session }),
      ),
    )
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 400])
    for (const [i, answer] of answers.entries()) {
      const text = await answer.text()
      if (answer.status === 200) expect(text).toContain(i % 2 ? "lease.md" : '"tools":[')
    }
    const after = await send(search("notice"), { "mcp-session-id": session })
    expect(after.status).toBe(200)
    await after.text()
  })

  test("counts against the rate limit of its key", async () => {
    const slow = await app.client("default", { rate_limit_per_minute: 4 })
    const { client } = await connect(app.url, slow) // initialize, initialized; the stream may come after the first list
    await client.listTools()
    const twice = client.listTools().then(() => client.listTools())
    expect((await rejection(twice)).message).toContain("rate_limited")
    await client.close()
  })

  test("is over after a restart, and the client begins a new one", async () => {
    const { client, transport } = await connect(app.url, key)
    await app.restart()
    const moved = new URL("/mcp", app.url)
    const response = await fetch(moved, {
      method: "POST",
      headers: { authorization: bearerOf(key), ...MESSAGE_HEADERS, "mcp-session-id": transport.sessionId! },
      body: JSON.stringify(list),
    })
    expect(response.status).toBe(404)
    await client.close().catch(error => expect(error).toBeInstanceOf(StreamableHTTPError))
    const again = await connect(app.url, key)
    expect((await call(again.client, "search", { query: "notice" })).data.results).toHaveLength(1)
    await again.client.close()
  })
})

test("fifty sessions search at the same time, and each gets its own answers", async () => {
  const words = Array.from({ length: 50 }, (_, i) => `wort${String.fromCharCode(97 + (i % 26))}${i}`)
  const files = await key.index(words.map((word, i) => ({ name: `f${i}.txt`, data: `Only here stands ${word}.` })))
  const clients = await Promise.all(words.map(() => connect(app.url, key)))
  await Promise.all(
    clients.map(async ({ client }, i) => {
      for (let turn = 0; turn < 4; turn++) {
        const at = (i + turn * 13) % words.length
        const { data } = await call(client, "search", { query: words[at]! })
        expect(data.results[0]).toMatchObject({ id: files[at].id })
      }
    }),
  )
  await Promise.all(clients.map(({ client }) => client.close()))
}, 60_000)

test("stopping does not wait for those who listen", async () => {
  const other = await startTestApp()
  const client = await other.client()
  const { transport } = await connect(other.url, client)
  await until(async () => transport.sessionId)
  const started = performance.now()
  await other.stop()
  expect(performance.now() - started).toBeLessThan(7_000) // a stop gives open requests eight seconds
})
