/** `/v1/files` beyond what its clients send: limits, bad forms, strangers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { Client, startTestApp, type TestApp } from "../../support/app.ts"

const LIMIT = 1_000_000

let app: TestApp
let client: Client
/** Of another workspace. */
let stranger: Client
const plain = async (workspace?: string, settings = {}) =>
  new Client(() => app.url, (await app.client(workspace, settings)).key, "/v1")
beforeAll(async () => {
  app = await startTestApp({ "max-file-bytes": String(LIMIT) })
  client = await plain()
  stranger = await plain("another")
})
afterAll(() => app.stop())

const formOf = (parts: [name: string, value: string | Blob, fileName?: string][]): FormData => {
  const form = new FormData()
  for (const [name, value, fileName] of parts)
    if (typeof value === "string") form.append(name, value)
    else form.append(name, value, fileName)
  return form
}
const text = (content: string) => new Blob([content])
const upload = (name: string, content: string, more: [string, string][] = []) =>
  client.post("/files", formOf([["file", text(content), name], ["purpose", "assistants"], ...more]))
const stored = () =>
  readdirSync(join(app.data, "blobs")).flatMap(folder => readdirSync(join(app.data, "blobs", folder)))

describe("a form", () => {
  const HERON: [string, Blob, string] = ["file", text("The heron nests in March."), "heron.txt"]
  const wrong: [string, [string, string | Blob, string?][], number, string, string | null][] = [
    ["without a file", [["purpose", "assistants"]], 400, "invalid_multipart", null],
    ["without a purpose", [HERON], 400, "invalid_request", "purpose"],
    ["with an unknown purpose", [["purpose", "fun"], HERON], 400, "invalid_request", "purpose"],
    ["with two files", [HERON, HERON, ["purpose", "assistants"]], 400, "invalid_request", "file"],
    ["whose file has another name", [["files", text("a"), "a.txt"]], 400, "invalid_request", "files"],
    [
      "with an empty file",
      [
        ["file", text(""), "empty.txt"],
        ["purpose", "assistants"],
      ],
      400,
      "empty_file",
      null,
    ],
    [
      "with a program",
      [
        ["file", text("MZ"), "a.exe"],
        ["purpose", "assistants"],
      ],
      415,
      "unsupported_file_type",
      null,
    ],
    ["that is to expire", [["expires_after[seconds]", "3600"], HERON], 400, "invalid_request", "expires_after"],
    ["whose metadata is none", [HERON, ["purpose", "vision"], ["metadata", "[]"]], 400, "invalid_request", "metadata"],
  ]
  for (const [name, parts, status, code, param] of wrong)
    test(`${name} is ${status} and leaves nothing`, async () => {
      const before = stored().length
      const answer = await client.post("/files", formOf(parts))
      expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, param])
      expect(Object.keys(answer.body.error).sort()).toEqual(["code", "message", "param", "request_id", "type"])
      expect(stored().length).toBe(before)
      expect(readdirSync(join(app.data, "tmp")).filter(each => each.startsWith("file_"))).toEqual([])
    })

  test("that is none at all is refused", async () => {
    const json = await client.post("/files", { purpose: "assistants" })
    expect([json.status, json.body.error.code]).toEqual([415, "unsupported_media_type"])
    const cut = await client.post("/files", "--b\r\n", { "content-type": "multipart/form-data; boundary=b" })
    expect([cut.status, cut.body.error.code]).toEqual([400, "invalid_multipart"])
  })

  test("may name context, tags and metadata, and what becomes of a file that is there", async () => {
    const more: [string, string][] = [
      ["context_id", "birds"],
      ["tags", "a,b"],
      ["metadata", '{"year": 2026}'],
      ["on_duplicate", "return_existing"],
    ]
    const [first, second] = [await upload("twin.txt", "A heron.", more), await upload("twin.txt", "A heron.", more)]
    expect(second.body.id).toBe(first.body.id)
    const { body } = await (await app.client()).get(`/libraries/${first.body.id}`)
    expect(body).toMatchObject({ context_id: "birds", tags: ["a", "b"], metadata: { year: 2026 } })
  })
})

describe("a file over the limit", () => {
  test("is 413, however much of it comes", async () => {
    for (const bytes of [LIMIT + 1, 30 * LIMIT]) {
      const answer = await upload("large.txt", "x".repeat(bytes))
      expect([answer.status, answer.body.error.code]).toEqual([413, "file_too_large"])
    }
  })

  test("is told so though the client has more to send", async () => {
    const { hostname, port } = new URL(app.url)
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        const head = [
          "POST /v1/files HTTP/1.1",
          "Host: localhost",
          `Authorization: Bearer ${client.key.token}`,
          "Content-Type: multipart/form-data; boundary=b",
          "Content-Length: 900000000",
        ]
        const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\n\r\n'
        socket.write(`${head.join("\r\n")}\r\n\r\n${part}${"x".repeat(2 * LIMIT)}`)
      })
      socket.on("data", data => {
        socket.destroy()
        resolve(data.toString())
      })
      socket.on("error", reject)
    })
    expect(answer).toStartWith("HTTP/1.1 413")
    expect(answer).toContain('"type":"invalid_request_error"')
  }, 30_000)
})

test("files that came in otherwise are listed as assistants' files", async () => {
  const other = await app.client("otherwise")
  const [record] = await other.index([{ name: "tram.txt", data: "The tram leaves at noon." }])
  const v1 = new Client(() => app.url, other.key, "/v1")
  const { body } = await v1.get("/files?purpose=assistants")
  expect(body).toMatchObject({ object: "list", first_id: record.id, last_id: record.id, has_more: false })
  expect(body.data).toEqual([
    {
      id: record.id,
      object: "file",
      bytes: 24,
      created_at: Math.floor(Date.parse(record.created_at) / 1000),
      filename: "tram.txt",
      purpose: "assistants",
      status: "processed",
    },
  ])
  expect((await v1.get("/files?purpose=user_data")).body.data).toEqual([])
})

test("a content may be asked for in parts", async () => {
  const { body } = await upload("part.txt", "The ferry leaves at noon.")
  const part = await client.raw("GET", `/files/${body.id}/content`, undefined, { range: "bytes=4-8" })
  expect([part.status, await part.text()]).toEqual([206, "ferry"])
})

test("bad cursors are 400 and named", async () => {
  for (const [query, param] of [
    ["limit=0", "limit"],
    ["limit=10001", "limit"],
    ["limit=x", "limit"],
    ["order=up", "order"],
  ]) {
    const answer = await client.get(`/files?${query}`)
    expect([query, answer.status, answer.body.error.param]).toEqual([query, 400, param])
  }
})

test("another workspace's file is 404, and stays", async () => {
  const { body } = await upload("mine.txt", "The ferry leaves at noon.")
  for (const [method, path] of [
    ["GET", `/files/${body.id}`],
    ["GET", `/files/${body.id}/content`],
    ["DELETE", `/files/${body.id}`],
    ["GET", "/files/file_unknown"],
  ] as const) {
    const answer = await stranger.send(method, path)
    expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, "not_found"])
  }
  expect((await stranger.get("/files")).body.data).toEqual([])
  expect((await client.get(`/files/${body.id}`)).status).toBe(200)
})

test("a key without the scope is 403", async () => {
  const reader = await plain("default", { scopes: ["files:read"] })
  expect((await reader.get("/files")).status).toBe(200)
  const refused = await reader.post(
    "/files",
    formOf([
      ["file", text("a"), "a.txt"],
      ["purpose", "assistants"],
    ]),
  )
  expect([refused.status, refused.body.error.type]).toEqual([403, "permission_error"])
})

test("a full disk is 507, and deleting goes on", async () => {
  const { body } = await upload("last.txt", "The last ferry.")
  await app.restart({ "disk-floor-mb": "1048576" })
  const refused = await upload("more.txt", "One more.")
  expect([refused.status, refused.body.error.code]).toEqual([507, "insufficient_storage"])
  expect((await client.delete(`/files/${body.id}`)).body).toEqual({ id: body.id, object: "file", deleted: true })
})
