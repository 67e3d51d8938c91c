/** `/v1/rerank` and `/v2/rerank`: with Cohere's own client, and with what no client would send. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { CohereClient, CohereClientV2 } from "cohere-ai"
import { Client, startTestApp, type TestApp } from "../../support/app.ts"
import { rejection } from "../../support/rejection.ts"

const MODEL = "ms-marco-MiniLM-L-12-v2"
const QUERY = "How many people live in Berlin?"
const COUNTED = "Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers."
const MUSEUMS = "Berlin is well known for its museums."
const DOCUMENTS = [MUSEUMS, { text: COUNTED }, "The heron nests in March."]

let app: TestApp
let client: Client
/** As it is shown when a key is made. */
let token: string
beforeAll(async () => {
  app = await startTestApp({ rerank: "auto" })
  client = new Client(() => app.url, (await app.client()).key, "")
  token = client.key.token
}, 60_000)
afterAll(() => app.stop())

const bearer = () => ({ authorization: `Bearer ${token}`, "content-type": "application/json" })
const ask = (body: unknown, path = "/v1/rerank") => client.post(path, body)

describe("Cohere's client", () => {
  test("of the second version reranks strings", async () => {
    const cohere = new CohereClientV2({ token, environment: app.url })
    const { id, results } = await cohere.rerank({ model: MODEL, query: QUERY, documents: [MUSEUMS, COUNTED], topN: 1 })
    expect(id).toMatch(/^rr_/)
    expect(results.map(({ index }) => index)).toEqual([1])
    expect(results[0]!.relevanceScore).toBeGreaterThan(0.9)
  })

  test("of the first version reranks objects, and gets them back", async () => {
    const cohere = new CohereClient({ token, environment: app.url })
    const { results } = await cohere.rerank({ query: QUERY, documents: DOCUMENTS, returnDocuments: true })
    expect(results.map(({ document }) => document?.text)[0]).toBe(COUNTED)
    expect(results.length).toBe(3)
  })

  test("is told of an unknown model in the way it reads", async () => {
    const cohere = new CohereClientV2({ token, environment: app.url, maxRetries: 0 })
    const asked = async () => await cohere.rerank({ model: "rerank-v3.5", query: QUERY, documents: [COUNTED] })
    const { statusCode, body } = (await rejection(asked())) as unknown as { statusCode: number; body: unknown }
    expect(statusCode).toBe(404)
    expect(body).toMatchObject({ error: { code: "model_not_found", param: "model" } })
  })
})

describe("the answer", () => {
  test("names model and usage, indexes the documents as given, and its scores fall", async () => {
    const { status, body } = await ask({ query: QUERY, documents: DOCUMENTS })
    expect(status).toBe(200)
    expect(body.model).toBe(MODEL)
    expect(body.usage.total_tokens).toBeGreaterThan(30)
    expect(body.results.map(({ index }: { index: number }) => index)).toEqual([1, 0, 2])
    const scores: number[] = body.results.map((each: { relevance_score: number }) => each.relevance_score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    for (const score of scores) expect(score).toBe(Math.min(1, Math.max(0, score)))
    expect(body.results[0]).not.toHaveProperty("document")
  })

  test("is the same under both paths, with nulls for what is left out and with fields it does not know", async () => {
    const plain = { query: QUERY, documents: DOCUMENTS }
    const { body: first } = await ask(plain)
    const more = { model: null, top_n: null, return_documents: null, rank_fields: ["text"], max_tokens_per_doc: 100 }
    const { body: second } = await ask({ ...plain, ...more }, "/v2/rerank")
    expect(second.results).toEqual(first.results)
  })

  test("a document without a letter answers nothing, whatever the model makes of it", async () => {
    const RENTAL = "Rental cars may be kept for no longer than ten days."
    for (const nothing of ["", " \n", "\u0000", "…"]) {
      const { body } = await ask({ query: "rental car", documents: [nothing, RENTAL] })
      expect(body.results).toMatchObject([{ index: 1 }, { index: 0, relevance_score: 0 }])
    }
  })

  test("top_n beyond the documents is all of them, empty ones too", async () => {
    const { body } = await ask({ query: QUERY, documents: ["", COUNTED, " "], top_n: 50, model: MODEL })
    expect(body.results.length).toBe(3)
    expect(body.results[0].index).toBe(1)
  })

  test("holds documents exactly as they were", async () => {
    const documents = [`  ${COUNTED}\n\n`, "\ud83d\ude00 水"]
    const { body } = await ask({ query: QUERY, documents, return_documents: true })
    for (const { index, document } of body.results) expect(document).toEqual({ text: documents[index] })
  })

  test("a document of nearly a megabyte is judged by its best window", async () => {
    const giant = `${"Lorem ipsum dolor sit amet. ".repeat(17_000)}${COUNTED}${" dolor".repeat(70_000)}`
    const { status, body } = await ask({ query: QUERY, documents: ["The heron nests in March.", giant] })
    expect(status).toBe(200)
    expect(body.results[0].index).toBe(1)
    expect(body.usage.total_tokens).toBeLessThan(1_200)
  })
})

describe("errors have the shape that such clients read", () => {
  const wrong: [string, unknown, string | null][] = [
    ["no query", { documents: ["a"] }, "query"],
    ["no documents", { query: "a" }, "documents"],
    ["an empty query", { query: "", documents: ["a"] }, "query"],
    ["a blank query", { query: " \n", documents: ["a"] }, "query"],
    ["a query that is no text", { query: 5, documents: ["a"] }, "query"],
    ["an empty list", { query: "a", documents: [] }, "documents"],
    ["documents that are no list", { query: "a", documents: "a" }, "documents"],
    ["a document that is a number", { query: "a", documents: ["a", 5] }, "documents.1"],
    ["a document without text", { query: "a", documents: [{ title: "a" }] }, "documents.0.text"],
    ["a document that is null", { query: "a", documents: [null] }, "documents.0"],
    ["1 001 documents", { query: "a", documents: Array(1_001).fill("a") }, "documents"],
    ["top_n 0", { query: "a", documents: ["a"], top_n: 0 }, "top_n"],
    ["top_n that is a text", { query: "a", documents: ["a"], top_n: "3" }, "top_n"],
    ["a model that is a number", { query: "a", documents: ["a"], model: 5 }, "model"],
    ["a list as body", [], "body"],
  ]
  for (const [name, body, param] of wrong)
    test(`400 for ${name}`, async () => {
      const answer = await ask(body)
      expect([answer.status, answer.body.error.code, answer.body.error.type, answer.body.error.param]).toEqual([
        400,
        "invalid_request",
        "invalid_request_error",
        param,
      ])
      expect(answer.body.error.request_id).toBe(answer.headers.get("x-request-id"))
      expect(Object.keys(answer.body.error).sort()).toEqual(["code", "message", "param", "request_id", "type"])
    })

  test("for a body that is no JSON, one that is too large, a path and a method that there are not", async () => {
    const broken = await client.post("/v1/rerank", "{", { "content-type": "application/json" })
    expect([broken.status, broken.body.error]).toEqual([
      400,
      expect.objectContaining({ code: "invalid_json", param: null }),
    ])
    const large = await ask({ query: "a", documents: ["a".repeat(1_100_000)] })
    expect([large.status, large.body.error.code]).toEqual([413, "request_too_large"])
    const unknown = await client.post("/v1/nothing", {})
    expect([unknown.status, unknown.body.error.type]).toEqual([404, "invalid_request_error"])
    const method = await client.get("/v1/rerank")
    expect([method.status, method.body.error.code]).toEqual([405, "method_not_allowed"])
  })

  test("for credentials that are missing, wrong, or lack the scope", async () => {
    const body = JSON.stringify({ query: QUERY, documents: DOCUMENTS })
    const send = (headers: Record<string, string>) =>
      fetch(`${app.url}/v1/rerank`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
      })
    const errorOf = async (response: Response) => ((await response.json()) as { error: { type: string } }).error.type
    const missing = await send({})
    expect([missing.status, await errorOf(missing)]).toEqual([401, "authentication_error"])
    const guess = await send({ authorization: "Bearer sk-guess" })
    expect([guess.status, await errorOf(guess)]).toEqual([401, "authentication_error"])
    const narrow = await app.client("default", { scopes: ["models:read"] })
    const narrowed = await send(narrow.credentials)
    expect([narrowed.status, await errorOf(narrowed)]).toEqual([403, "permission_error"])
    const limited = await app.client("default", { rate_limit_per_minute: 1 })
    await send(limited.credentials)
    const refused = await send(limited.credentials)
    expect([refused.status, await errorOf(refused)]).toEqual([429, "rate_limit_error"])
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/)
  })
})

test("there is nothing under the prefix: base URLs end in /v1", async () => {
  const response = await fetch(`${app.url}/external-docs/v1/rerank`, { method: "POST", headers: bearer(), body: "{}" })
  expect(response.status).toBe(404)
})

test("a hundred requests at once are all answered or told to come back, and search goes on meanwhile", async () => {
  const searcher = await app.client()
  await searcher.index([{ name: "heron.txt", data: "The heron nests in March." }])
  const documents = [COUNTED, MUSEUMS]
  let open = 100
  const requests = Array.from({ length: 100 }, () =>
    ask({ query: QUERY, documents }).finally(() => {
      open--
    }),
  )
  const plain = await searcher.post("/search", { query: "heron" })
  expect([plain.status, plain.body.hits.length]).toEqual([200, 1])
  expect(open).toBeGreaterThan(0)
  const statuses = (await Promise.all(requests)).map(({ status }) => status)
  expect(statuses.filter(status => status !== 200 && status !== 503)).toEqual([])
  expect(statuses.filter(status => status === 200).length).toBeGreaterThan(0)
  const after = await searcher.post("/search", { query: "When does the heron nest?", rerank: true, explain: true })
  expect(after.body).toMatchObject({ reranked: 1, degraded: null })
  expect(after.body.hits[0].scores.rerank.rank).toBe(1)
}, 120_000)

test("with --rerank off there is no model: searches keep their order and say so", async () => {
  await app.restart({ rerank: "off" })
  const answer = await ask({ query: QUERY, documents: DOCUMENTS })
  expect([answer.status, answer.body.error.code]).toEqual([503, "model_unavailable"])
  const searcher = await app.client()
  const { body } = await searcher.post("/search", { query: "heron", rerank: { candidates: 5 } })
  expect(body).toMatchObject({ reranked: 0, degraded: "not_reranked" })
  expect(body.hits.length).toBe(1)
})
