/** Who people from the provider are here: found, linked, made; their roles and workspaces; and who stays out. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { usersAdd, usersPasswd } from "../../../src/access/users.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import { PASSWORD } from "../../support/people.ts"
import { type House, startHouse } from "./browser.ts"

const ADMINS = "carrel-admins"

let house: House
let root: { authorization: string }
beforeAll(async () => {
  house = await startHouse({ "oidc-admin-group": ADMINS })
  root = (await house.people.add({ admin: true })).session
})
afterAll(() => house.stop())

const says = (subject: string, claims: Record<string, unknown>) =>
  house.provider.people.set(subject, { email: `${subject}@example.org`, email_verified: true, ...claims })
/** Another port, and so another address to come back to. */
async function again(settings: Record<string, string>): Promise<void> {
  await house.app.restart(settings)
  await house.provider.allow(`${house.app.url}/external/keys/oidc/callback`)
}
const users = async () => (await house.people.call("GET", "/users", undefined, root)).body.data
const withDatabase = async <T>(use: (database: Awaited<ReturnType<typeof openSqlite>>) => Promise<T>): Promise<T> => {
  const database = await openSqlite(house.app.data)
  return use(database).finally(() => database.destroy())
}
/** A user with a password, as the command line makes one. */
const local = (email: string, admin = false) =>
  withDatabase(database => usersAdd(database, { email, password: PASSWORD, admin }))

describe("groups", () => {
  test("make administrators and unmake them, at each sign-in, for the sessions that are open as well", async () => {
    says("gina", { groups: ["staff", ADMINS] })
    const first = await house.enter("gina")
    expect(first.me.user.role).toBe("administrator")
    says("gina", { groups: ["staff"] })
    expect((await house.enter("gina")).me.user.role).toBe("member")
    expect((await house.people.call("GET", "/users", undefined, { cookie: first.session })).status).toBe(403)
    says("gina", { groups: ADMINS }) // one text instead of a list
    expect((await house.enter("gina")).me.user.role).toBe("administrator")
    for (const groups of [undefined, null, [], [`${ADMINS}s`], [[ADMINS]], { [ADMINS]: true }, 7]) {
      says("gina", { groups })
      expect((await house.enter("gina")).me.user.role).toBe("member")
    }
  })

  test("are those of the claim alone, which an acl can name; where it is gone administrators name them again", async () => {
    const of = async (email: string) => (await users()).find((user: { email: string }) => user.email === email)
    const set = async (groups: string[]) => {
      const { id } = await of("hal@example.org")
      return (await house.people.call("PATCH", `/users/${id}`, { groups }, root)).status
    }
    says("hal", {})
    await house.enter("hal")
    expect(await set(["here"])).toBe(200)
    says("hal", { groups: ["staff", "/staff/it", "Human Resources", "hr", "hr"] })
    await house.enter("hal")
    const { issuer } = house.provider
    expect(await of("hal@example.org")).toMatchObject({ groups: ["hr", "staff"], groups_from: issuer })
    expect(await set(["hr", "board"])).toBe(409)
    says("hal", { groups: [] })
    await house.enter("hal")
    expect(await of("hal@example.org")).toMatchObject({ groups: [], groups_from: issuer })
    says("hal", { groups: ["hr"] })
    await house.enter("hal")
    says("hal", {})
    await house.enter("hal")
    expect(await of("hal@example.org")).toMatchObject({ groups: [], groups_from: null })
    expect(await set(["board"])).toBe(200)
    await house.enter("hal")
    expect((await of("hal@example.org")).groups).toEqual(["board"])
  })

  test("let go of the last administrator's rights by letting nobody in, and the open sessions end", async () => {
    says("lea", { groups: [ADMINS] })
    const { session } = await house.enter("lea")
    const others = (await users()).filter(
      (user: { role: string; email: string }) => user.role === "administrator" && user.email !== "lea@example.org",
    )
    for (const { id } of others)
      expect(
        (
          await house.people.call(
            "PATCH",
            `/users/${id}`,
            { disabled: true },
            { cookie: session, "x-carrel-console": "1" },
          )
        ).status,
      ).toBe(200)
    says("lea", { groups: [] })
    expect(await house.refused("lea")).toEqual([403, "last_administrator"])
    expect((await house.people.call("GET", "/me", undefined, { cookie: session })).status).toBe(401)
    await local("rescue@example.org", true)
    expect((await house.enter("lea")).me.user.role).toBe("member")
    root = await house.people.signIn("rescue@example.org")
  })
})

describe("an account that has the address already", () => {
  test("becomes the person's where the provider vouches for the address", async () => {
    const { id } = await local("mia@example.org")
    says("mia", { name: "Mia" })
    expect((await house.enter("mia")).me.user).toMatchObject({ id, name: "Mia", role: "member" })
    expect(
      (await house.people.call("POST", "/sessions", { email: "mia@example.org", password: PASSWORD })).status,
    ).toBe(200)
  })

  test("does not where the provider does not, in whatever words", async () => {
    await local("noah@example.org")
    for (const email_verified of [false, undefined, null, "true", 1]) {
      says("noah", { email_verified })
      expect(await house.refused("noah")).toEqual([403, "email_taken"])
    }
    house.provider.people.set("noah", { preferred_username: "noah@example.org", email_verified: true })
    expect(await house.refused("noah")).toEqual([403, "email_taken"])
  })

  test("does not where it is somebody else's of the same provider", async () => {
    says("first", { email: "shared@example.org" })
    const { me } = await house.enter("first")
    says("second", { email: "Shared@Example.org" })
    expect(await house.refused("second")).toEqual([403, "email_taken"])
    expect((await house.enter("first")).me.user.id).toBe(me.user.id)
  })

  test("an administrator's does not, but for an administrator of the provider", async () => {
    const { id } = await local("olga@example.org", true)
    says("olga", {})
    expect(await house.refused("olga")).toEqual([403, "local_administrator"])
    says("olga", { groups: [ADMINS] })
    expect((await house.enter("olga")).me.user).toMatchObject({ id, role: "administrator" })
  })
})

describe("people", () => {
  test("have a name and an address that break no list and no line", async () => {
    says("paul", { name: `  P\u202eau\nl\u0000 \ud800 ${"ü".repeat(300)}` })
    const { name } = (await house.enter("paul")).me.user
    expect(name).toStartWith("P au l")
    expect(name.length).toBeLessThanOrEqual(128)
    expect(name).toBe(name.toWellFormed())
    expect(/[\p{Cc}\u202e]/u.test(name)).toBe(false)
    says("quinn", { name: "\u0000", preferred_username: ["no text"] })
    expect((await house.enter("quinn")).me.user.name).toBe("quinn")
    for (const email of [
      undefined,
      "",
      "no address",
      "a@b\nc",
      "<a@b>",
      `${"a".repeat(300)}@example.org`,
      7,
      ["a@b"],
    ]) {
      house.provider.people.set("rosa", { email, email_verified: true })
      expect(await house.refused("rosa")).toEqual([403, "no_email"])
    }
  })

  test("stay who they are when their address changes, which is followed where the provider vouches for it", async () => {
    says("sam", {})
    const { me } = await house.enter("sam")
    says("sam", { email: "samuel@example.org", email_verified: false })
    expect((await house.enter("sam")).me.user).toMatchObject({ id: me.user.id, email: "sam@example.org" })
    says("sam", { email: "samuel@example.org" })
    expect((await house.enter("sam")).me.user).toMatchObject({ id: me.user.id, email: "samuel@example.org" })
    says("tom", {})
    await house.enter("tom")
    says("sam", { email: "tom@example.org" })
    expect((await house.enter("sam")).me.user.email).toBe("samuel@example.org") // it is another's here
  })

  test("who are disabled stay out, and their sessions have ended", async () => {
    says("uma", {})
    const { me, session } = await house.enter("uma")
    expect((await house.people.call("PATCH", `/users/${me.user.id}`, { disabled: true }, root)).status).toBe(200)
    expect(await house.refused("uma")).toEqual([403, "disabled"])
    expect((await house.people.call("GET", "/me", undefined, { cookie: session })).status).toBe(401)
  })

  test("who are removed lose their sessions, and are new when they come again", async () => {
    says("vera", {})
    const { me, session } = await house.enter("vera")
    expect((await house.people.call("DELETE", `/users/${me.user.id}`, undefined, root)).status).toBe(204)
    expect((await house.people.call("GET", "/me", undefined, { cookie: session })).status).toBe(401)
    expect((await house.enter("vera")).me.user.id).not.toBe(me.user.id)
  })

  test("have no password that opens anything", async () => {
    says("will", {})
    await house.enter("will")
    for (const password of ["", " ", "!", "any password"])
      expect((await house.people.call("POST", "/sessions", { email: "will@example.org", password })).status).toBe(401)
  })
})

test("the audit log tells of sign-ins and refusals in the workspace of whom they are about", async () => {
  says("ines", {})
  const { me } = await house.enter("ines")
  await house.people.call("PATCH", `/users/${me.user.id}`, { disabled: true }, root)
  expect(await house.refused("ines")).toEqual([403, "disabled"])
  const other = await local("hugo@example.org")
  says("hugo", { email_verified: false })
  expect(await house.refused("hugo")).toEqual([403, "email_taken"])
  const auditor = await house.app.client("default", { scopes: ["audit"] })
  const newest = async (outcome: string, limit: number) => {
    const { body } = await auditor.get(`/audit?action=session.open&outcome=${outcome}&order=desc&limit=${limit}`)
    expect(JSON.stringify(body)).not.toContain("code=")
    return body.data.map(({ actor }: { actor: { type: string; id: string } }) => [actor.type, actor.id])
  }
  expect(await newest("success", 1)).toEqual([["user", me.user.id]])
  // Neither was shown to be the user of that account.
  expect(await newest("denied", 2)).toEqual([
    ["anonymous", other.id],
    ["anonymous", me.user.id],
  ])
})

describe("the workspace claim", () => {
  beforeAll(async () => {
    await again({ "oidc-workspace-claim": "department" })
  })

  test("names the workspace, which is made, and which one leaves with the claim", async () => {
    says("xena", { department: "Vertrieb Süd" })
    const first = await house.enter("xena")
    expect(first.me.workspace.name).toBe("Vertrieb Süd")
    expect(first.me.workspaces.length).toBe(1)
    says("xena", { department: ["research"] })
    const second = await house.enter("xena")
    expect(second.me.workspaces.map(({ name }: { name: string }) => name)).toEqual(["research"])
    expect((await house.people.call("GET", "/me", undefined, { cookie: first.session })).status).toBe(401)
    says("yuri", { department: "research" })
    expect((await house.enter("yuri")).me.workspace.id).toBe(second.me.workspace.id)
  })

  test("leaves alone the workspaces that administrators put somebody into", async () => {
    says("zoe", { department: "legal" })
    const { me } = await house.enter("zoe")
    const { body } = await house.people.call("POST", "/workspaces", { name: "project" }, root)
    await house.people.call("PUT", `/workspaces/${body.id}/members/${me.user.id}`, undefined, root)
    says("zoe", { department: "finance" })
    const after = (await house.enter("zoe")).me
    expect(after.workspace.name).toBe("finance")
    expect(after.workspaces.map(({ name }: { name: string }) => name).sort()).toEqual(["finance", "project"])
  })

  test("lets nobody in where it names none, or one that cannot be", async () => {
    const before = (await house.people.call("GET", "/workspaces", undefined, root)).body.data.length
    const odd = [
      undefined,
      null,
      "",
      "   ",
      "../etc",
      "a\nb",
      "\u202eevil",
      "<b>",
      "a".repeat(65),
      ["a", "b"],
      [],
      7,
      {},
    ]
    for (const department of odd) {
      says("yuri", { department })
      expect([department, ...(await house.refused("yuri"))]).toEqual([department, 403, "bad_workspace"])
    }
    expect((await house.people.call("GET", "/workspaces", undefined, root)).body.data.length).toBe(before)
  })
})

describe("with --oidc-only", () => {
  let member: { cookie: string }
  /** Open before, by a password. */
  let before: { authorization: string }
  beforeAll(async () => {
    before = (await house.people.add()).session
    await again({ "oidc-workspace-claim": "department", "oidc-only": "true" })
    says("mona", { department: "legal" })
    member = { cookie: (await house.enter("mona")).session }
  })

  test("a session of a member that a password opened is over as long as it holds; of the provider's people and of administrators it goes on", async () => {
    expect((await house.people.call("GET", "/me", undefined, before)).status).toBe(401)
    const models = await fetch(`${house.app.url}/external/models`, { headers: before })
    expect(models.status).toBe(401)
    expect((await house.people.call("GET", "/me", undefined, member)).status).toBe(200)
    expect((await house.people.call("GET", "/me", undefined, root)).status).toBe(200)
    await again({ "oidc-workspace-claim": "department" })
    expect((await house.people.call("GET", "/me", undefined, before)).status).toBe(200)
    await again({ "oidc-workspace-claim": "department", "oidc-only": "true" })
  })

  test("members' passwords open nothing; a wrong one is refused as ever; local administrators' do", async () => {
    const signIn = (email: string, password: string) => house.people.call("POST", "/sessions", { email, password })
    expect((await signIn("noah@example.org", PASSWORD)).status).toBe(403)
    expect((await signIn("noah@example.org", "wrong password")).status).toBe(401)
    expect((await signIn("rescue@example.org", PASSWORD)).status).toBe(200)
    await withDatabase(database => usersPasswd(database, "noah@example.org", "another password"))
    expect((await signIn("noah@example.org", "another password")).status).toBe(403)
  })

  test("nobody is invited, accepts an invitation, or gives himself a password", async () => {
    const refused = await house.people.call("POST", "/invitations", { email: "new@example.org" }, root)
    expect(refused.status).toBe(403)
    const change = { current_password: PASSWORD, new_password: "quite another one" }
    expect((await house.people.call("POST", "/me/password", change, member)).status).toBe(403)
    await again({ "oidc-workspace-claim": "department" })
    const { body } = await house.people.call("POST", "/invitations", { email: "new@example.org" }, root)
    await again({ "oidc-workspace-claim": "department", "oidc-only": "true" })
    const accepted = await house.people.call("POST", "/invitations/accept", { token: body.token, password: PASSWORD })
    expect([body, accepted.status]).toEqual([body, 403])
    says("new", { department: "legal" })
    expect((await house.enter("new")).me.user.email).toBe("new@example.org")
  })

  test("the status says so, and administrators see the settings without the secret", async () => {
    const { body } = await house.people.call("GET", "/status")
    expect(body.provider).toEqual({ name: new URL(house.provider.issuer).host, only: true })
    const settings = await house.people.call("GET", "/oidc/settings", undefined, root)
    expect(settings.body.provider).toEqual({
      issuer: house.provider.issuer,
      client_id: "carrel",
      redirect_uri: `${house.app.url}/external/keys/oidc/callback`,
      only: true,
      admin_group: ADMINS,
      workspace_claim: "department",
    })
    expect((await house.people.call("GET", "/oidc/settings", undefined, member)).status).toBe(403)
  })
})
