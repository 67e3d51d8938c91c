/** Assistants' own clients of the Model Context Protocol: the inspector, and the official one of Python. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join, resolve } from "node:path"
import { startTestApp, type TestApp } from "../support/app.ts"
import { COMMAND } from "../support/daemon.ts"
import { npmClients, python, runPython } from "./installed.ts"

const DOCUMENTS = resolve(import.meta.dir, "../fixtures/documents")

let app: TestApp
let token: string
beforeAll(async () => {
  app = await startTestApp()
  const client = await app.client()
  token = client.key.token
  const names = ["lease.txt", "rents.csv"]
  await client.index(
    await Promise.all(names.map(async name => ({ name, data: await Bun.file(join(DOCUMENTS, name)).bytes() }))),
  )
})
afterAll(() => app.stop())

const READING = ["ask", "fetch", "list_files", "query_table", "read_file", "search", "search_library"]
const TOOLS = ["add_text", "add_url", ...READING]

describe.skipIf(!npmClients)("the inspector", () => {
  const INSPECTOR = join(
    npmClients ?? "",
    "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
  )

  /** What it prints of a method, as JSON. */
  async function inspect(...args: string[]) {
    const header = ["--header", `Authorization: Bearer ${token}`]
    const child = Bun.spawn(
      ["node", INSPECTOR, "--cli", `${app.url}/mcp`, "--transport", "http", ...header, "--method", ...args],
      { stdin: "ignore", stdout: "pipe", stderr: "pipe", env: { ...process.env, HOME: app.data } },
    )
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if ((await child.exited) !== 0) throw new Error(err || out)
    return JSON.parse(out)
  }

  test("lists the tools, whose schemas every client takes", async () => {
    const { tools } = await inspect("tools/list", "--strict")
    expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(TOOLS)
  }, 60_000)

  test("calls a tool, and reads a resource", async () => {
    const args = ["--tool-name", "search", "--tool-arg", "query=rent of the attic"]
    const { structuredContent } = await inspect("tools/call", ...args)
    const [{ id, title }] = structuredContent.results
    const { contents } = await inspect("resources/read", "--uri", `carrel://file/${id}`)
    expect(contents[0].text.length).toBeGreaterThan(10)
    const { resources } = await inspect("resources/list")
    expect(resources.map(({ name }: { name: string }) => name)).toContain(title)
  }, 60_000)
})

test.skipIf(!python)(
  "the Python client works over HTTP and by `carrel mcp`",
  async () => {
    const settings = { URL: `${app.url}/mcp`, TOKEN: token, COMMAND: JSON.stringify(COMMAND) }
    const { http, stdio } = await runPython("assistant.py", settings)
    expect(http).toEqual({
      tools: TOOLS,
      read_only: READING,
      title: "lease.txt",
      url: true,
      same: true,
      text: true,
      wrong: true,
      resources: 2,
      template: "carrel://file/{id}",
      read: true,
      missing: -32_002,
    })
    expect(stdio).toEqual(http)
  },
  60_000,
)
