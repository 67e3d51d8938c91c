/** Tokens that an application gives to the sessions of its users: they narrow its key, and end with it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ApiKeys } from "../../src/access/keys.ts"
import type { Database } from "../../src/storage/database.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
/** As a command beside the daemon has it. */
let beside: Database
let keys: ApiKeys
let application: Client
const ids: Record<string, string> = {}

beforeAll(async () => {
  app = await startTestApp()
  beside = await openSqlite(app.data)
  keys = new ApiKeys(beside)
  application = await app.client()
  const add = async (name: string, fields: Record<string, string>) => {
    const [file] = await application.index([{ name, data: `The heron of ${name}.` }], fields)
    ids[name] = file.id
  }
  await add("all.txt", { context_id: "a" })
  await add("hr.txt", { acl: '["group:hr"]', context_id: "a" })
  await add("ada.txt", { acl: '["user:ada", "group:it"]', context_id: "b" })
  await add("nobody.txt", { acl: "[]" })
})
afterAll(async () => {
  await beside.destroy()
  await app.stop()
})

const listed = async (client: Client) =>
  (await client.get("/libraries")).body.data.map(({ name }: { name: string }) => name).sort()
const found = async (client: Client) => {
  const { body } = await client.post("/search", { query: "heron", limit: 100 })
  return body.hits.map((hit: { file: { name: string } }) => hit.file.name).sort()
}
const code = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code]

describe("files with an acl", () => {
  test("are seen by tokens that share a principal, and by the key itself", async () => {
    const seenWith = async (principals: string[] | undefined) => {
      const token = await application.scoped(principals ? { principals } : {})
      const files = await listed(token)
      expect(await found(token)).toEqual(files)
      return files
    }
    const everything = ["ada.txt", "all.txt", "hr.txt", "nobody.txt"]
    expect(await listed(application)).toEqual(everything)
    expect(await seenWith(undefined)).toEqual(everything)
    expect(await seenWith([])).toEqual(["all.txt"])
    expect(await seenWith(["group:hr"])).toEqual(["all.txt", "hr.txt"])
    expect(await seenWith(["group:it", "group:hr"])).toEqual(["ada.txt", "all.txt", "hr.txt"])
    expect(await seenWith(["user:ad", "group:h"])).toEqual(["all.txt"])
  })

  test("show it, and keep it when they are replaced without one", async () => {
    const put = (fields: Record<string, string>) =>
      application.upload([{ name: "kept.txt", data: `${Math.random()}` }], { on_duplicate: "replace", ...fields })
    const first = (await put({ acl: '["user:eve"]' })).body.files[0]
    expect(first.acl).toEqual(["user:eve"])
    const again = (await put({})).body.files[0]
    expect([again.id, again.acl]).toEqual([first.id, ["user:eve"]])
    expect((await put({ acl: "null" })).body.files[0].acl).toBeNull()
    await application.delete(`/libraries/${first.id}`)
  })

  test("take principals in their form alone", async () => {
    for (const acl of ['["hr"]', '["Group:hr"]', '["group:"]', '["group:a b"]', '"group:hr"', "[1]", "{", "7"])
      expect([acl, ...code(await application.upload([{ name: "x.txt", data: "x" }], { acl }))]).toEqual([
        acl,
        400,
        "invalid_request",
      ])
    const many = Array.from({ length: 101 }, (_, i) => `user:${i}`)
    const path = `/libraries/${ids["all.txt"]}`
    expect(code(await application.patch(path, { acl: many }))).toEqual([400, "invalid_request"])
    expect((await application.patch(path, { acl: many.slice(1) })).body.acl).toHaveLength(100)
    expect((await application.patch(path, { acl: null })).body.acl).toBeNull()
  })

  test("are widened by no token", async () => {
    const [file] = await application.index([{ name: "narrow.txt", data: "heron" }], { acl: '["user:a", "user:b"]' })
    const token = await application.scoped({ principals: ["user:a"] })
    const path = `/libraries/${file.id}`
    for (const acl of [null, ["user:a", "user:c"]])
      expect(code(await token.patch(path, { acl }))).toEqual([403, "forbidden"])
    const form = [{ name: "narrow.txt", data: "other" }]
    const replace = { on_duplicate: "replace" }
    expect(code(await token.upload(form, { ...replace, acl: "null" }))).toEqual([403, "forbidden"])
    expect((await token.upload(form, replace)).body.files[0].acl).toEqual(["user:a", "user:b"])
    expect((await token.patch(path, { acl: ["user:b"] })).body.acl).toEqual(["user:b"])
    expect((await token.get(path)).status).toBe(404)
    await application.delete(path)
  })

  test("say why somebody sees them", async () => {
    const ask = async (client: Client, name: string, principals?: string) =>
      (await client.get(`/libraries/${ids[name]}/access${principals === undefined ? "" : `?principals=${principals}`}`))
        .body
    expect(await ask(application, "hr.txt", "user:42,group:hr")).toEqual({
      visible: true,
      reason: "the acl names group:hr",
      acl: ["group:hr"],
      context_id: "a",
    })
    expect((await ask(application, "hr.txt", "user:42")).visible).toBe(false)
    expect((await ask(application, "hr.txt", "")).visible).toBe(false)
    expect((await ask(application, "all.txt", "")).visible).toBe(true)
    expect((await ask(application, "nobody.txt")).visible).toBe(true)
    const token = await application.scoped({ principals: ["group:hr"] })
    expect((await ask(token, "hr.txt")).reason).toBe("the acl names group:hr")
    expect((await ask(token, "ada.txt")).error.code).toBe("not_found")
  })
})

describe("a token", () => {
  test("narrows its key by contexts, filter and scopes, and never widens it", async () => {
    const narrow = await app.client("default", { context_ids: ["a"], scopes: ["files:read", "search", "tokens"] })
    expect(await listed(await narrow.scoped({ context_ids: ["a", "b"] }))).toEqual(["all.txt", "hr.txt"])
    expect(await listed(await narrow.scoped({ context_ids: ["b"] }))).toEqual([])
    const filter = { type: "starts_with", key: "file.name", value: "h" }
    expect(await listed(await narrow.scoped({ filter }))).toEqual(["hr.txt"])
    expect(code(await narrow.post("/tokens", { scopes: ["chat"] }))).toEqual([400, "invalid_request"])
    const token = await narrow.scoped({ scopes: ["search"] })
    const refused = await token.get("/libraries")
    expect(code(refused)).toEqual([403, "forbidden"])
    expect(refused.body.error.message).toBe("the token lacks the scope files:read")
    expect(await found(token)).toEqual(["all.txt", "hr.txt"])
  })

  test("makes no tokens, and is nobody to the console", async () => {
    const token = await application.scoped()
    expect(code(await token.post("/tokens", {}))).toEqual([403, "forbidden"])
    expect(code(await application.post("/tokens", { scopes: ["tokens"] }))).toEqual([400, "invalid_request"])
    expect(code(await token.get("/keys"))).toEqual([401, "unauthorized"])
    const without = await app.client("default", { scopes: ["search"] })
    expect(code(await without.post("/tokens", {}))).toEqual([403, "forbidden"])
  })

  test("is refused in a form that it may not have", async () => {
    for (const bad of [
      { expires_in: 0 },
      { expires_in: 86_401 },
      { expires_in: 1.5 },
      { principals: ["hr"] },
      { context_ids: ["a b"] },
      { end_user: "" },
      { end_user: "x".repeat(129) },
      { scopes: [] },
      { scopes: ["everything"] },
      { principal: ["group:hr"] },
    ])
      expect([bad, ...code(await application.post("/tokens", bad))]).toEqual([bad, 400, "invalid_request"])
    expect(code(await application.post("/tokens", { filter: { type: "eq" } }))).toEqual([422, "invalid_filter"])
  })

  test("ends when its time has come", async () => {
    const { body } = await application.post("/tokens", { expires_in: 2 })
    const ask = async () => (await application.send("GET", "/models", undefined, bearerOf(body.token))).status
    expect(await ask()).toBe(200)
    await Bun.sleep(Date.parse(body.expires_at) + 50 - Date.now())
    expect(await ask()).toBe(401)
  })

  test("is told from headers that come along", async () => {
    const { body } = await application.post("/tokens", {})
    const both = await application.send("GET", "/models", undefined, { authorization: `Bearer ${body.token}` })
    expect(code(both)).toEqual([401, "unauthorized"])
    expect((await application.send("GET", "/models", undefined, bearerOf(`${body.token}x`))).status).toBe(401)
  })

  test("outlives a rotation of its key, is narrowed with it and ends with it, from one request to the next", async () => {
    const key = await app.client()
    const token = await key.scoped()
    expect((await listed(token)).length).toBe(4)
    await keys.rotate(key.key.id)
    expect((await listed(token)).length).toBe(4)
    await keys.change(key.key.id, { context_ids: ["b"] })
    expect(await listed(token)).toEqual(["ada.txt"])
    await keys.change(key.key.id, { scopes: ["search"] })
    expect(code(await token.get("/libraries"))).toEqual([403, "forbidden"])
    await keys.revoke(key.key.id)
    expect(code(await token.post("/search", { query: "heron" }))).toEqual([401, "unauthorized"])
  })

  test("is kept as a hash, and not beyond its time", async () => {
    const { body } = await application.post("/tokens", { expires_in: 1 })
    await Bun.sleep(1_100)
    await application.post("/tokens", {})
    const rows = await beside.selectFrom("scoped_tokens").selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(body.token.slice(4))
    expect(rows.some(({ expires_at }) => expires_at <= body.expires_at)).toBe(false)
  })
})

/** In the place of the three headers. */
const bearerOf = (token: string) => ({
  ...{ "client-id": "", "private-key": "", secret: "" },
  authorization: `Bearer ${token}`,
})
