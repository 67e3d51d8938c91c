import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ApiKeys } from "../../src/access/keys.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

let app: TestApp
let client: Client

beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
})
afterAll(() => app.stop())

function expectError(answer: { status: number; headers: Headers; body: any }, status: number, code: string): void {
  expect(answer.status).toBe(status)
  expect(answer.body.error.code).toBe(code)
  expect(answer.body.error.message).toBeString()
  expect(answer.body.error.request_id).toBe(answer.headers.get("x-request-id"))
  expect(JSON.stringify(answer.body)).not.toMatch(/\.ts:\d|\/src\/|node_modules/)
}

describe("credentials", () => {
  const without = async (headers: Record<string, string>) => {
    const response = await fetch(`${app.url}/external-docs/external/libraries`, { headers })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  test("each missing header is named", async () => {
    for (const missing of Object.keys(client.credentials)) {
      const rest = Object.fromEntries(Object.entries(client.credentials).filter(([name]) => name !== missing))
      const answer = await without(rest)
      expectError(answer, 401, "unauthorized")
      expect(answer.body.error.message).toBe(`missing headers: ${missing}`)
    }
  })

  test("all three in one bearer token do as well; with headers beside it they must agree", async () => {
    const { client_id, private_key, secret, token } = client.key
    const authorization = `Bearer ${token}`
    expect((await without({ authorization })).status).toBe(200)
    expect(
      (await without({ ...client.credentials, authorization: authorization.replace("Bearer", "bearer") })).status,
    ).toBe(200)
    const other = (await app.client()).credentials
    for (const [headers, bearer] of [
      [other, token],
      [{ secret: other.secret! }, token],
      [client.credentials, `${token}.x`],
      [client.credentials, `${token}, Bearer ${token}`],
      [client.credentials, "anything"],
    ] as const) {
      const differing = await without({ ...headers, authorization: `Bearer ${bearer}` })
      expectError(differing, 401, "unauthorized")
      expect(differing.body.error.message).toContain("differ")
    }
    for (const wrong of [
      "",
      ".",
      "..",
      `${client_id}.${private_key}`,
      `${client_id}.${private_key}.${secret}x`,
      `${client_id}.${secret}.${private_key}`,
    ])
      expectError(await without({ authorization: `Bearer ${wrong}` }), 401, "unauthorized")
    const cut = await without({ authorization: `Bearer ${client_id}.${private_key}` })
    expect(cut.body.error.message).toStartWith("the bearer token is neither")
  })

  test("wrong, revoked and expired credentials get one and the same answer", async () => {
    const wrong = await without({ ...client.credentials, secret: `csk_${"x".repeat(43)}` })
    const unknown = await without({ ...client.credentials, "client-id": "cid_unknown" })
    const [revoked, expired] = [
      await app.client(),
      await app.client("default", { expires_at: new Date(Date.now() + 1_000).toISOString() }),
    ]
    const database = await openSqlite(app.data)
    await new ApiKeys(database).revoke(revoked.key.id)
    await database.destroy()
    await until(async () => (await expired.get("/libraries")).status === 401)
    for (const answer of [wrong, unknown, await revoked.get("/libraries"), await expired.get("/libraries")]) {
      expectError(answer, 401, "unauthorized")
      expect(answer.body.error.message).toBe(wrong.body.error.message)
    }
  })

  test("are asked for as RFC 9110 wants it", async () => {
    expect((await without({})).headers.get("www-authenticate")).toContain('headers="client-id private-key secret"')
  })

  test("a key without the scope is forbidden, not unauthorized", async () => {
    const searcher = await app.client("default", { scopes: ["search"] })
    expectError(await searcher.get("/libraries"), 403, "forbidden")
  })

  test("after thirty wrong ones an address is slowed, while right ones still pass", async () => {
    const other = await startTestApp()
    try {
      const good = await other.client()
      const guess = () =>
        fetch(`${other.url}/external/libraries`, { headers: { ...good.credentials, secret: "csk_guess" } })
      for (let i = 0; i < 30; i++) expect((await guess()).status).toBe(401)
      const refused = await guess()
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      expect((await good.get("/libraries")).status).toBe(200)
    } finally {
      await other.stop()
    }
  })

  test("hashes are stored, never the values", async () => {
    const bytes = await Promise.all(
      ["carrel.db", "carrel.db-wal"].map(name =>
        Bun.file(`${app.data}/${name}`)
          .arrayBuffer()
          .catch(() => new ArrayBuffer(0)),
      ),
    )
    const stored = bytes.map(part => Buffer.from(part).toString("latin1")).join("")
    expect(stored).toContain(client.key.client_id)
    expect(stored).not.toContain(client.key.private_key)
    expect(stored).not.toContain(client.key.secret)
  })
})

describe("the rate limit", () => {
  test("counts errors too, refuses past the limit, and leaves other keys alone", async () => {
    const limited = await app.client("default", { rate_limit_per_minute: 3 })
    const first = await limited.get("/libraries")
    expect(first.headers.get("x-ratelimit-limit")).toBe("3")
    expect(first.headers.get("x-ratelimit-remaining")).toBe("2")
    const reset = Number(first.headers.get("x-ratelimit-reset"))
    expect(Math.abs(reset - Date.now() / 1000 - 60)).toBeLessThan(5)
    expect((await limited.get("/nope")).headers.get("x-ratelimit-remaining")).toBe("1")
    await limited.get("/libraries")
    const refused = await limited.upload([{ name: "refused.txt", data: "must not be stored" }])
    expectError(refused, 429, "rate_limited")
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61)
    expect((await client.get("/libraries?name=refused")).body.pagination.total_items).toBe(0)
  })
})

describe("errors have one body", () => {
  test.each([
    ["GET", "/nope", 404, "not_found"],
    ["GET", "/libraries/..%2f..%2fetc%2fpasswd", 404, "not_found"],
    ["GET", "/libraries/file_unknown", 404, "not_found"],
    ["DELETE", "/libraries", 405, "method_not_allowed"],
    ["GET", "/upload", 405, "method_not_allowed"],
  ])("%s %s is %i %s", async (method, path, status, code) => {
    const answer = await client.send(method, path)
    expectError(answer, status, code)
    if (status === 405) expect(answer.headers.get("allow")).toMatch(/GET|POST/)
  })

  test("malformed JSON, JSON of another form, another Content-Type, and too much of it", async () => {
    const json = { "content-type": "application/json" }
    for (const body of ['{"name": ', "not json", '{"name":"a",}', " "])
      expectError(await client.send("PATCH", "/libraries/file_x", body, json), 400, "invalid_json")
    for (const body of ["[]", '"text"', "5", "null", ""]) {
      const answer = await client.send("PATCH", "/libraries/file_x", body, json)
      expectError(answer, 400, "invalid_request")
      expect(answer.body.error.details[0].field).toBe("body")
    }
    expectError(
      await client.send("PATCH", "/libraries/file_x", "a,b", { "content-type": "text/csv" }),
      415,
      "unsupported_media_type",
    )
    const large = JSON.stringify({ name: "x".repeat(1_200_000) })
    expectError(await client.send("PATCH", "/libraries/file_x", large, json), 413, "request_too_large")
  })

  test("a body of 1 MB is taken, a byte more is not", async () => {
    const ofSize = (size: number) => {
      const empty = JSON.stringify({ query: "a", pad: "" }).length
      return client.post("/search", { query: "a", pad: "x".repeat(size - empty) })
    }
    expect((await ofSize(1_048_576)).status).toBe(200)
    expectError(await ofSize(1_048_577), 413, "request_too_large")
  })

  test("a Content-Type without a body is no error where no body is needed", async () => {
    const json = { "content-type": "application/json" }
    expectError(await client.send("POST", "/libraries/file_x/reindex", "", json), 404, "not_found")
    expectError(await client.send("DELETE", "/libraries/file_x", "", json), 404, "not_found")
  })

  test("pages answer 405 to what does not read", async () => {
    for (const [method, path] of [
      ["POST", "/external-docs/docs"],
      ["DELETE", "/external-docs/docs/json"],
      ["PUT", "/settings"],
    ] as const) {
      const response = await fetch(app.url + path, { method })
      const answer = { status: response.status, headers: response.headers, body: await response.json() }
      expectError(answer, 405, "method_not_allowed")
      expect(response.headers.get("allow")).toBe("GET, HEAD")
    }
  })

  test("a number's text is no number", async () => {
    const answer = await client.post("/search", { query: "a", limit: "5", offset: "0" })
    expectError(answer, 400, "invalid_request")
    expect(answer.body.error.details).toEqual([
      { field: "limit", issue: "must be a whole number from 1 to 100" },
      { field: "offset", issue: "must be a whole number from 0 to 1000000" },
    ])
  })

  test("a bad field inside an optional object is named itself", async () => {
    const search = await client.post("/search", {
      query: "a",
      filters: { file_ids: "x", metadata: [], tags: ["a", 1] },
    })
    expect(search.body.error.details).toEqual([
      { field: "filters.file_ids", issue: "must be a list" },
      { field: "filters.tags.1", issue: "must be a text" },
      { field: "filters.metadata", issue: "must be a JSON object" },
    ])
    const chat = await client.post("/start-conversation", { message: "a", options: { temperature: "hot", top_p: 5 } })
    expect(chat.body.error.details).toEqual([
      { field: "options.temperature", issue: "must be a number from 0 to 2" },
      { field: "options.top_p", issue: "must be a number from 0 to 1" },
    ])
    const whole = await client.post("/start-conversation", { message: "a", options: [] })
    expect(whole.body.error.details).toEqual([{ field: "options", issue: "must be a JSON object" }])
  })

  test("of a field that takes one thing or another both are named, or what is wrong inside", async () => {
    const issuesOf = async (rerank: unknown) =>
      (await client.post("/search", { query: "a", rerank })).body.error.details
    const either = { field: "rerank", issue: "must be true or false, or must be a JSON object" }
    expect(await issuesOf("yes")).toEqual([either])
    expect(await issuesOf([])).toEqual([either])
    expect(await issuesOf({ candidates: 0 })).toEqual([
      { field: "rerank.candidates", issue: "must be a whole number from 1 to 200" },
    ])
    expect(await issuesOf({ budget_ms: 5 })).toEqual([
      { field: "rerank.budget_ms", issue: "is not a known field; known are candidates" },
    ])
  })

  test("every bad field is listed", async () => {
    const answer = await client.send("PATCH", "/libraries/file_x", { name: 5, tags: "a", metadata: [] })
    expectError(answer, 400, "invalid_request")
    expect(answer.body.error.details.map((detail: any) => detail.field).sort()).toEqual(["metadata", "name", "tags"])
  })

  test("paths outside the API answer in the same form", async () => {
    const response = await fetch(`${app.url}/nothing/here`)
    expectError({ status: response.status, headers: response.headers, body: await response.json() }, 404, "not_found")
  })
})

describe("every response", () => {
  test("echoes a well-formed request id and replaces any other", async () => {
    expect((await client.get("/libraries", { "x-request-id": "my-own_ID-42" })).headers.get("x-request-id")).toBe(
      "my-own_ID-42",
    )
    expect((await client.get("/libraries", { "x-request-id": "no; <b>" })).headers.get("x-request-id")).toStartWith(
      "req_",
    )
  })

  test("answers the same under both prefixes", async () => {
    const plain = new Client(() => app.url, client.key, "/external")
    expect((await plain.get("/libraries")).body).toEqual((await client.get("/libraries")).body)
  })

  test("health needs no credentials and reveals nothing", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      const response = await fetch(app.url + path)
      expect(response.status).toBe(200)
      expect(response.headers.get("x-request-id")).toStartWith("req_")
      expect(await response.text()).not.toContain(app.data)
    }
  })
})

describe("the reference", () => {
  test("is served whole by the daemon and names no other host", async () => {
    const page = await fetch(`${app.url}/external-docs/docs`)
    const html = await page.text()
    expect(page.headers.get("content-type")).toStartWith("text/html")
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(match => match[1]!)
      .filter(url => !url.startsWith("data:"))
    expect(loaded.length).toBeGreaterThan(2)
    for (const url of loaded) {
      expect(url).toStartWith("/")
      expect((await fetch(app.url + url)).status).toBe(200)
    }
  })

  test("describes each route once, with its errors and the three headers", async () => {
    const document: any = await (await fetch(`${app.url}/external-docs/docs/json`)).json()
    expect(document.openapi).toStartWith("3.")
    const schemes = Object.values<any>(document.components.securitySchemes).filter(scheme => scheme.in === "header")
    expect(schemes.map(scheme => scheme.name).sort()).toEqual(["client-id", "private-key", "secret"])
    const paths = Object.keys(document.paths)
    expect(paths).toContain("/external-docs/external/libraries/{file_id}")
    expect(paths.filter(path => path.startsWith("/external/"))).toEqual([])
    for (const [path, item] of Object.entries<any>(document.paths))
      for (const [method, entry] of Object.entries<any>(item)) {
        expect(`${method} ${path} ${entry.summary ?? "HAS NO SUMMARY"}`).not.toContain("HAS NO SUMMARY")
        expect(Object.keys(entry.responses)).not.toHaveLength(0)
      }
  })

  test("tells what the server does: JSON bodies only, whole numbers, every parameter, examples", async () => {
    const document: any = await (await fetch(`${app.url}/external-docs/docs/json`)).json()
    for (const [path, item] of Object.entries<any>(document.paths))
      for (const [method, entry] of Object.entries<any>(item)) {
        const name = `${method} ${path}`
        const inPath = entry.parameters?.filter((parameter: any) => parameter.in === "path") ?? []
        expect([name, inPath.length]).toEqual([name, path.match(/\{/g)?.length ?? 0])
        expect(JSON.stringify(entry)).not.toMatch(/"unevaluatedProperties"|"format":"integer"|"x-/)
        const body = entry.requestBody?.content
        if (!body || path.endsWith("/upload") || path === "/v1/files") continue
        if (path.endsWith("/external/batches")) continue // forms and JSON lines too
        expect([name, Object.keys(body)]).toEqual([name, ["application/json"]])
        const { example } = body["application/json"]
        expect([name, typeof example]).toEqual([name, "object"])
        expect(Object.keys(entry.responses)).toEqual(expect.arrayContaining(["400", "413", "415"]))
      }
    const closed = (path: string, method: string) =>
      document.paths[`/external-docs/external${path}`][method].requestBody.content["application/json"].schema
        .additionalProperties
    expect([closed("/keys", "post"), closed("/search", "post")]).toEqual([false, undefined])
    const follow = document.paths["/external-docs/external/conversations/{conversation_id}/events"].get
    expect(follow.parameters.map((parameter: any) => parameter.name)).toEqual([
      "conversation_id",
      "after",
      "stream_token",
      "Last-Event-ID",
    ])
    const limited = document.components.responses[follow.responses["429"].$ref.split("/").at(-1)]
    expect(Object.keys(limited.headers)).toContain("Retry-After")
  })
})
