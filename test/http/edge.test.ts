import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { usersAdd } from "../../src/access/users.ts"
import { clientAddress } from "../../src/http/client-address.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { PASSWORD } from "../support/people.ts"
import { rejection } from "../support/rejection.ts"

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
    // What names the client too, such as that of the SDK: the star.
    expect(answer.headers.get("access-control-allow-headers")).toMatch(/private-key.*authorization.*, \*$/)
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

function makePair(directory: string, name: string): { cert: string; key: string } | undefined {
  const paths = { cert: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) }
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", `/CN=${name}`]
  const { exitCode } = Bun.spawnSync(["openssl", ...request, "-keyout", paths.key, "-out", paths.cert])
  return exitCode === 0 ? paths : undefined
}

async function addUser(app: TestApp): Promise<string> {
  const database = await openSqlite(app.data)
  const { email } = await usersAdd(database, { email: "ada@example.org", password: PASSWORD, admin: true })
  await database.destroy()
  return email
}

test("a certificate with another's key stops the start and says so", async () => {
  const directory = mkdtempSync(join(tmpdir(), "carrel-tls-"))
  const [one, other] = [makePair(directory, "one"), makePair(directory, "other")]
  if (!one || !other) return console.warn("skipped: openssl is not there")
  const start = (tls_key: string) => startTestApp({ "tls-cert": one.cert, "tls-key": tls_key })
  expect((await rejection(start(other.key))).message).toContain("--tls-key: the private key is not the one")
  expect((await rejection(start(one.cert))).message).toContain("--tls-key: the file holds no private key")
  const app = await start(one.key)
  expect(app.url).toStartWith("https://127.0.0.1:")
  await app.stop()
  rmSync(directory, { recursive: true, force: true })
}, 30_000)

test("with a certificate every kind of call is answered over https", async () => {
  const directory = mkdtempSync(join(tmpdir(), "carrel-tls-"))
  const pair = makePair(directory, "one")
  if (!pair) return console.warn("skipped: openssl is not there")
  const app = await startTestApp({ "tls-cert": pair.cert, "tls-key": pair.key })
  const client = await app.client()
  const tls = { tls: { rejectUnauthorized: false } }
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    client.raw(method, path, body, headers, tls as RequestInit)
  try {
    for (const path of ["/healthz", "/external-docs/docs", "/"])
      expect((await fetch(app.url + path, tls as RequestInit)).status).toBe(200)
    expect((await call("GET", "/models")).status).toBe(200)
    expect((await call("GET", "/nothing")).status).toBe(404)
    const form = new FormData()
    form.append("files", new Blob(["The heron stands in the reeds. ".repeat(100_000)]), "heron.txt")
    const uploaded = await (await call("POST", "/upload", form)).json()
    expect(uploaded.files[0].size).toBe(3_100_000)
    const events = await (await call("GET", `/libraries/${uploaded.files[0].id}/events`)).text()
    expect(events).toContain('"status":"searchable"')
    const reply = await call("POST", "/conversations", { message: "Where does the heron stand?" })
    expect(await reply.text()).toContain("event: done")
    const cookie = await fetch(`${app.url}/external/keys/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: await addUser(app), password: PASSWORD }),
      ...tls,
    } as RequestInit)
    expect(cookie.headers.get("set-cookie")).toEndWith("; Secure")
  } finally {
    await app.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}, 60_000)

test("a certificate without its key stops the start and says so", () => {
  expect(startTestApp({ "tls-cert": "/nowhere/cert.pem" })).rejects.toThrow("--tls-key")
})
