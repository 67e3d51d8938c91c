import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { setupLink, usersAdd, usersList, usersPasswd } from "../../src/access/users.ts"
import { PASSWORD, startApi } from "./console-api.ts"

type Api = Awaited<ReturnType<typeof startApi>>
let api: Api
let admin: { authorization: string }
let member: { authorization: string }

beforeAll(async () => {
  api = await startApi()
  admin = await api.claim()
})
afterAll(() => api.stop())

describe("invitations", () => {
  test("a link makes the invited user, once", async () => {
    const invited = await api.call("POST", "/invitations", { email: "bob@example.org" }, admin)
    expect(invited.status).toBe(201)
    const { token } = invited.body
    expect((await api.call("POST", "/invitations/check", { token })).body.email).toBe("bob@example.org")
    const accepted = await api.call("POST", "/invitations/accept", { token, password: PASSWORD, name: "Bob" })
    expect(accepted.status).toBe(201)
    member = { authorization: `Bearer ${accepted.body.token}` }
    expect((await api.call("GET", "/me", undefined, member)).body.user).toMatchObject({ name: "Bob", role: "member" })
    expect((await api.call("POST", "/invitations/accept", { token, password: PASSWORD })).status).toBe(403)
    const { data } = (await api.call("GET", "/users", undefined, admin)).body
    expect(data.map((user: { last_signed_in_at: unknown }) => user.last_signed_in_at)).not.toContain(null)
    expect((await api.call("GET", "/invitations", undefined, admin)).body.data).toEqual([])
  })

  test("a withdrawn one does not work", async () => {
    const { body } = await api.call("POST", "/invitations", { email: "eve@example.org" }, admin)
    expect((await api.call("DELETE", `/invitations/${body.id}`, undefined, admin)).status).toBe(204)
    const accepted = await api.call("POST", "/invitations/accept", { token: body.token, password: PASSWORD })
    expect(accepted.status).toBe(403)
  })
})

describe("members", () => {
  test("reach no administrator route", async () => {
    for (const [method, path] of [
      ["GET", "/users"],
      ["GET", "/invitations"],
      ["GET", "/workspaces"],
      ["POST", "/workspaces"],
      ["POST", "/invitations"],
    ] as const)
      expect(
        (await api.call(method, path, method === "POST" ? { name: "x", email: "x@y" } : undefined, member)).status,
      ).toBe(403)
  })

  test("see and change the keys that they made, not those of others", async () => {
    const theirs = (await api.call("POST", "", { name: "theirs" }, admin)).body
    const own = (await api.call("POST", "", { name: "own", scopes: ["search"], rate_limit_per_minute: 5 }, member)).body
    const { body } = await api.call("GET", "", undefined, member)
    expect(body.data.map((key: { id: string }) => key.id)).toEqual([own.id])
    expect(body.pagination.total_items).toBe(1)
    expect(JSON.stringify(body)).not.toContain(own.secret)
    expect((await api.call("DELETE", `/${theirs.id}`, undefined, member)).status).toBe(404)
    expect((await api.call("PATCH", `/${own.id}`, { name: "renamed" }, member)).body).toMatchObject({
      name: "renamed",
      scopes: ["search"],
      rate_limit_per_minute: 5,
    })
  })
})

describe("keys", () => {
  test("nothing happens without a session", async () => {
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["POST", "", { name: "x" }],
      ["POST", "", {}],
      ["DELETE", "/key_x", undefined],
      ["POST", "/key_x/rotate", undefined],
    ] as const) {
      const answer = await api.call(method, path, body)
      expect([answer.status, answer.body.error.code]).toEqual([401, "unauthorized"])
    }
  })

  test("rotate with grace keeps the old pair; revoke ends both at once", async () => {
    const made = await api.call("POST", "", { name: "service" }, admin)
    expect(made.status).toBe(201)
    const { client_id, private_key, secret, id } = made.body
    const verify = async (pair: { private_key: string; secret: string }) =>
      (await api.call("POST", "/verify", { client_id, ...pair })).body.valid
    const old = { private_key, secret }
    expect(await verify(old)).toBe(true)
    const fresh = (await api.call("POST", `/${id}/rotate`, { grace_seconds: 60 }, admin)).body
    expect([await verify(old), await verify(fresh)]).toEqual([true, true])
    const hard = (await api.call("POST", `/${id}/rotate`, undefined, admin)).body
    expect([await verify(fresh), await verify(hard)]).toEqual([false, true])
    expect((await api.call("DELETE", `/${id}`, undefined, admin)).status).toBe(204)
    expect(await verify(hard)).toBe(false)
    const listed = (await api.call("GET", "", undefined, admin)).body.data
    expect(listed.find((key: { id: string }) => key.id === id).revoked_at).toBeString()
  })

  test("the open routes are throttled per address", async () => {
    const statuses = new Set<number>()
    for (let i = 0; i < 70; i++) statuses.add((await api.call("GET", "/status")).status)
    expect([...statuses].sort()).toEqual([200, 429])
  })
})

describe("workspaces", () => {
  test("a session switches only to a workspace of its user, and keys follow it", async () => {
    const made = await api.call("POST", "/workspaces", { name: "research" }, admin)
    expect(made.status).toBe(201)
    expect((await api.call("PATCH", "/me", { workspace_id: made.body.id }, member)).status).toBe(404)
    const me = await api.call("PATCH", "/me", { workspace_id: made.body.id }, admin)
    expect(me.body.workspace.name).toBe("research")
    expect((await api.call("POST", "", { name: "research key" }, admin)).body.workspace).toBe("research")
    expect((await api.call("POST", "/workspaces", { name: "research" }, admin)).status).toBe(409)
  })
})

describe("users", () => {
  test("the last administrator can not be removed, disabled or demoted", async () => {
    const { id } = await api.users.get("ada@example.org")
    expect((await api.call("PATCH", `/users/${id}`, { role: "member" }, admin)).status).toBe(409)
    expect((await api.call("PATCH", `/users/${id}`, { disabled: true }, admin)).status).toBe(409)
    expect((await api.call("DELETE", `/users/${id}`, undefined, admin)).status).toBe(409)
  })

  test("a disabled user is signed out and can not sign in", async () => {
    const { id } = await api.users.get("bob@example.org")
    await api.call("PATCH", `/users/${id}`, { disabled: true }, admin)
    expect((await api.call("GET", "/me", undefined, member)).status).toBe(401)
    expect((await api.call("POST", "/sessions", { email: "bob@example.org", password: PASSWORD })).status).toBe(401)
  })

  test("the command line adds, lists and re-passwords users; a claimed daemon has no setup link", async () => {
    await usersAdd(api.database, { email: "cleo@example.org", password: PASSWORD, workspace: "archive" })
    expect((await usersList(api.database)).find(user => user.email === "cleo@example.org")).toMatchObject({
      role: "member",
      workspaces: ["archive"],
    })
    await usersPasswd(api.database, "cleo@example.org", "a new long password")
    expect(await api.users.authenticate("cleo@example.org", PASSWORD)).toBeNull()
    expect(await api.users.authenticate("cleo@example.org", "a new long password")).toBeString()
    expect(await setupLink(api.database, "http://127.0.0.1:4747")).toBeNull()
  })
})
