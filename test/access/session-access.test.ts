import { afterAll, beforeAll, expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { usersAdd } from "../../src/access/users.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { startTestApp, type TestApp } from "../support/app.ts"

const PASSWORD = "correct horse battery"
let app: TestApp

beforeAll(async () => {
  app = await startTestApp()
  const database = await openSqlite(app.data)
  await usersAdd(database, { email: "ada@example.org", password: PASSWORD, admin: true })
  await usersAdd(database, { email: "bob@example.org", password: PASSWORD, workspace: "other" })
  await ensureWorkspace(database, "other")
  await database.destroy()
}, 60_000)
afterAll(() => app.stop())

const call = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  fetch(`${app.url}/external-docs/external${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

async function signIn(email: string): Promise<{ bearer: Record<string, string>; cookie: Record<string, string> }> {
  const response = await call("POST", "/keys/sessions", {}, { email, password: PASSWORD })
  const { token } = await response.json()
  return {
    bearer: { authorization: `Bearer ${token}` },
    cookie: { cookie: response.headers.get("set-cookie")!.split(";")[0]! },
  }
}

test("a session stands in for the three headers, in its own workspace only", async () => {
  const client = await app.client("default")
  const uploaded = await client.upload([{ name: "note.txt", data: "A note." }])
  const { id } = uploaded.body.files[0]
  const [ada, bob] = [await signIn("ada@example.org"), await signIn("bob@example.org")]
  expect((await call("GET", `/libraries/${id}`, ada.bearer)).status).toBe(200)
  expect((await call("GET", `/libraries/${id}`, ada.cookie)).status).toBe(200)
  expect((await call("GET", `/libraries/${id}`, bob.bearer)).status).toBe(404)
  expect((await call("GET", "/libraries", { authorization: "Bearer cst_guess" })).status).toBe(401)
})

test("the console learns what may be uploaded", async () => {
  const { bearer } = await signIn("ada@example.org")
  expect((await call("GET", "/keys/uploads", {})).status).toBe(401)
  const { max_file_bytes, groups } = await (await call("GET", "/keys/uploads", bearer)).json()
  expect(max_file_bytes).toBe(2 ** 30)
  const types: string[] = groups.flatMap((group: { types: string[] }) => group.types)
  const files = [...types, "exe"].map(type => ({ name: `note.${type}`, data: `A note in ${type}.` }))
  const { body } = await (await app.client("other")).upload(files)
  expect(body.files.map((file: { type: string }) => file.type)).toEqual(types)
  expect(body.rejected.map((file: { name: string }) => file.name)).toEqual(["note.exe"])
})

test("the console learns with whom something can be shared: ids and names of its own workspace, of those who can sign in", async () => {
  const database = await openSqlite(app.data)
  await usersAdd(database, { email: "eve@example.org", password: PASSWORD, name: "Eve", workspace: "other" })
  await usersAdd(database, { email: "zoe@example.org", password: PASSWORD, name: "Zoe", workspace: "other" })
  await database.updateTable("users").set({ disabled_at: new Date().toISOString() }).where("name", "=", "Zoe").execute()
  await database.destroy()
  const members = async (email: string) =>
    (await call("GET", "/keys/members", (await signIn(email)).bearer)).json() as Promise<{ data: object[] }>
  const id = expect.stringMatching(/^user_/)
  expect((await members("bob@example.org")).data).toEqual([
    { id, name: "Eve" },
    { id, name: "bob" },
  ])
  expect((await members("ada@example.org")).data).toEqual([{ id, name: "ada" }])
  expect((await call("GET", "/keys/members", {})).status).toBe(401)
  expect((await call("GET", "/keys/members", (await app.client("other")).credentials)).status).toBe(401)
})

test("wrong session tokens are throttled, right ones still pass", async () => {
  const { bearer } = await signIn("ada@example.org")
  const statuses = new Set<number>()
  for (let i = 0; i < 60; i++)
    statuses.add((await call("GET", "/keys/me", { authorization: `Bearer cst_guess${i}` })).status)
  expect(statuses).toEqual(new Set([401, 429]))
  expect((await call("GET", "/keys/me", bearer)).status).toBe(200)
})

test("a session that runs wild is refused, another goes on", async () => {
  const [wild, calm] = [(await signIn("ada@example.org")).bearer, (await signIn("ada@example.org")).bearer]
  const paths = ["/models", "/keys/me"]
  for (let sent = 0; sent < 3000; sent += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => call("GET", paths[i % 2]!, wild).then(r => r.arrayBuffer())),
    )
  for (const path of paths) {
    const refused = await call("GET", path, wild)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61)
    expect((await call("GET", path, calm)).status).toBe(200)
  }
}, 60_000)

test("requests of a session count against no key's limit", async () => {
  const { bearer } = await signIn("ada@example.org")
  const response = await call("GET", "/libraries", bearer)
  expect(response.headers.get("x-ratelimit-limit")).toBeNull()
})

test("a cookie alone changes nothing: another site could have caused the request", async () => {
  const { cookie, bearer } = await signIn("ada@example.org")
  const search = { query: "note" }
  expect((await call("POST", "/search", cookie, search)).status).toBe(403)
  expect((await call("POST", "/search", { ...cookie, origin: "https://evil.example" }, search)).status).toBe(403)
  expect((await call("POST", "/search", { ...cookie, origin: app.url }, search)).status).toBe(200)
  expect((await call("POST", "/search", bearer, search)).status).toBe(200)
})

test("an API key opens no console route", async () => {
  const client = await app.client("default")
  expect((await call("GET", "/keys", client.credentials)).status).toBe(401)
  expect((await call("GET", "/keys/users", client.credentials)).status).toBe(401)
})
