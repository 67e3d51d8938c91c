/** Clients that hold connections without asking anything: they are cut off, and others do not notice them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect, type Socket } from "node:net"
import { setLogLevel, setLogSink } from "../../src/log.ts"
import { startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

/** The runtime looks every four seconds for connections whose request has not come within ten; a busy machine, later. */
const CUT_WITHIN_MS = 40_000
const EACH = 100

function open(first: string, drip: string): { socket: Socket; closed: Promise<number> } {
  const { hostname, port } = new URL(app.url)
  const began = Date.now()
  const socket = connect(Number(port), hostname, () => socket.write(first))
  const timer = setInterval(() => socket.write(drip), 500)
  const closed = new Promise<number>(resolve =>
    socket.on("close", () => {
      clearInterval(timer)
      resolve(Date.now() - began)
    }),
  )
  socket.on("error", () => {})
  return { socket, closed }
}

describe("a host name of one letter", () => {
  test("neither hides a route nor leads around the credentials", async () => {
    const ask = (path: string) => {
      const { socket } = open(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, "")
      return new Promise<string>(resolve => socket.once("data", data => resolve(data.toString().split("\r\n")[0]!)))
    }
    expect(await ask("/healthz")).toBe("HTTP/1.1 200 OK")
    expect(await ask("/external/models")).toBe("HTTP/1.1 401 Unauthorized")
    expect(await ask("/ab/external/models")).toBe("HTTP/1.1 404 Not Found")
  })
})

describe("connections", () => {
  test("that dribble their headers, or say nothing, are cut while others are served", async () => {
    const slow = Array.from({ length: EACH }, () => open("GET /healthz HTTP/1.1\r\nHost: x\r\n", "X-More: a\r\n"))
    const idle = Array.from({ length: EACH }, () => open("", ""))
    const times: number[] = []
    for (let i = 0; i < 20; i++) {
      const began = performance.now()
      expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
      times.push(performance.now() - began)
      await Bun.sleep(20)
    }
    expect(times.sort((a, b) => a - b)[10]!).toBeLessThan(5_000)
    const lives = await Promise.all([...slow, ...idle].map(({ closed }) => closed))
    expect(Math.max(...lives)).toBeLessThan(CUT_WITHIN_MS)
  }, 60_000)

  test("cannot write lines of their own into the log", async () => {
    const lines: string[] = []
    setLogLevel("info")
    setLogSink(line => void lines.push(line))
    await fetch(`${app.url}/external/models%0a%7B%22level%22:%22forged%22%7D?q=%0aforged`, {
      headers: { "x-request-id": "forged id", "user-agent": "forged" },
    })
    setLogLevel("error")
    setLogSink(line => void process.stdout.write(`${line}\n`))
    expect(lines.length).toBe(1)
    expect(lines[0]).not.toContain("\n")
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: "info", message: "request", status: 401 })
    expect(JSON.parse(lines[0]!).request_id).not.toContain("forged")
  })
})
