/** What lies outside of a narrow key or a token is not there for the assistant that has it. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import type { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"
import { bearerOf, call, connect, MESSAGE_HEADERS } from "./support.ts"

let app: TestApp
let whole: Client
const ids: Record<string, string> = {}
const open: McpClient[] = []

beforeAll(async () => {
  app = await startTestApp()
  whole = await app.client()
  const add = async (name: string, fields: Record<string, string>) => {
    const [file] = await whole.index([{ name, data: `heron,${name}\n1,2\n` }], fields)
    ids[name] = file.id
  }
  await add("all.csv", { context_id: "a" })
  await add("hr.csv", { context_id: "a", acl: '["group:hr"]' })
  await add("other.csv", { context_id: "b" })
})
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})
afterAll(() => app.stop())

async function assistant(of: Client): Promise<McpClient> {
  const { client } = await connect(app.url, of)
  open.push(client)
  await client.listTools()
  return client
}

/** Names that each way to files shows, which must be the same. */
async function seen(client: McpClient): Promise<string[]> {
  const names = (files: { name?: string; title?: string }[]) =>
    [...new Set(files.map(({ name, title }) => name ?? title!))].sort()
  const listed = await call(client, "list_files")
  expect(listed.data.total).toBe(listed.data.files.length)
  const files = names(listed.data.files)
  expect(names((await call(client, "search", { query: "heron" })).data.results)).toEqual(files)
  expect(names((await call(client, "search_library", { query: "heron" })).data.hits)).toEqual(files)
  expect(names((await client.listResources()).resources)).toEqual(files)
  for (const [name, id] of Object.entries(ids)) {
    const isSeen = files.includes(name)
    expect([name, (await call(client, "fetch", { id })).isError]).toEqual([name, !isSeen])
    expect([name, (await call(client, "read_file", { file_id: id })).isError]).toEqual([name, !isSeen])
    const table = await call(client, "query_table", { file_id: id, sql: "select 1" })
    expect([name, table.isError]).toEqual([name, !isSeen])
    const read = client.readResource({ uri: `carrel://file/${id}` }).then(
      () => true,
      () => false,
    )
    expect([name, await read]).toEqual([name, isSeen])
  }
  return files
}

test("the same files are seen on every way, as far as key and token go", async () => {
  expect(await seen(await assistant(whole))).toEqual(["all.csv", "hr.csv", "other.csv"])
  expect(await seen(await assistant(await app.client("default", { context_ids: ["a"] })))).toEqual([
    "all.csv",
    "hr.csv",
  ])
  expect(await seen(await assistant(await whole.scoped({ principals: [] })))).toEqual(["all.csv", "other.csv"])
  const hr = await whole.scoped({ principals: ["group:hr"], context_ids: ["a"] })
  expect(await seen(await assistant(hr))).toEqual(["all.csv", "hr.csv"])
  const filter = { type: "eq", key: "file.name", value: "other.csv" } as const
  expect(await seen(await assistant(await whole.scoped({ filter })))).toEqual(["other.csv"])
}, 30_000)

test("a text is added inside alone", async () => {
  const narrow = await app.client("default", { context_ids: ["a"] })
  const client = await assistant(narrow)
  const outside = await call(client, "add_text", { name: "x", text: "y", context_id: "b" })
  expect(outside.isError).toBe(true)
  const { data } = await call(client, "add_text", { name: "note", text: "inside" })
  expect((await whole.get(`/libraries/${data.file_id}`)).body.context_id).toBe("a")
  await whole.delete(`/libraries/${data.file_id}`)
})

test("a session of a token is not there for its key, nor for another token, nor the other way round", async () => {
  const callers = [whole, await whole.scoped({}), await whole.scoped({ principals: [] })]
  const sessions: string[] = []
  for (const caller of callers) {
    const { client, transport } = await connect(app.url, caller)
    open.push(client)
    sessions.push(transport.sessionId!)
  }
  for (const [i, caller] of callers.entries())
    for (const [j, session] of sessions.entries()) {
      const headers = { ...MESSAGE_HEADERS, authorization: bearerOf(caller), "mcp-session-id": session }
      const body = JSON.stringify({ jsonrpc: "2.0", id: 51, method: "ping" })
      const response = await fetch(`${app.url}/mcp`, { method: "POST", headers, body })
      await response.text()
      expect([i, j, response.status]).toEqual([i, j, i === j ? 200 : 404])
    }
})
