import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
})
afterAll(() => app.stop())

const add = (body: Record<string, unknown>, headers = {}, by = client) => by.post("/libraries/text", body, headers)
const found = async (query: string, by = client): Promise<string[]> =>
  (await by.post("/search", { query, mode: "keyword" })).body.hits.map(
    (hit: { file: { name: string } }) => hit.file.name,
  )

describe("POST /external/libraries/text", () => {
  test.each([
    ["text", "The pump is loud.", "txt", "text/plain"],
    ["markdown", "# Heating\n\nThe pump is loud.", "md", "text/markdown"],
    ["html", "<script>stop()</script><h1>Heating</h1><p>The pump is loud.</p>", "html", "text/html"],
  ])("%s becomes a file of its type, which is found", async (kind, text, type, mime) => {
    const name = `Ticket of ${kind} 4711`
    const { status, body } = await add({ name, [kind]: text, tags: ["ticket"], metadata: { by: "desk" } })
    expect(status).toBe(202)
    expect(body).toMatchObject({ name: `${name}.${type}`, type, mime_type: mime, tags: ["ticket"], external_id: null })
    expect((await client.settled(body.id)).status).toBe("searchable")
    const content = await client.raw("GET", `/libraries/${body.id}/content`)
    expect(await content.text()).toBe(text)
    const read = await (await client.raw("GET", `/libraries/${body.id}/text`)).text()
    expect(read).toContain("The pump is loud.")
    expect(read).not.toContain("stop()")
  })

  test("a name that ends as the text may keeps its extension", async () => {
    expect((await add({ name: "notes.md", markdown: "kept name" })).body.name).toBe("notes.md")
    expect((await add({ name: "table.csv", text: "a,b\n1,2" })).body).toMatchObject({ name: "table.csv", type: "csv" })
    expect((await add({ name: "report.pdf", text: "no pdf" })).body).toMatchObject({
      name: "report.pdf.txt",
      type: "txt",
    })
    expect((await add({ name: "a/../b", text: "no path" })).body.name).toBe("b.txt")
  })

  test.each([
    [{ name: "x" }, "exactly one"],
    [{ name: "x", text: "a", html: "b" }, "exactly one"],
    [{ name: "x", text: "" }, "text"],
    [{ name: "../", text: "a" }, "name"],
    [{ text: "a" }, "name"],
    [{ name: "x", text: "a", updated_at: "yesterday" }, "updated_at"],
    [{ name: "x", text: "a", url: "javascript:alert(1)" }, "url"],
    [{ name: "x", text: "a", url: "/relative" }, "url"],
    [{ name: "x", text: "a", external_id: "a\0b" }, "external_id"],
    [{ name: "x", text: "a", acl: ["nobody"] }, "acl"],
    [{ name: "x", text: "a", context_id: "a b" }, "context_id"],
    [{ name: "x", text: "a", metadata: [] }, "metadata"],
  ])("%j is 400 and named", async (body, named) => {
    const answer = await add(body)
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"])
    expect(answer.body.error.message).toContain(named)
  })

  test("url and updated_at are kept with the file", async () => {
    const { body } = await add({
      name: "u",
      text: "with a url",
      url: "https://wiki.example/a b",
      updated_at: "2026-01-02T03:04:05Z",
    })
    expect(body).toMatchObject({
      url: "https://wiki.example/a%20b",
      metadata: { updated_at: "2026-01-02T03:04:05.000Z" },
    })
  })

  test("a text of nine million characters is taken, a body over 20 MB is not", async () => {
    const line = "The heron stands in the reeds. "
    const large = await add({ name: "large", text: line.repeat(290_000) })
    expect(large.body).toMatchObject({ size: line.length * 290_000 })
    await client.delete(`/libraries/${large.body.id}`)
    const { status, body } = await add({ name: "too large", text: "x".repeat(20 * 1_048_576) })
    expect([status, body.error.code]).toEqual([413, "request_too_large"])
  }, 60_000)
})

describe("external_id", () => {
  test("the text that is sent again under it replaces the former one under its id", async () => {
    const first = await add({ name: "Pump", text: "The valve is zirconium.", external_id: "t-1" })
    expect(first.body).toMatchObject({ external_id: "t-1", source: null })
    await client.settled(first.body.id)
    const second = await add({ name: "Pump, closed", text: "The valve is rhodium.", external_id: "t-1" })
    expect(second.body).toMatchObject({ id: first.body.id, name: "Pump, closed.txt" })
    expect(second.body.unchanged).toBeUndefined()
    await client.settled(first.body.id)
    expect(await found("rhodium")).toEqual(["Pump, closed.txt"])
    expect(await found("zirconium")).toEqual([])
  })

  test("the same text is not indexed again, and labels that are told are taken over", async () => {
    const { body } = await add({
      name: "Same",
      text: "The same text.",
      external_id: "t-2",
      tags: ["old"],
      acl: ["user:1"],
    })
    const before = await client.settled(body.id)
    const again = await add({ name: "Same", text: "The same text.", external_id: "t-2" })
    expect(again.body).toEqual({ ...before, unchanged: true })
    const told = await add({ name: "Same", text: "The same text.", external_id: "t-2", tags: ["new"], acl: ["user:2"] })
    expect(told.body).toMatchObject({ unchanged: true, tags: ["new"], acl: ["user:2"], indexed_at: before.indexed_at })
    expect((await client.get(`/libraries/${body.id}`)).body).toMatchObject({ tags: ["new"], acl: ["user:2"] })
  })

  test("a text that was deleted is taken anew", async () => {
    const first = await add({ name: "Gone", text: "It was gone.", external_id: "t-3" })
    await client.delete(`/libraries/${first.body.id}`)
    const second = await add({ name: "Gone", text: "It was gone.", external_id: "t-3" })
    expect(second.body.id).not.toBe(first.body.id)
    expect(second.body.unchanged).toBeUndefined()
  })

  test("two at the same time are one file", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => add({ name: "Race", text: `text ${i}`, external_id: "t-4" })),
    )
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  })

  test("another workspace's is another file", async () => {
    const other = await app.client("other")
    const mine = await add({ name: "Mine", text: "mine", external_id: "t-5" })
    const theirs = await add({ name: "Theirs", text: "theirs", external_id: "t-5" }, {}, other)
    expect(theirs.body.id).not.toBe(mine.body.id)
    expect((await client.get(`/libraries/${mine.body.id}`)).body.name).toBe("Mine.txt")
  })
})

describe("narrow keys and tokens", () => {
  test("a key of one context puts texts there, and meets no file of another under an external_id", async () => {
    const outside = await add({ name: "Outside", text: "outside", external_id: "n-1", context_id: "b" })
    const narrow = await app.client("default", { context_ids: ["a"] })
    const inside = await add({ name: "Inside", text: "inside", external_id: "n-1" }, {}, narrow)
    expect(inside.body).toMatchObject({ context_id: "a" })
    expect(inside.body.id).not.toBe(outside.body.id)
    expect((await add({ name: "x", text: "y", context_id: "b" }, {}, narrow)).status).toBe(403)
    expect((await add({ name: "x", text: "inside", external_id: "n-1", context_id: "b" }, {}, narrow)).status).toBe(403)
  })

  test("a scoped token may not widen an acl, with another text or the same", async () => {
    const { body } = await add({ name: "Secret", text: "secret", external_id: "n-2", acl: ["user:1", "user:2"] })
    const token = await client.scoped({ principals: ["user:1"], scopes: ["files:read", "files:write"] })
    for (const text of ["secret", "other"])
      for (const acl of [null, ["user:1", "user:3"]])
        expect((await add({ name: "Secret", text, external_id: "n-2", acl }, {}, token)).status).toBe(403)
    expect((await client.get(`/libraries/${body.id}`)).body.acl).toEqual(["user:1", "user:2"])
    const narrower = await add({ name: "Secret", text: "secret", external_id: "n-2", acl: ["user:1"] }, {}, token)
    expect(narrower.body).toMatchObject({ unchanged: true, acl: ["user:1"] })
  })

  test("without files:write it is 403", async () => {
    const reader = await client.scoped({ scopes: ["files:read"] })
    expect((await add({ name: "x", text: "y" }, {}, reader)).status).toBe(403)
  })
})

test("a repetition under its Idempotency-Key gets the first answer, another text under it is refused", async () => {
  const key = { "idempotency-key": "text-1" }
  const first = await add({ name: "Once", text: "once" }, key)
  await client.settled(first.body.id)
  const again = await add({ name: "Once", text: "once" }, key)
  expect([again.status, again.body]).toEqual([202, first.body])
  expect((await add({ name: "Once", text: "twice" }, key)).status).toBe(409)
})
