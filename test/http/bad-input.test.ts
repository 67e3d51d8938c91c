/** Requests that are nearly right: what would silently do something else than meant is refused and named. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { MIME_TYPES } from "../../src/ingest/formats/formats.ts"
import { type Answer, type Client, startTestApp, type TestApp } from "../support/app.ts"
import { People, type Session } from "../support/people.ts"

let app: TestApp
let client: Client
let people: People
let session: Session
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  people = new People(app)
  session = (await people.add({ admin: true })).session
})
afterAll(() => app.stop())

const refusal = ({ status, body }: Answer) => [status, body.error?.code, body.error?.details?.[0]?.field]

describe("an unknown field", () => {
  test.each([
    ["POST", "", { name: "narrow", scope: ["search"] }, "scope"],
    ["PATCH", "/key_x", { expire_at: null }, "expire_at"],
    ["POST", "/key_x/rotate", { grace: 60 }, "grace"],
    ["PATCH", "/users/user_x", { disable: true }, "disable"],
    ["POST", "/invitations", { email: "grace@example.org", workspace: "finance" }, "workspace"],
    ["POST", "/workspaces", { name: "finance", redaction: true }, "redaction"],
    ["PATCH", "/workspaces/ws_x", { enforced_redaction: true }, "enforced_redaction"],
  ])("of %s /external/keys%s is refused and named", async (method, path, body, field) => {
    const answer = await people.call(method, path, body, session)
    expect(refusal(answer)).toEqual([400, "invalid_request", field])
    expect(answer.body.error.message).toContain("is not a known field; known are")
  })

  test("leaves no key behind", async () => {
    expect(
      (await people.call("GET", "", undefined, session)).body.data.map((key: { name: string }) => key.name),
    ).toEqual(["test"])
  })

  test("of any other body is ignored", async () => {
    expect((await client.post("/search", { query: "a", colour: "blue" })).status).toBe(200)
  })
})

describe("a file's new name", () => {
  test("must be one that an upload may have", async () => {
    const [file] = await client.index([{ name: "report.txt", data: "The ferry leaves at noon." }])
    for (const name of ["report.exe", "report", "report.txt.exe", ".."])
      expect(refusal(await client.patch(`/libraries/${file.id}`, { name }))).toEqual([400, "invalid_request", "name"])
    expect((await client.get(`/libraries/${file.id}`)).body.name).toBe("report.txt")
    expect((await client.patch(`/libraries/${file.id}`, { name: "Report 2026.TXT" })).body.name).toBe("Report 2026.TXT")
  })
})

describe("a filter for file types", () => {
  test("names the known ones when it holds another", async () => {
    for (const path of ["/search", "/semantic-search"]) {
      const answer = await client.post(path, { query: "ferry", filters: { types: ["txt", "exe"] } })
      expect(refusal(answer)).toEqual([400, "invalid_request", "filters.types"])
      expect(answer.body.error.details[0].issue).toBe(`must be one of ${[...MIME_TYPES.keys()].join(", ")}`)
    }
  })

  test("takes them in any case, with or without the dot", async () => {
    const { body } = await client.post("/search", { query: "ferry", filters: { types: [".TXT"] } })
    expect(body.hits).toHaveLength(1)
  })
})

describe("a compressed body", () => {
  const sent = (path: string, type: string) =>
    client.send("POST", path, new Uint8Array(gzipSync('{"query":"a"}')), {
      "content-type": type,
      "content-encoding": "gzip",
    })

  test("is 415 and told what to send, for JSON and for uploads", async () => {
    for (const answer of [
      await sent("/search", "application/json"),
      await sent("/upload", "multipart/form-data; boundary=b"),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([415, "unsupported_media_type"])
      expect(answer.body.error.hint).toContain("without Content-Encoding")
    }
  })

  test("that is said to be as it is, is read", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "identity" }
    expect((await client.send("POST", "/search", '{"query":"a"}', headers)).status).toBe(200)
  })
})

describe("a method that HTTP knows and no route has", () => {
  test.each(["PROPFIND", "TRACE", "SEARCH"])("%s is 405 with what the path answers", async method => {
    const { hostname, port } = new URL(app.url)
    const answer = await new Promise<string>(resolve => {
      let text = ""
      const head = [`${method} /healthz HTTP/1.1`, "Host: x", "Connection: close", "", ""].join("\r\n")
      const socket = connect(Number(port), hostname, () => socket.write(head))
      socket.on("data", data => {
        text += data.toString()
      })
      socket.on("close", () => resolve(text))
    })
    expect(answer).toStartWith("HTTP/1.1 405")
    expect(answer.toLowerCase()).toContain("allow: get, head")
    expect(answer).toContain('"code":"method_not_allowed"')
  })
})
