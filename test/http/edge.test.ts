import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { clientAddress } from "../../src/http/client-address.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

describe("the client's address", () => {
  test.each([
    ["198.51.100.9", null, [], "198.51.100.9"],
    ["::ffff:127.0.0.1", null, [], "127.0.0.1"],
    ["198.51.100.9", "203.0.113.1", [], "198.51.100.9"],
    ["127.0.0.1", "203.0.113.1", ["127.0.0.1"], "203.0.113.1"],
    ["127.0.0.1", "6.6.6.6, 203.0.113.1, 10.0.0.2", ["127.0.0.1", "10.0.0.2"], "203.0.113.1"],
    ["127.0.0.1", "", ["127.0.0.1"], "127.0.0.1"],
  ] as [string, string | null, string[], string][])(
    "of peer %s forwarded for %p with proxies %p is %s",
    (peer, forwarded, trusted, expected) => {
      expect(clientAddress(peer, forwarded, trusted)).toBe(expected)
    },
  )
})

describe("calls from pages of other origins", () => {
  let app: TestApp
  let client: Client
  beforeAll(async () => {
    app = await startTestApp({ "cors-origins": "https://app.example" })
    client = await app.client()
  })
  afterAll(() => app.stop())

  const ask = (origin: string) =>
    fetch(`${app.url}/external-docs/external/search`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "client-id, content-type",
      },
    })

  test("are allowed for the named origin, with its headers", async () => {
    const answer = await ask("https://app.example")
    expect(answer.status).toBe(204)
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example")
    expect(answer.headers.get("access-control-allow-headers")).toContain("private-key")
    const list = await client.get("/libraries", { origin: "https://app.example" })
    expect(list.headers.get("access-control-allow-origin")).toBe("https://app.example")
  })

  test("are not for any other", async () => {
    const answer = await ask("https://evil.example")
    expect(answer.status).toBe(403)
    const { error } = (await answer.json()) as { error: { code: string; message: string; hint: string } }
    expect(error.code).toBe("forbidden")
    expect(error.message).toContain("https://evil.example")
    expect(error.hint).toContain("--cors-origins")
    expect(answer.headers.has("access-control-allow-origin")).toBe(false)
    const list = await client.get("/libraries", { origin: "https://evil.example" })
    expect(list.headers.has("access-control-allow-origin")).toBe(false)
  })
})

test("without allowed origins the browser's question is told which setting is missing", async () => {
  const app = await startTestApp()
  const ask = (path: string) =>
    fetch(app.url + path, {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    })
  const known = await ask("/external/search")
  expect([known.status, await known.text()]).toEqual([403, expect.stringContaining("--cors-origins")])
  expect((await ask("/external/nothing")).status).toBe(401)
  await app.stop()
})

test("a certificate without its key stops the start and says so", () => {
  expect(startTestApp({ "tls-cert": "/nowhere/cert.pem" })).rejects.toThrow("--tls-key")
})
