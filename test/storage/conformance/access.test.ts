/** Keys, users, workspaces and sessions do the same on both databases. */
import { expect, test } from "bun:test"
import { ApiKeys, ensureWorkspace } from "../../../src/access/keys.ts"
import { ScopedTokens } from "../../../src/access/scoped-tokens.ts"
import { Sessions } from "../../../src/access/sessions.ts"
import { Users } from "../../../src/access/users.ts"
import { Workspaces } from "../../../src/access/workspaces.ts"
import { rejection } from "../../support/rejection.ts"
import { onBoth } from "./sides.ts"

const PASSWORD = "correct horse battery"

onBoth(open => {
  test("a key is verified, listed, changed, rotated and revoked", async () => {
    const database = await open()
    const keys = new ApiKeys(database)
    const workspaceId = await ensureWorkspace(database, "Köln")
    expect(await ensureWorkspace(database, "Köln")).toBe(workspaceId)
    const made = await keys.create(workspaceId, { name: "ünïcode", rate_limit_per_minute: 60 })
    const credentials = { clientId: made.client_id, privateKey: made.private_key, secret: made.secret }
    expect(await keys.verify(credentials)).toMatchObject({ keyId: made.id, workspaceId, rateLimitPerMinute: 60 })
    expect(await keys.verify({ ...credentials, secret: "wrong" })).toBeNull()
    expect(await keys.list(workspaceId)).toMatchObject([{ id: made.id, workspace: "Köln", owner: null }])
    const changed = await keys.change(made.client_id, { name: "other", scopes: ["search"] })
    expect([changed.name, changed.scopes]).toEqual(["other", ["search"]])
    const rotated = await keys.rotate(made.id, 60)
    const next = { ...credentials, privateKey: rotated.private_key, secret: rotated.secret }
    for (const pair of [credentials, next]) expect((await keys.verify(pair))?.keyId).toBe(made.id)
    const { credential } = (await keys.verify(next))!
    expect([...(await keys.alive([credential, "key_x y"]))]).toEqual([credential])
    await keys.revoke(made.id)
    expect(await keys.verify(next)).toBeNull()
    expect(await keys.alive([credential])).toEqual(new Set())
  })

  test("a verified key is refused with the next request after it was revoked elsewhere", async () => {
    const database = await open()
    const [here, elsewhere] = [new ApiKeys(database), new ApiKeys(database)]
    const made = await here.create(await ensureWorkspace(database), { name: "k" })
    const credentials = { clientId: made.client_id, privateKey: made.private_key, secret: made.secret }
    const request = async () => here.recall(credentials) ?? (await here.verify(credentials))
    for (let i = 0; i < 3; i++) expect((await request())?.keyId).toBe(made.id)
    await elsewhere.revoke(made.id)
    expect(await request()).toBeNull()
  })

  test("a token is what its key is elsewhere: narrowed and ended with it, from one request to the next", async () => {
    const database = await open()
    const [here, elsewhere] = [new ScopedTokens(database), new ApiKeys(database)]
    const filter = { type: "eq", key: "metadata.größe", value: "ü" }
    const limits = { context_ids: ["a", "b"], filter, models: ["ollama/*"], quota: { bytes_stored: 7 } }
    const made = await elsewhere.create(await ensureWorkspace(database), { name: "k", ...limits })
    expect(await elsewhere.get(made.id)).toMatchObject(limits)
    const minter = (await elsewhere.verify({
      clientId: made.client_id,
      privateKey: made.private_key,
      secret: made.secret,
    }))!
    const settings = { end_user: "Zoë", principals: ["group:hr"], context_ids: ["b", "c"], scopes: ["search"] }
    const { token } = await here.mint(minter, settings)
    const request = async () => here.recall(token) ?? (await here.verify(token))
    const principal = (await request())!
    expect(principal).toMatchObject({ keyId: made.id, scopes: ["search"] })
    expect(principal.view).toMatchObject({ contexts: ["b"], filters: [filter], principals: ["group:hr"] })
    expect([...(await here.alive([principal.credential]))]).toEqual([principal.credential])
    await elsewhere.change(made.id, { filter: null, context_ids: ["a"] })
    expect((await request())!.view).toMatchObject({ contexts: [], filters: [] })
    expect(await here.alive([principal.credential])).toEqual(new Set()) // what it opened ends
    await elsewhere.rotate(made.id)
    const { credential } = (await request())!
    expect([...(await here.alive([credential]))]).toEqual([credential])
    await elsewhere.revoke(made.id)
    expect([await request(), await here.alive([credential])]).toEqual([null, new Set()])
    expect(await here.verify("cat_unknown")).toBeNull()
  })

  test("a user's key works while the user is enabled and in its workspace, and is handed over", async () => {
    const database = await open()
    const [keys, users, workspaces] = [new ApiKeys(database), new Users(database), new Workspaces(database)]
    const workspaceId = await ensureWorkspace(database)
    const add = (email: string) => users.add({ email, password: PASSWORD, role: "administrator", workspaceId })
    const [ada, bob] = [await add("ada@example.org"), await add("Bob@Example.org ")]
    const made = await keys.create(workspaceId, { name: "k" }, ada.id)
    const credentials = { clientId: made.client_id, privateKey: made.private_key, secret: made.secret }
    expect(made.owner).toEqual({ id: ada.id, name: "ada", email: "ada@example.org", active: true })
    await users.change(ada.id, { disabled: true })
    expect([await keys.verify(credentials), (await keys.get(made.id)).owner?.active]).toEqual([null, false])
    await users.change(ada.id, { disabled: false })
    expect((await keys.verify(credentials))?.keyId).toBe(made.id)
    expect((await rejection(keys.change(made.id, { owner_id: "user_x" }))).message).toContain("owner_id")
    const annex = await workspaces.create("Annex", ada.id)
    expect((await workspaces.of(ada.id)).map(({ name }) => name)).toEqual(["default", "Annex"])
    expect(await workspaces.get(annex.id)).toMatchObject({ enforce_redaction: false, member_ids: [ada.id] })
    await users.remove(ada.id, bob.id)
    expect((await keys.get(made.id)).owner?.email).toBe("bob@example.org")
    expect((await rejection(users.remove(bob.id))).message).toContain("last administrator")
    expect(await workspaces.get(annex.id)).toMatchObject({ member_ids: [] })
  })

  test("a workspace's rules are changed and read again by another process", async () => {
    const database = await open()
    const workspaces = new Workspaces(database)
    const id = await ensureWorkspace(database, "Straße")
    await ensureWorkspace(database, "Zebra")
    await ensureWorkspace(database, "apfel")
    expect((await workspaces.list()).map(({ name }) => name)).toEqual(["Straße", "Zebra", "apfel"])
    expect((await workspaces.change(id, { enforce_redaction: true })).enforce_redaction).toBe(true)
    expect((await rejection(workspaces.change(id, { name: "Zebra" }))).message).toContain("already exists")
    expect((await new Workspaces(database).get(id)).enforce_redaction).toBe(true)
  })

  test("a session is opened, verified, listed and ended; an invitation works once", async () => {
    const database = await open()
    const [users, workspaces] = [new Users(database), new Workspaces(database)]
    const sessions = new Sessions(database, workspaces)
    const token = (await users.newSetupToken())!
    expect(await users.isClaimed()).toBe(false)
    const ada = await users.claim(token, { email: "ada@example.org", password: PASSWORD })
    expect([await users.isClaimed(), await users.newSetupToken()]).toEqual([true, null])
    expect(await users.authenticate("ADA@example.org", PASSWORD)).toBe(ada.id)
    expect(await users.authenticate("ada@example.org", "wrong password")).toBeNull()
    const { token: cookie } = await sessions.open(ada.id, { userAgent: "test", address: "::1" })
    const principal = (await sessions.verify(cookie))!
    expect(principal).toMatchObject({ userId: ada.id, role: "administrator" })
    expect(await sessions.list(principal)).toMatchObject([{ id: principal.sessionId, current: true }])
    expect(await sessions.alive([principal.credential, "sess_x"])).toEqual(new Set([principal.credential]))
    const [workspace] = await workspaces.of(ada.id)
    const invited = await workspaces.invite({ email: "eve@x.org", role: "member", workspaceId: workspace!.id }, ada.id)
    expect(await workspaces.listInvitations()).toMatchObject([{ id: invited.id, workspace: "default" }])
    const eve = await workspaces.accept(invited.token, { password: PASSWORD }, users)
    expect(eve).toMatchObject({ email: "eve@x.org", workspaces: ["default"] })
    expect(await workspaces.listInvitations()).toEqual([])
    expect((await rejection(workspaces.getInvitation(invited.token))).message).toContain("no longer valid")
    await sessions.revoke(principal.sessionId, ada.id)
    expect(await sessions.verify(cookie)).toBeNull()
    expect((await rejection(sessions.revoke(principal.sessionId, ada.id))).message).toContain("nothing here")
  })
})
