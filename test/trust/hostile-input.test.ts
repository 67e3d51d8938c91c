/** Requests made of the OpenAPI document with values that no client should send: never a 500, always the one error body. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import fc from "fast-check"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
let client: Client
type Schema = { type?: string; properties?: Record<string, Schema>; anyOf?: Schema[]; items?: Schema }
type Operation = { method: string; path: string; body?: Schema }
let operations: Operation[] = []

beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  const document = (await (await fetch(`${app.url}/external-docs/docs/json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>
  }
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, entry] of Object.entries(item)) {
      if (!path.startsWith("/external-docs/external/")) continue
      const body = entry.requestBody?.content["application/json"]?.schema
      operations.push({
        method: method.toUpperCase(),
        path: path.replace("/external-docs/external", ""),
        ...(body ? { body } : {}),
      })
    }
  operations = operations.filter(({ path }) => !path.endsWith("/upload"))
})
afterAll(() => app.stop())

const NASTY = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202e",
  "'; drop table files; --",
  "../../etc/passwd",
  "%00",
  "${7*7}",
  "🙂".repeat(50),
  "x".repeat(5_000),
  "__proto__",
  "constructor",
  "null",
  "-1",
  "1e400",
  "file_",
  "conv_x",
  "key_x",
]
const anyValue = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.constantFrom<unknown>(...NASTY, 1, null), { maxLength: 4 }),
  fc.dictionary(fc.constantFrom("a", "__proto__", "enabled", "query", ""), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 4,
  }),
)

/** Documented fields with arbitrary values, some missing. */
const bodyOf = (schema: Schema | undefined) =>
  fc.record(Object.fromEntries(Object.keys(schema?.properties ?? { any: {} }).map(name => [name, anyValue])), {
    requiredKeys: [],
  })

async function expectContract(response: Response, what: unknown): Promise<void> {
  const text = await response.text()
  expect({ what, status: response.status, text: text.slice(0, 500) }).not.toMatchObject({ status: 500 })
  expect(response.headers.get("x-request-id")).toBeTruthy()
  if (response.status < 400) return
  expect(text).not.toMatch(/\.ts:\d|\/src\/|node_modules|SQLITE/)
  if (new URL(response.url).pathname.endsWith("/keys/oidc/callback")) return // a page, for people
  const { error } = JSON.parse(text)
  expect(error).toMatchObject({
    code: expect.any(String),
    message: expect.any(String),
    request_id: response.headers.get("x-request-id"),
  })
}

describe("hostile input", () => {
  test("in bodies, paths and queries is answered by the contract", async () => {
    const operation = fc.constantFrom(...operations)
    const request = operation.chain(({ method, path, body }) =>
      fc.record({
        method: fc.constant(method),
        path: fc.constant(path),
        ids: fc.array(fc.constantFrom(...NASTY.filter(text => text && text.isWellFormed())), {
          minLength: 2,
          maxLength: 2,
        }),
        query: fc.dictionary(
          fc.constantFrom("page", "page_size", "q", "status", "name", "tag", "sort", "created_after"),
          fc.constantFrom(...NASTY),
          { maxKeys: 3 },
        ),
        body: bodyOf(body),
      }),
    )
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, ids, query, body }) => {
        let next = 0
        const target = path.replace(/\{\w+\}/g, () => encodeURIComponent(ids[next++ % ids.length]!.slice(0, 500)))
        const search = new URLSearchParams(
          Object.entries(query).map(([name, value]) => [name, value.toWellFormed().slice(0, 500)]),
        )
        const hasBody = !["GET", "HEAD", "DELETE"].includes(method)
        const response = await client.raw(method, `${target}?${search}`, hasBody ? body : undefined, {
          accept: "application/json",
        })
        await expectContract(response, { method, target, body })
      }),
      { numRuns: 250, seed: 20261121, endOnFailure: true },
    )
  }, 60_000)

  test("deep JSON and prototype keys do no harm", async () => {
    const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`
    for (const body of [
      deep,
      `{"query":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
      '{"query":"a","__proto__":{"polluted":true}}',
    ])
      await expectContract(
        await client.raw("POST", "/search", body, { "content-type": "application/json" }),
        body.slice(0, 40),
      )
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test("in multipart is answered by the contract and leaves nothing", async () => {
    const part = (head: string, data: string) => `--b\r\n${head}\r\n\r\n${data}\r\n`
    const bodies = [
      "",
      "--b--\r\n",
      "--b\r\n",
      part("Content-Disposition: form-data", "no name"),
      part('Content-Disposition: form-data; name="files"; filename=""', "no file name"),
      part('Content-Disposition: form-data; name="files"; filename="../../../etc/cron.d/x.txt"', "path"),
      part('Content-Disposition: form-data; name="files"; filename="a\u0000.txt"', "nul"),
      part('Content-Disposition: form-data; name="__proto__"; filename="proto.exe"', "x"),
      part(`Content-Disposition: form-data; name="${"n".repeat(5_000)}"`, "long name"),
      part(
        `Content-Disposition: form-data; name="files"; filename="a.txt"\r\nX-Long: ${"h".repeat(100_000)}`,
        "long header",
      ),
    ]
    for (const body of bodies)
      for (const end of ["--b--\r\n", ""])
        await expectContract(
          await client.raw("POST", "/upload", body + end, { "content-type": "multipart/form-data; boundary=b" }),
          body.slice(0, 80),
        )
    const { body } = await client.get("/libraries?page_size=100")
    for (const file of body.data) expect(file.name).not.toMatch(/[/\\\u0000]/)
  })

  test("in headers neither breaks the log nor the response", async () => {
    const { hostname, port } = new URL(app.url)
    const ask = (lines: string[]) =>
      new Promise<string>(resolve => {
        let text = ""
        const socket = connect(Number(port), hostname, () => socket.write(`${lines.join("\r\n")}\r\n\r\n`))
        socket.on("data", data => {
          text += data.toString("latin1")
        })
        socket.on("close", () => resolve(text))
        socket.on("error", () => resolve(text))
        setTimeout(() => socket.destroy(), 20_000)
      })
    const split = await ask([
      "GET /external/models HTTP/1.1",
      "Host: x",
      "X-Request-Id: a%0d%0aSet-Cookie: stolen=1",
      "Connection: close",
    ])
    expect(split).toStartWith("HTTP/1.1 401")
    expect(split).not.toContain("stolen")
    const huge = await ask(["GET /healthz HTTP/1.1", "Host: x", `X-Huge: ${"h".repeat(200_000)}`, "Connection: close"])
    expect(huge).not.toStartWith("HTTP/1.1 200")
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
  })
})
