/** What assistants can do: tools and resources, by the official client. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import { writeZip } from "../../ingest/formats/zip-writer.ts"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"
import { startWebSite } from "../../support/web-site.ts"
import { call, connect } from "./support.ts"

let app: TestApp
let key: Client
let client: McpClient
const ids: Record<string, string> = {}
const site = startWebSite({ "/gate": "<title>The gate</title><p>It opens at noon.</p>" })

const PRICES = "item,price\npen,1.25\nink,2.50\npad,4.00\n"

beforeAll(async () => {
  app = await startTestApp({ "fetch-allow": site.place })
  key = await app.client()
  const files = await key.index([
    { name: "lease.md", data: "# Lease\n\nThe notice period of the lease is three months to the end of a quarter.\n" },
    { name: "prices.csv", data: PRICES },
    { name: "long.txt", data: '😀 привет \\ "ж"\n'.repeat(20_000) },
  ])
  for (const { id, name } of files) ids[name] = id
  const foreign = await app.client("other")
  const [file] = await foreign.index([{ name: "foreign.md", data: "The notice period of others is a secret." }])
  ids["foreign.md"] = file.id
  client = (await connect(app.url, key)).client
  await client.listTools()
})
afterAll(async () => {
  await client.close()
  await app.stop()
  await site.stop()
})

describe("tools", () => {
  test("are listed with what they take, give and change", async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["search", true],
      ["fetch", true],
      ["search_library", true],
      ["read_file", true],
      ["list_files", true],
      ["query_table", true],
      ["ask", true],
      ["add_text", false],
      ["add_url", false],
    ])
    for (const { inputSchema, outputSchema, title } of tools)
      expect([inputSchema.type, outputSchema?.type, typeof title]).toEqual(["object", "object", "string"])
    const told = tools.filter(({ outputSchema }) =>
      JSON.stringify(outputSchema).includes("call again with this as start"),
    )
    expect(told.map(({ name }) => name)).toEqual(["search_library", "read_file", "list_files"])
    for (const { inputSchema } of told) expect(inputSchema.properties).toHaveProperty("start")
  })

  test("search and fetch give exactly what connectors of assistants ask for, as structure and as the same text", async () => {
    const found = await call(client, "search", { query: "notice period of the lease" })
    expect(Object.keys(found.data)).toEqual(["results"])
    expect(JSON.parse(found.text)).toEqual(found.data)
    const [first] = found.data.results
    expect(Object.keys(first).sort()).toEqual(["id", "title", "url"])
    expect(first).toMatchObject({ id: ids["lease.md"], title: "lease.md", url: expect.stringMatching(/^http.+/) })
    const fetched = await call(client, "fetch", { id: first.id })
    expect(Object.keys(fetched.data).sort()).toEqual(["id", "metadata", "text", "title", "url"])
    expect(fetched.data).toMatchObject({
      id: first.id,
      title: "lease.md",
      text: expect.stringContaining("three months"),
    })
    expect(fetched.data.metadata).toMatchObject({ type: "md", attributes: {}, tags: [] })
    expect(JSON.parse(fetched.text)).toEqual(fetched.data)
  })

  test("search_library gives passages with their place, and goes on from next_start", async () => {
    const { data } = await call(client, "search_library", { query: "price of a pen", limit: 1 })
    expect(data.hits).toHaveLength(1)
    expect(data.hits[0]).toMatchObject({ file_id: ids["prices.csv"], name: "prices.csv", start: 0 })
    expect(data.next_start).toBe(data.total > 1 ? 1 : undefined)
    const beyond = await call(client, "search_library", { query: "price of a pen", start: data.total })
    expect(beyond.data.hits).toEqual([])
  })

  test("a filter narrows search_library and list_files, and a wrong one is told", async () => {
    const filter = { type: "eq", key: "file.type", value: "csv" }
    const { data } = await call(client, "search_library", { query: "notice period of the lease, price", filter })
    expect(new Set(data.hits.map((hit: { name: string }) => hit.name))).toEqual(new Set(["prices.csv"]))
    expect((await call(client, "list_files", { filter })).data.total).toBe(1)
    const wrong = await call(client, "list_files", { filter: { type: "near", key: "file.type", value: "csv" } })
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining("filter.type") })
  })

  test("query_table runs a statement, and tells what is wrong with one", async () => {
    const file_id = ids["prices.csv"]
    const { data } = await call(client, "query_table", { file_id, sql: "select sum(price) as total from data" })
    expect(data).toMatchObject({ columns: ["total"], rows: [[7.75]], table: { row_count: 3 } })
    const wrong = await call(client, "query_table", { file_id, sql: "select cost from data" })
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('"price"') })
    const text = await call(client, "query_table", { file_id: ids["lease.md"], sql: "select 1" })
    expect(text).toMatchObject({ isError: true, text: expect.stringContaining("read_file") })
  })

  test("list_files pages, and narrows by name and type", async () => {
    const { data } = await call(client, "list_files")
    expect(data).toMatchObject({ total: 3, page: 1, pages: 1 })
    expect(data.files.map((file: { name: string }) => file.name).sort()).toEqual(["lease.md", "long.txt", "prices.csv"])
    expect((await call(client, "list_files", { name: "LEA", type: ".md" })).data.total).toBe(1)
    expect((await call(client, "list_files", { page: 2 })).data.files).toEqual([])
  })

  test("add_text replaces the text of a known external_id", async () => {
    const first = await call(client, "add_text", { name: "Code", text: "The code is one.", external_id: "code" })
    const second = await call(client, "add_text", { name: "Code", text: "The code is two.", external_id: "code" })
    const third = await call(client, "add_text", { name: "Code", text: "The code is two.", external_id: "code" })
    expect([second.data.file_id, second.data.duplicate]).toEqual([first.data.file_id, false])
    expect([third.data.file_id, third.data.duplicate]).toEqual([first.data.file_id, true])
  })

  test("an external_id that no database keeps is refused by add_text as by the route", async () => {
    for (const id of ["a\0b", "a\ud800"]) {
      const { isError, text } = await call(client, "add_text", { name: "Code", text: "The code.", external_id: id })
      expect([isError, text]).toEqual([true, expect.stringContaining("external_id: must be text without NUL")])
    }
  })

  test("add_url puts a page into the library once", async () => {
    const added = await call(client, "add_url", { url: `${site.url}/gate` })
    expect(added.data).toMatchObject({ name: "The gate.html", unchanged: false })
    expect(await key.settled(added.data.file_id)).toMatchObject({ status: "searchable" })
    const again = await call(client, "add_url", { url: `${site.url}/gate` })
    expect(again.data).toMatchObject({ file_id: added.data.file_id, unchanged: true })
  })

  test("add_text puts a file into the library once, which is found", async () => {
    const text = "The gate opens with the word melonenbaum."
    const added = await call(client, "add_text", { name: "Gate notes", text, metadata: { by: "test" } })
    expect(added.data).toMatchObject({ name: "Gate notes.md", duplicate: false })
    const { data } = await call(client, "add_text", { name: "Gate notes", text })
    expect(data).toMatchObject({ file_id: added.data.file_id, duplicate: true })
    await key.settled(added.data.file_id)
    const found = await call(client, "search", { query: "melonenbaum" })
    expect(found.data.results[0]).toMatchObject({ id: added.data.file_id })
    expect((await call(client, "fetch", { id: added.data.file_id })).data).toMatchObject({
      text: expect.stringContaining("melonenbaum"),
      metadata: { attributes: { by: "test" } },
    })
    await key.delete(`/libraries/${added.data.file_id}`)
  })

  test.each([
    ["fetch", () => ({ id: ids["foreign.md"] })],
    ["read_file", () => ({ file_id: ids["foreign.md"] })],
    ["query_table", () => ({ file_id: ids["foreign.md"], sql: "select 1" })],
  ])("%s knows no file of another workspace", async (name, args) => {
    const outcome = await call(client, name, args())
    expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining("There is no file") })
    const { data } = await call(client, "search", { query: "notice period secret" })
    expect(JSON.stringify(data)).not.toContain("foreign")
  })

  test.each([
    ["search", {}, "query"],
    ["search", { query: "   " }, "blank"],
    ["search", { query: "x".repeat(3_000) }, "query"],
    ["search_library", { query: "x", limit: 1_000 }, "limit"],
    ["read_file", { file_id: "file_x", page: 0 }, "page"],
    ["read_file", { file_id: "file_x", pages: 1 }, "pages"],
    ["fetch", { id: 7 }, "id"],
    ["add_text", { name: "x", text: "" }, "text"],
    ["add_url", { url: "nonsense" }, "url"],
    ["add_url", { url: "http://169.254.169.254/latest/" }, "may not be reached"],
  ])("%s tells what is wrong with %j", async (name, args, word) => {
    expect(await call(client, name, args)).toMatchObject({ isError: true, text: expect.stringContaining(word) })
  })

  test("one that is not there is an error of the protocol", async () => {
    await expect(call(client, "format_disk")).rejects.toThrow("Unknown tool: format_disk")
  })
})

describe("what is long", () => {
  test("stays below 100 KB, and is whole when it is read on", async () => {
    const expected = await (await key.raw("GET", `/libraries/${ids["long.txt"]}/text`)).text()
    let text = ""
    let parts = 0
    for (let start: number | undefined = 0; start !== undefined; parts++) {
      const { data, bytes } = await call(client, "read_file", { file_id: ids["long.txt"], start })
      expect(bytes).toBeLessThan(100_000)
      expect(bytes).toBeGreaterThan(90_000 * Number(data.next_start !== undefined))
      expect(data.text.isWellFormed()).toBe(true)
      expect(data.start).toBe(start)
      text += data.text
      start = data.next_start
    }
    expect(text).toBe(expected)
    expect(parts).toBeGreaterThan(5)
  })

  test("is read page by page, each from its first character to its last", async () => {
    const path = new URL("../../fixtures/documents/lease.pdf", import.meta.url)
    const [file] = await key.index([{ name: "lease.pdf", data: await Bun.file(path).bytes() }])
    const read = (args: object) => call(client, "read_file", { file_id: file.id, ...args })
    const whole = (await read({})).data
    expect(file.page_count).toBeGreaterThan(1)
    let from = 0
    for (let page = 1; page <= file.page_count; page++) {
      const { data } = await read({ page })
      expect(data).toMatchObject({ page, start: 0, end: data.characters })
      expect(data.next_start).toBeUndefined()
      const at = whole.text.indexOf(data.text, from)
      expect([page, at >= from]).toEqual([page, true])
      from = at + data.text.length
      const { data: part } = await read({ page, start: 3, end: 9 })
      expect([part.text, part.start, part.end]).toEqual([data.text.slice(3, 9), 3, 9])
      const beyond = await read({ page, start: data.characters })
      expect(beyond.data).toMatchObject({ text: "", characters: data.characters })
    }
    expect(await read({ page: file.page_count + 1 })).toMatchObject({ isError: true })
    await key.delete(`/libraries/${file.id}`)
  })

  test("of a page that several files of an archive have is that of the first", async () => {
    const path = new URL("../../fixtures/documents/lease.pdf", import.meta.url)
    const data = await Bun.file(path).bytes()
    const [alone, both] = await key.index([
      { name: "lease.pdf", data },
      {
        name: "leases.zip",
        data: writeZip([
          { name: "a.pdf", content: data },
          { name: "b.pdf", content: data },
        ]),
      },
    ])
    const [first, same] = await Promise.all(
      [alone, both].map(({ id }) => call(client, "read_file", { file_id: id, page: 1 })),
    )
    expect(same!.data.text).toBe(first!.data.text)
    const shown = await (await fetch(same!.data.url)).text()
    expect(shown).toContain("Page 1 · in a.pdf")
    expect(shown).toContain(`<mark>${first!.data.text.slice(0, 20)}`)
    for (const { id } of [alone, both]) await key.delete(`/libraries/${id}`)
  })

  test("is read on by fetch alone, with the ids that it gives", async () => {
    const first = await call(client, "fetch", { id: ids["long.txt"] })
    expect(first.bytes).toBeLessThan(100_000)
    const { next_id, next_start } = first.data.metadata
    expect(next_id).toBe(`${ids["long.txt"]}@${next_start}`)
    const { data } = await call(client, "fetch", { id: next_id })
    expect(data.metadata.start).toBe(next_start)
    const { data: same } = await call(client, "read_file", {
      file_id: ids["long.txt"],
      start: next_start,
      end: next_start + 50,
    })
    expect(data.text.slice(0, 50)).toBe(same.text)
    expect(same.next_start).toBeUndefined()
  })

  test("of a table gives rows as far as they fit", async () => {
    const row = `${"ж".repeat(300)},"${'""'.repeat(200)}"\n`
    const [table] = await key.index([{ name: "wide.csv", data: `a,b\n${row.repeat(150)}` }])
    const { data, bytes } = await call(client, "query_table", { file_id: table.id, sql: "select * from data" })
    expect(bytes).toBeLessThan(100_000)
    expect(data).toMatchObject({ more: true })
    expect(data.rows.length).toBeGreaterThan(5)
    await key.delete(`/libraries/${table.id}`)
  })

  test("of a list gives files as far as they fit, the others from next_start", async () => {
    const tags = Array.from({ length: 20 }, (_, i) => `${i}${"ß".repeat(120)}`)
    const data = (i: number) => ({ name: `tagged-${i}.txt`, data: `number ${i}` })
    const files = await key.index(
      Array.from({ length: 50 }, (_, i) => data(i)),
      { tags: tags.join(",") },
    )
    const first = await call(client, "list_files", { name: "tagged" })
    expect(first.bytes).toBeLessThan(100_000)
    const { next_start } = first.data
    expect(first.data.files).toHaveLength(next_start)
    const rest = await call(client, "list_files", { name: "tagged", start: next_start })
    const names = [...first.data.files, ...rest.data.files].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { id } of files) await key.delete(`/libraries/${id}`)
  })
})

describe("resources", () => {
  test("are the texts of files, by their template", async () => {
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["carrel://file/{id}"])
    const uri = `carrel://file/${ids["lease.md"]}`
    const { contents } = await client.readResource({ uri })
    expect(contents).toMatchObject([{ uri, mimeType: "text/plain", text: expect.stringContaining("three months") }])
  })

  test("that are long are read on by their own address", async () => {
    const uri = `carrel://file/${ids["long.txt"]}`
    const [first] = (await client.readResource({ uri })).contents as unknown as {
      text: string
      _meta: { next_uri: string; next_start: number }
    }[]
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(100_000)
    const [second] = (await client.readResource({ uri: first!._meta.next_uri })).contents as unknown as {
      text: string
    }[]
    const whole = await (await key.raw("GET", `/libraries/${ids["long.txt"]}/text`)).text()
    expect(first!.text).toBe(whole.slice(0, first!._meta.next_start))
    expect(whole.slice(first!._meta.next_start)).toStartWith(second!.text)
  })

  test.each(["carrel://file/file_unknown", "carrel://file/", "file:///etc/passwd", "carrel://file/../x"])(
    "%s is not there",
    async uri => {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_002 })
    },
  )

  test("of another workspace are not there", async () => {
    await expect(client.readResource({ uri: `carrel://file/${ids["foreign.md"]}` })).rejects.toMatchObject({
      code: -32_002,
    })
  })

  test("are listed by their last change, page after page", async () => {
    const many = await key.index(Array.from({ length: 60 }, (_, i) => ({ name: `n${i}.txt`, data: `text ${i}` })))
    const uris: string[] = []
    const changes: (string | undefined)[] = []
    let cursor: string | undefined
    do {
      const page = await client.listResources(cursor === undefined ? {} : { cursor })
      uris.push(...page.resources.map(({ uri }) => uri))
      changes.push(...page.resources.map(({ annotations }) => annotations?.lastModified))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(uris).toHaveLength(65)
    expect(new Set(uris).size).toBe(65)
    expect(changes).toEqual(changes.toSorted().reverse())
    const first = ["lease.md", "prices.csv", "long.txt"].map(name => `carrel://file/${ids[name]}`)
    expect(uris.slice(-3).sort()).toEqual(first.sort())
    await expect(client.listResources({ cursor: "zzz" })).rejects.toThrow("Invalid cursor")
    for (const { id } of many) await key.delete(`/libraries/${id}`)
  })
})

test("the audit log tells which files calls read and added, and nothing of what they said", async () => {
  const { data } = await call(client, "add_text", { name: "plumbago.md", text: "The plumbago flowers in May." })
  await call(client, "read_file", { file_id: ids["lease.md"] })
  await call(client, "search_library", { query: "plumbago" })
  const gone = "file_01m7y48vkz3s85f1acdta2"
  await client.callTool({ name: "read_file", arguments: { file_id: gone } })
  const { body } = await key.get("/audit?limit=1000")
  // biome-ignore lint/suspicious/noExplicitAny: rows of any shape
  const rows: any[] = body.data.filter((row: any) => row.endpoint === "POST /mcp")
  const told = rows.map(({ action, outcome, resource_id, actor }) => [action, outcome, resource_id, actor.id])
  expect(told).toContainEqual(["file.upload", "success", data.file_id, key.key.id])
  expect(told).toContainEqual(["file.download", "success", ids["lease.md"], key.key.id])
  expect(told).toContainEqual(["file.download", "failure", gone, key.key.id])
  expect(JSON.stringify(rows)).not.toContain("plumbago")
})
