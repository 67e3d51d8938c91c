/** Requests whose Host is malformed or missing, over a socket: no client library would send them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { setLogLevel, setLogSink } from "../../src/log.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
})
afterAll(() => app.stop())

function ask(lines: string[], body = ""): Promise<{ status: number; body: any }> {
  const { hostname, port } = new URL(app.url)
  return new Promise((resolve, reject) => {
    let text = ""
    const socket = connect(Number(port), hostname, () => socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`))
    socket.on("data", data => {
      text += data.toString("latin1")
    })
    socket.on("error", reject)
    socket.on("close", () => {
      const content = text.slice(text.indexOf("\r\n\r\n") + 4)
      resolve({ status: Number(text.split(" ")[1]), body: content.startsWith("{") ? JSON.parse(content) : content })
    })
  })
}
const credentials = () => Object.entries(client.credentials).map(([name, value]) => `${name}: ${value}`)

const MALFORMED = [
  "a b",
  "",
  "[]",
  "[::1",
  "x:99999",
  "x:port",
  "%%%",
  "a/b",
  "a@b",
  "x?y",
  "x#y",
  "http://x",
  "a\\b",
  "\u00e9",
  "a,b",
  "x:1:2",
]

describe("a malformed Host", () => {
  test.each(MALFORMED)("%p is an error of the request, whatever is asked for", async host => {
    for (const path of ["/healthz", "/readyz", "/", "/external/models", "/external-docs/docs", "/nothing"]) {
      const { status, body } = await ask([
        `GET ${path}?q=1 HTTP/1.1`,
        `Host: ${host}`,
        ...credentials(),
        "Connection: close",
      ])
      expect([path, status, body.error?.code, body.error?.details]).toEqual([
        path,
        400,
        "invalid_request",
        [{ field: "Host", issue: expect.any(String) }],
      ])
    }
  })

  test("is told in one line of the log, with its path", async () => {
    const lines: any[] = []
    setLogLevel("info")
    setLogSink(line => void lines.push(JSON.parse(line)))
    await ask(["GET /healthz?q=1 HTTP/1.1", "Host: a b", "Connection: close"])
    setLogLevel("error")
    setLogSink(line => void process.stdout.write(`${line}\n`))
    expect(lines).toMatchObject([{ message: "request", path: "/healthz", status: 400 }])
  })
})

test.each(["localhost", "LOCALHOST:80", "x", "a_b.example:1", "127.0.0.1:4747", "[::1]:80", "xn--bcher-kva.example."])(
  "the Host %p is served",
  async host => {
    expect((await ask(["GET /healthz HTTP/1.1", `Host: ${host}`, "Connection: close"])).status).toBe(200)
  },
)

describe("without a Host", () => {
  test("HTTP/1.1 is refused", async () => {
    expect((await ask(["GET /healthz HTTP/1.1", "Connection: close"])).status).toBe(400)
  })

  test("HTTP/1.0 is served: pages, health, and routes with a body", async () => {
    expect((await ask(["GET /healthz HTTP/1.0"])).body).toEqual({ status: "ok" })
    expect((await ask(["GET /external/models?x=1 HTTP/1.0"])).status).toBe(401)
    expect((await ask(["GET /external/models?x=1 HTTP/1.0", ...credentials()])).status).toBe(200)
    const query = JSON.stringify({ query: "ferry" })
    const search = await ask(
      [
        "POST /external/search HTTP/1.0",
        ...credentials(),
        "Content-Type: application/json",
        `Content-Length: ${query.length}`,
      ],
      query,
    )
    expect([search.status, search.body.query]).toEqual([200, "ferry"])
  })
})
