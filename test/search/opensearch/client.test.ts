import { afterAll, expect, test } from "bun:test"
import { EngineError, OperatorError } from "../../../src/errors.ts"
import { OpenSearchClient, Refusal } from "../../../src/search/opensearch/client.ts"
import { Indexes } from "../../../src/search/opensearch/indexes.ts"

type Answer = { status?: number; body: unknown }

/** An engine that answers as told, the last answer for ever. */
function engine(...answers: (Answer | ((request: Request) => Answer))[]) {
  /** Credentials of each request. */
  const requests: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      requests.push(request.headers.get("authorization"))
      const answer = answers[Math.min(requests.length, answers.length) - 1]!
      const { status = 200, body } = typeof answer === "function" ? answer(request) : answer
      return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status })
    },
  })
  servers.push(server)
  const client = new OpenSearchClient({
    url: `http://127.0.0.1:${server.port}`,
    prefix: "t",
    credentials: { user: "carrel", password: "s3cret" },
  })
  return { client, requests, server }
}
const servers: ReturnType<typeof Bun.serve>[] = []
afterAll(() => Promise.all(servers.map(server => server.stop(true))))

test("what passes is asked again, and credentials go with it", async () => {
  const { client, requests } = engine({ status: 503, body: "no shard" }, { status: 429, body: {} }, { body: { ok: 1 } })
  expect(await client.ask<object>("GET", "x")).toEqual({ ok: 1 })
  expect(requests).toEqual(Array(3).fill(`Basic ${btoa("carrel:s3cret")}`))
})

test("an engine that stays away is an engine's trouble, without its password", async () => {
  const { client, server } = engine({ body: {} })
  await server.stop(true)
  const error = await client.ask("GET", "x").catch(error => error)
  expect(error).toBeInstanceOf(EngineError)
  expect(error).toMatchObject({ engine: "search" })
  expect(String(error)).not.toContain("s3cret")
})

test("one that hangs is given up after its time, and at once where the caller leaves", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise(() => {}) })
  servers.push(server)
  const client = new OpenSearchClient({ url: `http://127.0.0.1:${server.port}`, prefix: "t" })
  expect(await client.ask("GET", "x", { timeoutMs: 200 }).catch(error => error)).toBeInstanceOf(EngineError)
  const left = new Error("the caller left")
  const leaving = new AbortController()
  const asked = client.ask("GET", "x", { signal: leaving.signal }).catch(error => error)
  leaving.abort(left)
  expect(await asked).toBe(left)
})

test("what the engine does not understand is asked once and is nobody's outage", async () => {
  const body = { error: { type: "parsing_exception", reason: "unknown query" } }
  const { client, requests } = engine({ status: 400, body })
  const error = await client.ask("POST", "x/_search", { body: {} }).catch(error => error)
  expect(error).toBeInstanceOf(Refusal)
  expect(error).toMatchObject({ status: 400, type: "parsing_exception" })
  expect(requests.length).toBe(1)
})

const about = (number: string, distribution?: string) => ({ body: { version: { number, distribution } } })
const KNN = { body: [{ component: "opensearch-knn" }] }
const REFUSED: [why: string, answers: Answer[], says: RegExp][] = [
  ["Elasticsearch", [about("8.11.0")], /no OpenSearch/],
  ["something else", [{ body: { hello: "there" } }], /no OpenSearch/],
  ["an OpenSearch that is too old", [about("2.18.0", "opensearch"), KNN], /too old/],
  ["one without k-NN", [about("2.19.1", "opensearch"), { body: [{ component: "other" }] }], /opensearch-knn/],
  ["one that refuses the password", [{ status: 401, body: "Unauthorized" }], /refuses the user/],
]
for (const [why, answers, says] of REFUSED)
  test(`a start refuses ${why}, and says so`, async () => {
    const indexes = new Indexes({ client: engine(...answers).client, cluster: "clus_1" })
    const error = await indexes.prepare().catch(error => error)
    expect(error).toBeInstanceOf(OperatorError)
    expect(error.message).toMatch(says)
  })
