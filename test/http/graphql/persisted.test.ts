/** Queries that are named by their hash: asked for once, kept for their workspace alone, and never another text. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { PersistedQueries } from "../../../src/http/graphql/persisted-queries.ts"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  await client.index([{ name: "heron.txt", data: "The heron nests in April." }])
}, 60_000)
afterAll(() => app.stop())

let serial = 0
/** A query that nobody else sends. */
const fresh = () => `query Q${++serial} ($first: Int) { files(first: $first) { nodes { name } totalCount } }`
const hashOf = (query: string) => new Bun.CryptoHasher("sha256").update(query).digest("hex")
const named = (query: string, sha256Hash = hashOf(query)) => ({ persistedQuery: { version: 1, sha256Hash } })
const ask = (body: object, of = client) => of.under("").post("/graphql", body)
const asked = (parameters: Record<string, string>) =>
  client.under("").get(`/graphql?${new URLSearchParams(parameters)}`)

const FOUND = { files: { nodes: [{ name: "heron.txt" }], totalCount: 1 } }
const MISSED = {
  data: null,
  errors: [
    {
      message: "PersistedQueryNotFound",
      extensions: { code: "not_found", request_id: expect.stringMatching(/^req_/) },
    },
  ],
  extensions: { cost: 0, max_cost: expect.any(Number) },
}

test("a hash is answered with what clients look for, and with the query's answer once both came", async () => {
  const query = fresh()
  const byHash = { variables: { first: 1 }, extensions: named(query) }
  const before = await ask(byHash)
  expect([before.status, before.body]).toEqual([200, MISSED])
  expect((await ask({ query, ...byHash })).body.data).toEqual(FOUND)
  const after = await ask(byHash)
  expect([after.status, after.body.data]).toEqual([200, FOUND])
  expect((await ask({ extensions: named(query) })).body.data).toEqual(FOUND)
})

test("by GET too, and the other way round", async () => {
  const query = fresh()
  const byHash = { variables: '{"first": 1}', extensions: JSON.stringify(named(query)) }
  expect((await asked(byHash)).body).toEqual(MISSED)
  expect((await asked({ query, ...byHash })).body.data).toEqual(FOUND)
  expect((await asked(byHash)).body.data).toEqual(FOUND)
  expect((await ask({ query: "", extensions: named(query) })).body.data).toEqual(FOUND)
})

test("is unknown in another workspace", async () => {
  const query = fresh()
  await ask({ query, extensions: named(query) })
  expect((await ask({ extensions: named(query) }, await app.client("elsewhere"))).body).toEqual(MISSED)
})

test("a key that may less than the one that sent the query is refused as always", async () => {
  const query = fresh()
  await ask({ query, extensions: named(query) })
  const searcher = await client.scoped({ scopes: ["search"] })
  const { status, body } = await ask({ extensions: named(query) }, searcher)
  expect([status, body.error.code]).toEqual([403, "forbidden"])
})

describe("is 400, and keeps nothing:", () => {
  const other = "{ files { totalCount } }"
  test.each<[string, Record<string, unknown>, string]>([
    ["the hash of another query", { query: other, extensions: named(fresh()) }, "extensions.persistedQuery.sha256Hash"],
    ["no SHA-256", { query: other, extensions: named(other, "abc") }, "extensions.persistedQuery.sha256Hash"],
    [
      "another version",
      { query: other, extensions: { persistedQuery: { version: 2, sha256Hash: hashOf(other) } } },
      "extensions.persistedQuery.version",
    ],
    ["no object", { query: other, extensions: { persistedQuery: "abc" } }, "extensions.persistedQuery"],
    ["a query that is not valid", { query: "{ nope }", extensions: named("{ nope }") }, "query"],
    ["neither query nor hash", { variables: {} }, "query"],
  ])("%s", async (_, body, field) => {
    const answer = await ask(body)
    expect([answer.status, answer.body.error.details[0].field]).toEqual([400, field])
    for (const query of [other, "{ nope }"]) expect((await ask({ extensions: named(query) })).body).toEqual(MISSED)
  })
})

describe("what is kept is bounded", () => {
  const of = (query: string) => ({ query, extensions: named(query) })
  const known = (queries: PersistedQueries, workspace: string, query: string) =>
    queries.find(workspace, { extensions: named(query) }) === query

  test("by the number of queries, and only of the workspace whose they are", () => {
    const queries = new PersistedQueries()
    queries.keep("quiet", of("{ quiet }"))
    for (let at = 0; at <= 500; at++) queries.keep("loud", of(`{ q${at} }`))
    expect([0, 1, 500].map(at => known(queries, "loud", `{ q${at} }`))).toEqual([false, true, true])
    expect(known(queries, "quiet", "{ quiet }")).toBe(true)
  })

  test("by their length", () => {
    const queries = new PersistedQueries()
    const long = (at: number) => `{ q${at} } #${"x".repeat(99_000)}`
    for (let at = 0; at < 6; at++) queries.keep("loud", of(long(at)))
    expect([0, 1, 5].map(at => known(queries, "loud", long(at)))).toEqual([false, true, true])
  })
})
