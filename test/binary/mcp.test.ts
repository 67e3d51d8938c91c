/** The Model Context Protocol of the executable itself: its HTTP endpoint, and `carrel mcp` on standard input and output. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { call } from "../http/mcp/support.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"

let path: string
let daemon: Daemon | undefined

beforeAll(async () => {
  path = await executable()
}, BUILD_TIMEOUT_MS)
afterAll(() => daemon?.remove())

const COMMANDS = { CARREL_EMBEDDING_TIER: "fast", CARREL_RERANK: "off", PATH: "/usr/bin:/bin" }

test("an assistant searches over HTTP, through `carrel mcp`, and on the directory of the stopped daemon", async () => {
  daemon = await startDaemon([], { command: [path], env: { PATH: "/usr/bin:/bin" } })
  const { url, credentials, data } = daemon
  await daemon.index("lease.md", "The notice period is three months.")
  const token = [credentials["client-id"], credentials["private-key"], credentials.secret].join(".")
  const headers = { authorization: `Bearer ${token}` }
  const found = async (transport: StdioClientTransport | StreamableHTTPClientTransport) => {
    const client = new Client({ name: "test", version: "1" })
    await client.connect(transport)
    await client.listTools() // from here on results are held to their schemas
    const { data: results } = await call(client, "search", { query: "notice period" })
    const text = await call(client, "fetch", { id: results.results[0].id })
    await client.close()
    return text.data.text
  }
  const started = (args: string[], env: Record<string, string>) =>
    new StdioClientTransport({ command: path, args: ["mcp", ...args], env: { ...COMMANDS, ...env }, stderr: "inherit" })
  const http = new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } })
  expect(await found(http)).toContain("three months")
  expect(await found(started(["--url", url], { CARREL_TOKEN: token }))).toContain("three months")
  await daemon.stop()
  expect(await found(started(["--data", data], {}))).toContain("three months")
}, 120_000)
