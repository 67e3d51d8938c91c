import { afterEach, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { wholeOf } from "../../src/access/view.ts"
import { McpTools } from "../../src/agents/mcp.ts"
import { type McpServer, readMcpConfig } from "../../src/agents/mcp-config.ts"
import { fromStore } from "../../src/guarded.ts"
import { setLogLevel, setLogSink } from "../../src/log.ts"
import { callTool, type ExternalTool, type ToolContext } from "../../src/tools/tool.ts"
import { createServer } from "../fixtures/mcp/stdio-server.ts"
import { evaluatorInProcess, inOrder, scriptedModel, startHarness } from "./support.ts"

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const STDIO: McpServer = {
  name: "local",
  command: process.execPath,
  args: [new URL("../fixtures/mcp/stdio-server.ts", import.meta.url).pathname],
  env: {},
}

function mcp(...servers: McpServer[]): McpTools {
  const tools = new McpTools(servers, "0.0.0")
  closing.push(() => tools.close())
  return tools
}

const context = {
  view: wholeOf("ws_1"),
  signal: new AbortController().signal,
  evaluator: evaluatorInProcess,
} as ToolContext
const named = (tools: ExternalTool[], name: string) => tools.find(tool => tool.name === name)!
const call = (tool: ExternalTool, args: Record<string, unknown>, timeoutMs?: number) =>
  callTool(tool, fromStore(args), context, timeoutMs)

test("tools of a server on standard input and output join as server.tool, and its failures are told", async () => {
  const tools = await mcp(STDIO).tools()
  expect(tools.map(tool => tool.name)).toEqual([
    "local.echo",
    "local.fail",
    "local.hang",
    "local.large",
    "local.exit",
    "local.note",
  ])
  expect(await call(named(tools, "local.echo"), { word: "hello" })).toMatchObject({
    isError: false,
    result: expect.stringContaining("hello from"),
  })
  expect(await call(named(tools, "local.echo"), { wort: "hello" })).toMatchObject({
    isError: true,
    result: expect.stringContaining("word"),
  })
  expect(await call(named(tools, "local.fail"), {})).toEqual({ isError: true, result: "no such page", fileIds: [] })
  expect(await call(named(tools, "local.hang"), {}, 200)).toMatchObject({
    isError: true,
    result: expect.stringContaining("0.2 s"),
  })
}, 20_000)

describe.each([true, false])("large results, answers as JSON: %p", enableJsonResponse => {
  const overHttp = async (): Promise<McpServer> => {
    const http = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse })
        await createServer().connect(transport)
        return transport.handleRequest(request)
      },
    })
    closing.push(() => http.stop(true))
    return { name: "wiki", url: http.url, headers: {} }
  }

  test.each(["local", "wiki"])(
    "of several MB are cut and told, beyond 10 MB refused, and %s answers on",
    async name => {
      const provider = mcp(name === "local" ? STDIO : await overHttp())
      const tools = await provider.tools()
      const large = (megabytes: number) => call(named(tools, `${name}.large`), { megabytes })
      const cut = await large(6)
      expect(cut.isError).toBe(false)
      expect(cut.result).toStartWith("word (1) word (1) ")
      expect(cut.result).toContain("cut here: the whole result has 6291450 characters; ask for less")
      expect(cut.result.length).toBeLessThan(20_200)
      expect(await large(12)).toEqual({
        isError: true,
        fileIds: [],
        result: "The result of this tool has more than 10 MB and was not read. Ask for less.",
      })
      const after = named(await provider.tools(), `${name}.echo`)
      expect(await call(after, { word: "still" })).toMatchObject({ isError: false })
    },
    30_000,
  )
})

test("a server that died is started again", async () => {
  const provider = mcp(STDIO)
  const first = await provider.tools()
  expect(await call(named(first, "local.exit"), {})).toMatchObject({ isError: true })
  expect(await call(named(await provider.tools(), "local.echo"), { word: "again" })).toMatchObject({
    isError: false,
  })
}, 20_000)

test("tools of a server over streamable HTTP join with its headers sent, and go when it does not answer", async () => {
  const seen: (string | null)[] = []
  const http = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      seen.push(request.headers.get("x-token"))
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
      await createServer().connect(transport)
      return transport.handleRequest(request)
    },
  })
  closing.push(() => http.stop(true))
  const provider = mcp(
    { name: "wiki", url: http.url, headers: { "x-token": "t" } },
    { name: "dead", url: new URL("http://127.0.0.1:9/"), headers: {} },
  )
  const tools = await provider.tools()
  expect(await call(named(tools, "wiki.echo"), { word: "hi" })).toMatchObject({ isError: false })
  expect(new Set(seen)).toEqual(new Set(["t"]))
  expect(tools.some(tool => tool.name.startsWith("dead."))).toBe(false)
  expect(provider.problemOf("dead.page")).toContain("does not answer")
}, 20_000)

test.each([
  [undefined, ["local.note"]], // the server declares it to be destructive
  ["never", []],
  ["always", ["local.echo", "local.fail", "local.hang", "local.large", "local.exit", "local.note"]],
  [["echo"], ["local.echo"]],
] as const)(
  "with approval %p these calls wait for a person: %p",
  async (approval, expected) => {
    const tools = await mcp({ ...STDIO, ...(approval ? { approval } : {}) }).tools()
    expect(tools.filter(tool => tool.needsApproval).map(tool => tool.name)).toEqual([...expected])
  },
  20_000,
)

test("a tool whose schema is nested too deep is left out, and such a result is an error of the call", async () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
  const results: Record<string, string> = {
    initialize:
      '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"deep","version":"1"}}',
    "tools/list": `{"tools":[{"name":"odd","inputSchema":{"type":"object","default":${deep(200_000)}}},{"name":"fine","inputSchema":{"type":"object"}}]}`,
    "tools/call": `{"content":[],"structuredContent":${deep(200_000)}}`,
  }
  const http = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 })
      const { id, method } = (await request.json()) as { id?: number; method: string }
      if (id === undefined) return new Response(null, { status: 202 })
      const body = `{"jsonrpc":"2.0","id":${id},"result":${results[method]}}`
      return new Response(body, { headers: { "content-type": "application/json" } })
    },
  })
  closing.push(() => http.stop(true))
  const tools = await mcp({ name: "deep", url: http.url, headers: {} }).tools()
  expect(tools.map(tool => tool.name)).toEqual(["deep.fine"])
  expect(await call(tools[0]!, {})).toEqual({
    isError: true,
    fileIds: [],
    result: "The result of this tool is nested deeper than 64 levels.",
  })
}, 20_000)

test("a run uses external tools only where it names them", async () => {
  const model = scriptedModel(
    inOrder([{ calls: [{ name: "local.echo", arguments: { word: "hey" } }] }, { text: "ok" }, { text: "ok" }]),
  )
  const { runs, caller, stop } = await startHarness(model, [], { external: mcp(STDIO) })
  closing.push(stop)
  const run = await runs.runToEnd(caller, { task: "t", tools: ["local.echo"] }, context.signal)
  expect(run.steps).toMatchObject([{ name: "local.echo", is_error: false }])
  await runs.runToEnd(caller, { task: "t" }, context.signal)
  expect(model.requests.at(-1)!.tools!.some(tool => tool.name.includes("."))).toBe(false)
  expect(runs.runToEnd(caller, { task: "t", tools: ["local.nothing"] }, context.signal)).rejects.toMatchObject({
    code: "invalid_request",
  })
}, 20_000)

test("the configuration file is checked, and --offline refuses servers on other machines", () => {
  const folder = mkdtempSync(join(tmpdir(), "carrel-mcp-"))
  closing.push(() => rmSync(folder, { recursive: true }))
  const read = (content: unknown, offline = false) => {
    const path = join(folder, "mcp.json")
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
    return readMcpConfig(path, offline)
  }
  expect(
    read({ mcpServers: { a: { command: "x" }, b: { url: "https://wiki.example/mcp", headers: { k: "v" } } } }),
  ).toEqual([
    { name: "a", command: "x", args: [], env: {} },
    { name: "b", url: new URL("https://wiki.example/mcp"), headers: { k: "v" } },
  ])
  for (const bad of [
    "{",
    {},
    { mcpServers: { "a.b": { command: "x" } } },
    { mcpServers: { a: {} } },
    { mcpServers: { a: { url: "ftp://x" } } },
    { mcpServers: { a: { command: "x", args: [1] } } },
    { mcpServers: { a: { command: "x", approval: "sometimes" } } },
    { mcpServers: { a: { command: "x", approval: [1] } } },
  ])
    expect(() => read(bad)).toThrow("--mcp-config")
  expect(() => read({ mcpServers: { b: { url: "https://wiki.example/mcp" } } }, true)).toThrow("--offline")
  expect(
    read({ mcpServers: { b: { url: "http://127.0.0.1:1/mcp" }, c: { url: "http://localhost/x" } } }, true),
  ).toHaveLength(2)
})

test("a server that does not answer is one line of the log, however often it is asked, and one when it answers again", async () => {
  const lines: { level: string; message: string; server: string; reason?: string }[] = []
  setLogSink(line => void lines.push(JSON.parse(line)))
  setLogLevel("info")
  const serve = (port: number) =>
    Bun.serve({
      port,
      hostname: "127.0.0.1",
      async fetch(request) {
        const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
        await createServer().connect(transport)
        return transport.handleRequest(request)
      },
    })
  try {
    const first = serve(0)
    const port = first.port!
    await first.stop(true)
    const provider = mcp({ name: "wiki", url: new URL(`http://127.0.0.1:${port}/`), headers: {} })
    for (let run = 0; run < 20; run++) expect(await provider.tools()).toEqual([])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ level: "warn", message: "an MCP server does not answer", server: "wiki" })
    expect(lines[0]!.reason).toMatch(/^[^\n]{1,300}$/)
    expect(JSON.stringify(lines)).not.toContain("    at ")
    const again = serve(port)
    closing.push(() => again.stop(true))
    expect((await provider.tools()).length).toBeGreaterThan(0)
    await provider.tools()
    expect(lines.slice(1)).toMatchObject([{ level: "info", message: "an MCP server answers again", server: "wiki" }])
  } finally {
    setLogSink(line => void process.stdout.write(`${line}\n`))
    setLogLevel("error")
  }
}, 30_000)
