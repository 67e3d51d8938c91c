/** A daemon is claimed by its first administrator: members who come before do not shut the door. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { usersAdd } from "../../src/access/users.ts"
import { PASSWORD, startApi } from "./console-api.ts"

let api: Awaited<ReturnType<typeof startApi>>
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

test("a member who is added first leaves the setup link valid, signs in, and sees a daemon that is not set up", async () => {
  const token = (await api.users.newSetupToken())!
  await usersAdd(api.database, { email: "member@example.org", password: PASSWORD })
  expect((await api.call("GET", "/status")).body.configured).toBe(false)
  expect((await api.call("POST", "/setup/check", { token })).body.valid).toBe(true)
  const signedIn = await api.call("POST", "/sessions", { email: "member@example.org", password: PASSWORD })
  expect(signedIn.status).toBe(200)
  const newer = await api.users.newSetupToken()
  expect(newer).toBeString()
  expect((await api.call("POST", "/setup/check", { token })).body.valid).toBe(false)
})

test("of two who use the link at once one becomes the administrator, and then there is no link any more", async () => {
  const token = await api.users.newSetupToken()
  const claim = (email: string) => api.call("POST", "/setup", { token, email, password: PASSWORD })
  const answers = await Promise.all([claim("one@example.org"), claim("two@example.org")])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  expect((await api.call("GET", "/status")).body.configured).toBe(true)
  expect(await api.users.newSetupToken()).toBeNull()
  expect((await api.users.list()).filter(({ role }) => role === "administrator")).toHaveLength(1)
})

test("an administrator made beside the daemon ends the link", async () => {
  const other = await startApi()
  try {
    const token = await other.users.newSetupToken()
    await usersAdd(other.database, { email: "ada@example.org", password: PASSWORD, admin: true })
    const claim = await other.call("POST", "/setup", { token, email: "eve@example.org", password: PASSWORD })
    expect(claim.status).toBe(403)
    expect(await other.users.newSetupToken()).toBeNull()
  } finally {
    await other.stop()
  }
})

test("a password that is refused leaves neither user nor workspace", async () => {
  const wrong = { email: "short@example.org", password: "short", workspace: "typo" }
  expect((await usersAdd(api.database, wrong).catch(error => error)).code).toBe("invalid_request")
  const names = await api.database.selectFrom("workspaces").select("name").execute()
  expect(names.map(({ name }) => name)).toEqual(["default"])
})
