/** Sessions of assistants in a cluster: each lives on one node, and is asked on any. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { ApiKeys, ensureWorkspace } from "../../../src/access/keys.ts"
import type { Database } from "../../../src/storage/database.ts"
import { openPostgres } from "../../../src/storage/postgres/open.ts"
import { Client } from "../../support/app.ts"
import { postgres } from "../../support/engines.ts"
import { type LiveNode, spawnLiveNode, startLiveNode } from "../../support/live-node.ts"
import { type OllamaStandIn, startOllama } from "../../support/ollama.ts"
import { until } from "../../support/until.ts"
import { bearerOf, connect, MESSAGE_HEADERS } from "./support.ts"

const url = await postgres()
const stack = new AsyncDisposableStack()
let database: Database
let ollama: OllamaStandIn
let [a, b] = [] as unknown as [LiveNode, LiveNode]
let key: Client

beforeAll(async () => {
  if (!url) return
  ollama = await startOllama()
  stack.defer(() => ollama.server.stop())
  database = stack.adopt(await openPostgres(url, { poolSize: 2 }), each => each.destroy())
  const options = { database: url, ollama: ollama.server.url }
  a = stack.adopt(await startLiveNode(options), node => node.stop())
  b = stack.adopt(await startLiveNode(options), node => node.stop())
  const made = await new ApiKeys(database).create(await ensureWorkspace(database, "default"), { name: "test" })
  key = new Client(() => a.url, made)
})
afterAll(() => stack.disposeAsync())

const send = (node: { url: string }, session: string, message: object | undefined, method = "POST", of = key) =>
  fetch(`${node.url}/mcp`, {
    method,
    headers: { ...MESSAGE_HEADERS, authorization: bearerOf(of), "mcp-session-id": session },
    ...(message ? { body: JSON.stringify(message) } : {}),
  })
const list = { jsonrpc: "2.0", id: 41, method: "tools/list" }

describe.skipIf(!url)("a session of one node", () => {
  test("is answered by the other, to its key alone", async () => {
    const { client, transport } = await connect(a.url, key)
    const session = transport.sessionId!
    const listed = await send(b, session, list)
    expect([listed.status, listed.headers.get("mcp-session-id")]).toEqual([200, session])
    expect(await listed.text()).toContain('"name":"search_library"')
    expect((await send(b, session, { jsonrpc: "2.0", method: "notifications/roots/list_changed" })).status).toBe(202)
    const other = new Client(
      () => b.url,
      await new ApiKeys(database).create(await ensureWorkspace(database, "default"), { name: "other" }),
    )
    expect((await send(b, session, list, "POST", other)).status).toBe(404)
    expect((await send(b, `${session}x`, list)).status).toBe(404)
    expect((await send(b, session, { hello: 1 })).status).toBe(400)
    expect((await send(b, session, undefined, "DELETE")).status).toBe(204)
    for (const node of [a, b]) expect((await send(node, session, list)).status).toBe(404)
    await client.close()
  })

  test("can be cancelled at the other, which stops the model", async () => {
    ollama.server.scenes.add("nodes", { pieces: ["It ", "is "], hangAfter: 1 })
    const { client, transport } = await connect(a.url, key)
    const asked = { question: "case-nodes", model: "llama3.2:3b" }
    const message = { jsonrpc: "2.0", id: 42, method: "tools/call", params: { name: "ask", arguments: asked } }
    const answer = await send(b, transport.sessionId!, message)
    await until(async () => ollama.server.open === 1)
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 42 } }
    expect((await send(a, transport.sessionId!, cancel)).status).toBe(202)
    await until(async () => ollama.server.open === 0)
    expect(await answer.text()).not.toContain('"result"')
    await client.close()
  })

  test("whose client leaves the other node stops the model", async () => {
    ollama.server.scenes.add("gone", { pieces: ["It ", "is "], hangAfter: 1 })
    const { client, transport } = await connect(a.url, key)
    const params = { name: "ask", arguments: { question: "case-gone" } }
    const leave = new AbortController()
    const left = fetch(`${b.url}/mcp`, {
      method: "POST",
      headers: { ...MESSAGE_HEADERS, authorization: bearerOf(key), "mcp-session-id": transport.sessionId! },
      body: JSON.stringify({ jsonrpc: "2.0", id: 43, method: "tools/call", params }),
      signal: leave.signal,
    }).catch(() => {})
    await until(async () => ollama.server.open === 1)
    leave.abort()
    await left
    await until(async () => ollama.server.open === 0)
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(3)
    await client.close()
  })

  test("is over when the node is, as the other says", async () => {
    const c = await spawnLiveNode({ database: url!, ollama: ollama.server.url })
    const { client, transport } = await connect(c.url, key)
    const session = transport.sessionId!
    const listed = await send(b, session, list)
    expect(await listed.text()).toContain('"name":"ask"')
    await c.stop()
    expect((await send(b, session, list)).status).toBe(404)
    await client.close().catch(() => {})
    const again = await connect(b.url, key)
    expect(((await again.client.callTool({ name: "search", arguments: {} })) as CallToolResult).isError).toBe(true)
    await again.client.close()
  }, 30_000)
})
