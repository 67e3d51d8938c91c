/** Where redaction is enforced, nothing private leaves by the tools and resources of assistants. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import { startTestApp, type TestApp } from "../../support/app.ts"
import { call, connect } from "./support.ts"

const SECRET = "anna.berg@example.com"
const FILLER = "The boats lie in the harbor. "

let app: TestApp
let client: McpClient
let letter: { id: string }
let table: { id: string }
let long: { id: string }

beforeAll(async () => {
  app = await startTestApp({ "enforce-redaction": "true" })
  const key = await app.client()
  const labels = { tags: SECRET, metadata: JSON.stringify({ contact: SECRET }) }
  ;[letter] = (await key.index([{ name: `${SECRET}.md`, data: `Write to ${SECRET} about the boats.\n` }], labels)) as [
    never,
  ]
  ;[table] = (await key.index([{ name: "people.csv", data: `name,${SECRET}\nboat,${SECRET}\n` }])) as [never]
  ;[long] = (await key.index([{ name: "long.txt", data: `${FILLER}${SECRET} `.repeat(2_000) }])) as [never]
  client = (await connect(app.url, key)).client
  await client.listTools()
})
afterAll(async () => {
  await client.close()
  await app.stop()
})

/** The name before the sign, and parts of it. */
const LEAK = /anna|berg|berg@|@example/i

test.each([
  ["search", () => ({ query: "write about the boats" })],
  ["search_library", () => ({ query: "write about the boats" })],
  ["fetch", () => ({ id: letter.id })],
  ["read_file", () => ({ file_id: letter.id })],
  ["list_files", () => ({})],
  ["query_table", () => ({ file_id: table.id, sql: "select * from data" })],
])("%s shows nothing of it", async (name, args) => {
  const { data, text } = await call(client, name, args())
  const shown = JSON.stringify(data) + text
  expect(shown).toContain("[REDACTED_EMAIL]")
  expect(shown).not.toMatch(LEAK)
})

test("errors show nothing of it", async () => {
  const unknown = await call(client, "query_table", { file_id: letter.id, sql: "select 1" })
  expect(unknown.isError).toBe(true)
  expect(unknown.text).toContain("[REDACTED_EMAIL]")
  expect(unknown.text).not.toMatch(LEAK)
})

test("resources and their names show nothing of it", async () => {
  const { resources } = await client.listResources()
  expect(JSON.stringify(resources)).not.toMatch(LEAK)
  const { contents } = await client.readResource({ uri: `carrel://file/${letter.id}` })
  expect(contents[0]).toMatchObject({ text: expect.stringContaining("[REDACTED_EMAIL]") })
  expect(JSON.stringify(contents)).not.toMatch(LEAK)
})

test("no part of a file shows a part of it, wherever the part begins and ends", async () => {
  const at = FILLER.length
  for (let cut = 0; cut <= SECRET.length; cut += 3) {
    const before = await call(client, "read_file", { file_id: long.id, start: 0, end: at + cut || 1 })
    const after = await call(client, "read_file", { file_id: long.id, start: at + cut, end: at + SECRET.length + 20 })
    expect([cut, before.data.text, after.data.text].join()).not.toMatch(LEAK)
  }
  const inside = await call(client, "read_file", { file_id: long.id, start: at + 2, end: at + 8 })
  expect(inside.data.text).toBe("[REDACTED_EMAIL]")
})

test("a long text read on from next_start shows nothing of it, and stays below 100 KB", async () => {
  let parts = 0
  for (let start: number | undefined = 0; start !== undefined; parts++) {
    const { data, bytes } = await call(client, "read_file", { file_id: long.id, start })
    expect(bytes).toBeLessThan(100_000)
    expect(data.text).not.toMatch(LEAK)
    start = data.next_start
  }
  expect(parts).toBeGreaterThan(1)
}, 60_000)
