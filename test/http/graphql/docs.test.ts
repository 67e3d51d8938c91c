/** What docs/graphql.md shows is executed, and the limits that it names are those that hold. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { MAX_COST, MAX_DEPTH, MAX_INTROSPECTION_DEPTH, PARSING } from "../../../src/http/graphql/limits.ts"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"

const PAGE = readFileSync(join(import.meta.dir, "../../../docs/graphql.md"), "utf8")
const blocks = (language: string) =>
  [...PAGE.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].flatMap(([, of, text]) => (of === language ? [text!] : []))

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  const data = "The lease of the boathouse ends with a notice period of 90 days."
  await client.index([{ name: "lease.txt", data }], { metadata: '{"year": 2024}' })
  await client.post("/start-conversation", { message: "What does the lease say?" })
  await client.post("/agents/run", { task: "What does the lease say?" })
}, 60_000)
afterAll(() => app.stop())

const ask = (query: string) => client.under("").post("/graphql", { query })
const numbers = (...wanted: number[]) => wanted.map(each => each.toLocaleString("en").replaceAll(",", " "))

describe("docs/graphql.md", () => {
  test.each(blocks("graphql"))("shows a query that finds something: %s", async query => {
    const { status, body } = await ask(query)
    expect([status, body.errors]).toEqual([200, undefined])
    for (const { nodes, edges } of Object.values(body.data) as { nodes?: object[]; edges?: object[] }[])
      expect((nodes ?? edges)!.length).toBeGreaterThan(0)
  })

  test("shows what a field that fails answers", async () => {
    const [query] = blocks("graphql error")
    const { status, body } = await ask(query!)
    const [shown] = blocks("json")
    body.errors[0].extensions.request_id = "req_…"
    expect([status, body]).toEqual([200, JSON.parse(shown!)])
  })

  test("shows a command that a shell executes", async () => {
    const [command] = blocks("sh")
    const child = Bun.spawn(["bash", "-c", command!.replace("http://127.0.0.1:4747", app.url)], {
      env: { ...process.env, TOKEN: client.key.token },
      stdout: "pipe",
    })
    const { data } = (await new Response(child.stdout).json()) as { data: { files: { nodes: { name: string }[] } } }
    expect(data.files.nodes.map(({ name }) => name)).toEqual(["lease.txt"])
  })

  test("names the limits that hold, and every field of Query with its scope", async () => {
    const { maxSourceLength, maxLexicalTokens, maxComments } = PARSING
    for (const number of numbers(maxSourceLength, maxLexicalTokens, maxComments, MAX_COST))
      expect(PAGE).toContain(number)
    expect(PAGE).toContain(`${MAX_DEPTH} selections in each other; ${MAX_INTROSPECTION_DEPTH} of the schema`)
    const schema = await (await fetch(`${app.url}/graphql/schema`)).text()
    const [, fields] = /type Query \{([\s\S]*?)^\}/m.exec(schema)!
    const scopes = [...fields!.matchAll(/^ {2}(\w+)\([\s\S]*?@scope\(name: "([^"]+)"\)/gm)]
    expect(scopes.length).toBe(8)
    for (const [, field, scope] of scopes)
      expect(PAGE).toMatch(new RegExp(`^\\|[^|]*\`${field}\\([^|]*\\| \`${scope}\``, "m"))
  })
})
