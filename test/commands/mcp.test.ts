/** `carrel mcp`: an assistant on standard input and output, beside a daemon and on a stopped one's directory. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { call } from "../http/mcp/support.ts"
import { COMMAND, type Daemon, startDaemon } from "../support/daemon.ts"
import { carrel } from "./carrel.ts"

let daemon: Daemon
let token: string
let leaseId: string

beforeAll(async () => {
  daemon = await startDaemon()
  const { credentials } = daemon
  token = [credentials["client-id"], credentials["private-key"], credentials.secret].join(".")
  leaseId = (await daemon.index("lease.md", "The notice period is three months.")).id
  await daemon.index("prices.csv", "item,price\npen,1.25\nink,2.50\n")
}, 60_000)
afterAll(() => daemon.remove())

const ENVIRONMENT = { CARREL_EMBEDDING_TIER: "fast", CARREL_RERANK: "off", CARREL_OLLAMA_HOST: "http://127.0.0.1:9" }

interface Assistant {
  client: Client
  /** What it wrote to standard error. */
  errors(): string
}

async function assistant(args: string[], env: Record<string, string> = {}): Promise<Assistant> {
  const [command, ...first] = COMMAND
  const transport = new StdioClientTransport({
    command: command!,
    args: [...first, "mcp", ...args],
    env: { PATH: Bun.env.PATH ?? "", ...ENVIRONMENT, ...env },
    stderr: "pipe",
  })
  let errors = ""
  transport.stderr!.on("data", part => (errors += part))
  const client = new Client({ name: "test", version: "1" })
  client.onerror = error => {
    throw error // something on standard output is no message
  }
  await client.connect(transport)
  return { client, errors: () => errors }
}

describe("beside a daemon", () => {
  test("passes on what its key may do, and tells the token nobody", async () => {
    const { client, errors } = await assistant(["--url", daemon.url], { CARREL_TOKEN: token })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain("add_text")
    const { data } = await call(client, "search", { query: "notice period" })
    expect(data.results[0]).toMatchObject({ id: leaseId, title: "lease.md" })
    expect((await client.listResources()).resources).toHaveLength(2)
    await client.close()
    expect(errors()).not.toContain(token.split(".")[2]!)
  }, 30_000)

  test("finds the daemon of its directory by itself", async () => {
    const { client } = await assistant(["--data", daemon.data], { CARREL_TOKEN: token })
    expect((await call(client, "fetch", { id: leaseId })).data.text).toContain("three months")
    await client.close()
    const without = await carrel(["mcp"], { data: daemon.data, input: "" })
    expect(without).toMatchObject({ code: 1, out: "", err: expect.stringContaining("CARREL_TOKEN") })
  }, 30_000)

  test("goes on with a daemon that was started anew", async () => {
    const port = new URL(daemon.url).port
    const { client } = await assistant(["--url", daemon.url, "--token", token])
    expect((await call(client, "search", { query: "notice" })).data.results).not.toEqual([])
    await daemon.stop()
    await expect(call(client, "search", { query: "notice" })).rejects.toThrow("cannot be reached")
    await daemon.start("--port", port)
    const answers = await Promise.all([1, 2, 3].map(() => call(client, "search", { query: "notice" })))
    for (const { data } of answers) expect(data.results[0]).toMatchObject({ id: leaseId })
    await client.close()
  }, 60_000)

  test("says what the daemon refuses", async () => {
    await expect(assistant(["--url", daemon.url], { CARREL_TOKEN: "a.b.c" })).rejects.toThrow("401")
    expect(await carrel(["mcp", "--url", daemon.url])).toMatchObject({ code: 2, out: "" })
    expect(await carrel(["mcp", "--url", "nowhere"], { env: { CARREL_TOKEN: token } })).toMatchObject({ code: 2 })
  }, 30_000)

  test("a call that was cancelled gets no answer, and is no trouble", async () => {
    const begun = Promise.withResolvers<ReadableStreamDefaultController>()
    using far = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const { id, method, params } = JSON.parse((await request.text()) || "{}")
        const events = (body: string | ReadableStream) =>
          new Response(body, { headers: { "content-type": "text/event-stream" } })
        const answer = (result: object) => events(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`)
        if (method === "tools/call")
          return events(
            new ReadableStream({
              start(control) {
                control.enqueue(": open\n\n")
                begun.resolve(control)
              },
            }),
          )
        if (method === "notifications/cancelled") (await begun.promise).close()
        if (id === undefined) return new Response(null, { status: 202 })
        if (method === "ping") return answer({})
        const { protocolVersion } = params
        return answer({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "far", version: "1" } })
      },
    })
    const { client, errors } = await assistant(["--url", far.url.origin], { CARREL_TOKEN: "t" })
    const cancel = new AbortController()
    const called = client.callTool({ name: "slow" }, undefined, { signal: cancel.signal }).catch(String)
    await begun.promise
    cancel.abort("enough")
    expect(await called).toContain("enough")
    for (let i = 0; i < 5; i++) await client.ping()
    await client.close()
    expect(errors()).toBe("")
  }, 30_000)

  test("answers what was asked before standard input closed, and nothing else stands on standard output", async () => {
    const message = (id: number, method: string, params = {}) => JSON.stringify({ jsonrpc: "2.0", id, method, params })
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
    const begun = await carrel(["mcp", "--url", daemon.url], {
      env: { CARREL_TOKEN: token },
      input: `${message(1, "initialize", hello)}\nno JSON\n`,
    })
    expect(begun.code).toBe(0)
    const lines = begun.out.trim().split("\n")
    expect(lines.map(line => JSON.parse(line).id)).toEqual([1])
    expect(begun.err).toContain("cannot be read")
  }, 30_000)
})

describe("on the directory of a stopped daemon", () => {
  const recordsOf = (data: string) =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !/native|daemon\.|lock|-wal$|-shm$/.test(join(entry.parentPath, entry.name)))
      .map(entry => join(entry.parentPath, entry.name))
      .sort()

  test("reads, and changes nothing", async () => {
    await daemon.stop()
    const files = recordsOf(daemon.data)
    const before = files.map(path => Bun.hash(readFileSync(path)))
    const { client } = await assistant(["--data", daemon.data])
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      ...["search", "fetch", "search_library", "read_file", "list_files", "query_table"],
    ])
    const { data } = await call(client, "search", { query: "notice period" })
    expect(data.results[0]).toEqual({
      id: leaseId,
      title: "lease.md",
      url: `carrel://file/${leaseId}`,
    })
    expect((await call(client, "fetch", { id: leaseId })).data.text).toContain("three months")
    const { data: files2 } = await call(client, "list_files", { type: "csv" })
    const sum = { file_id: files2.files[0].id, sql: "select sum(price) from data" }
    expect((await call(client, "query_table", sum)).data.rows).toEqual([[3.75]])
    const uri = (await client.listResources()).resources.find(({ name }) => name === "lease.md")!.uri
    expect((await client.readResource({ uri })).contents[0]).toMatchObject({ text: expect.stringContaining("notice") })
    await client.close()
    expect(recordsOf(daemon.data)).toEqual(files)
    expect(files.filter((path, i) => Bun.hash(readFileSync(path)) !== before[i])).toEqual([])
    expect(statSync(daemon.data).isDirectory()).toBe(true)
    await daemon.start()
  }, 60_000)

  test("says which workspace and which directory there is not", async () => {
    const nowhere = await carrel(["mcp", "--data", join(daemon.data, "nowhere")], { input: "" })
    expect(nowhere).toMatchObject({ code: 2, out: "", err: expect.stringContaining("there is no Carrel") })
    await daemon.stop()
    const other = await carrel(["mcp", "--workspace", "none"], { data: daemon.data, input: "" })
    expect(other).toMatchObject({ code: 2, out: "", err: expect.stringContaining("no workspace") })
    await daemon.start()
  }, 60_000)
})
