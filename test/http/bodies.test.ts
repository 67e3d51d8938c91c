/** JSON bodies that are not as documented: every route says what is wrong, and does so quickly. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  items?: Schema
}
interface Route {
  method: string
  path: string
  schema: Schema
}

let app: TestApp
let client: Client
const routes: Route[] = []
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  const document: any = await (await fetch(`${app.url}/external-docs/docs/json`)).json()
  for (const [path, item] of Object.entries<any>(document.paths))
    for (const [method, entry] of Object.entries<any>(item)) {
      const schema = entry.requestBody?.content["application/json"]?.schema
      const target = path.replace("/external-docs/external", "").replace(/\{\w+\}/g, "x_unknown")
      if (schema) routes.push({ method: method.toUpperCase(), path: target, schema })
    }
})
afterAll(() => app.stop())

/** Every place of a body where one value stands, as a path of names. */
function placesOf(schema: Schema, at: string[] = []): string[][] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => placesOf(each, [...at, name]))
  const choices = (schema.anyOf ?? []).flatMap(each => placesOf(each, at).filter(place => place.length > at.length))
  return [...(at.length > 0 ? [at] : []), ...inner, ...choices]
}

const bodyWith = (place: string[], value: unknown): unknown =>
  place.length === 0 ? value : { [place[0]!]: bodyWith(place.slice(1), value) }

describe("a value whose own toString is no function", () => {
  test("is an error of the request, wherever it stands", async () => {
    expect(routes.length).toBeGreaterThan(20)
    let asked = 0
    for (const { method, path, schema } of routes)
      for (const place of placesOf(schema))
        for (const value of [{ toString: "x" }, [{ toString: "x", valueOf: 1 }]]) {
          const { status } = await client.send(method, path, bodyWith(place, value), { accept: "application/json" })
          expect({ method, path, place, status: status < 500 }).toEqual({ method, path, place, status: true })
          asked++
        }
    expect(asked).toBeGreaterThan(200)
  }, 60_000)

  test("is stored like any other where values are free", async () => {
    const { status, body } = await client.post(
      "/conversations",
      { message: "hello", additional_metadata: { toString: "x", nested: { valueOf: null } } },
      { accept: "application/json" },
    )
    expect(status).toBe(200)
    const stored = await client.get(`/conversations/${body.conversation_id}`)
    expect(stored.body.additional_metadata).toEqual({ toString: "x", nested: { valueOf: null } })
  })
})

describe("a field", () => {
  test("that is missing is called missing, on every route", async () => {
    for (const { method, path, schema } of routes)
      for (const name of schema.required ?? []) {
        const { status, body } = await client.send(method, path, {})
        if (status !== 400) continue // refused for another reason before its body is looked at
        expect([path, body.error.details]).toEqual([
          path,
          expect.arrayContaining([{ field: name, issue: "is missing" }]),
        ])
      }
    const empty = await client.post("/search", { query: "" })
    expect(empty.body.error.details).toEqual([{ field: "query", issue: "must be a text of 1 to 2000 characters" }])
  })

  test.each(["/search", "/semantic-search"])(
    "of filters that %s does not know is named, with those it knows",
    async path => {
      const { status, body } = await client.post(path, { query: "a", filters: { type: ["pdf"], tags: ["x"] } })
      expect([status, body.error.code]).toEqual([400, "invalid_request"])
      expect(body.error.details).toEqual([
        { field: "filters.type", issue: expect.stringContaining("known are file_ids, types,") },
      ])
    },
  )

  test("elsewhere that is not known is ignored", async () => {
    expect((await client.post("/search", { query: "a", unknown: 1 })).status).toBe(200)
    expect((await client.post("/search", { query: "a", filters: { metadata: { anything: 1 } } })).status).toBe(200)
    const chat = { message: "hello", options: { temperature: 0, unknown: 1 } }
    expect((await client.post("/start-conversation", chat)).status).toBe(200)
  })
})

test("a body of 1 MB full of wrong values is answered in a few lines", async () => {
  const wrong = Array.from({ length: 200_000 }, () => 1)
  const long = "n".repeat(500_000)
  const bodies = [{ query: "a", filters: { tags: wrong } }, { query: wrong }, { query: "a", filters: { [long]: 1 } }]
  for (const body of bodies) {
    const answer = await client.post("/search", body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details.length).toBeLessThanOrEqual(64)
    expect(JSON.stringify(answer.body).length).toBeLessThan(20_000)
  }
})
