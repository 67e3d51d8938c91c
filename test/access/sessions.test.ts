import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { sql } from "kysely"
import { ORIGIN, PASSWORD, startApi } from "./console-api.ts"

type Api = Awaited<ReturnType<typeof startApi>>
let api: Api
let admin: { authorization: string }

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

describe("a fresh daemon", () => {
  test("says that it is not configured, and nobody claims it without the token", async () => {
    expect((await api.call("GET", "/status")).body).toEqual({ configured: false, version: "1" })
    const claim = await api.call("POST", "/setup", {
      token: "setup_guess",
      email: "eve@example.org",
      password: PASSWORD,
    })
    expect(claim.status).toBe(403)
    expect((await api.call("GET", "/status")).body.configured).toBe(false)
  })

  const isValid = async (token: string | null) => (await api.call("POST", "/setup/check", { token })).body.valid

  test("a link lasts a day at most, and only the newest is valid", async () => {
    const first = await api.users.newSetupToken()
    expect(await isValid(first)).toBe(true)
    const second = await api.users.newSetupToken()
    expect([await isValid(first), await isValid(second)]).toEqual([false, true])
    const yesterday = new Date(Date.now() - 24 * 3_600_000 - 1).toISOString()
    await sql`update setup_tokens set created_at = ${yesterday}`.execute(api.database)
    expect(await isValid(second)).toBe(false)
    const late = await api.call("POST", "/setup", { token: second, email: "eve@example.org", password: PASSWORD })
    expect(late.status).toBe(403)
  })

  test("is claimed once by the holder of the newest link", async () => {
    const [older, newest] = [await api.users.newSetupToken(), await api.users.newSetupToken()]
    const early = await api.call("POST", "/setup", { token: older, email: "eve@example.org", password: PASSWORD })
    expect(early.status).toBe(403)
    const claim = await api.call("POST", "/setup", { token: newest, email: " Ada@Example.org ", password: PASSWORD })
    expect(claim.status).toBe(201)
    admin = { authorization: `Bearer ${claim.body.token}` }
    expect((await api.call("GET", "/me", undefined, admin)).body.user).toMatchObject({
      email: "ada@example.org",
      role: "administrator",
    })
    for (const token of [older, newest]) {
      const again = await api.call("POST", "/setup", { token, email: "eve@example.org", password: PASSWORD })
      expect(again.status).toBe(403)
    }
    expect(await api.users.newSetupToken()).toBeNull()
    expect((await api.call("GET", "/status")).body.configured).toBe(true)
  })
})

describe("sign-in", () => {
  test("answers a token and a strict cookie; the database holds neither the token nor the password", async () => {
    const { status, body, headers } = await api.call("POST", "/sessions", {
      email: "ada@example.org",
      password: PASSWORD,
    })
    expect(status).toBe(200)
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now())
    expect(headers.get("set-cookie")).toBe(
      `carrel_session=${body.token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=1209600`,
    )
    const { rows } = await sql<{ token_hash: string }>`select * from sessions`.execute(api.database)
    expect(JSON.stringify(rows)).not.toContain(body.token)
    const users = await sql<{ password_hash: string }>`select password_hash from users`.execute(api.database)
    expect(users.rows[0]!.password_hash).toStartWith("$argon2id$")
  })

  test("the cookie is Secure behind TLS", async () => {
    const answer = await api.call(
      "POST",
      "/sessions",
      { email: "ada@example.org", password: PASSWORD },
      { "x-forwarded-proto": "https" },
    )
    expect(answer.headers.get("set-cookie")).toEndWith("; Secure")
  })

  test("says the same of a wrong password and an unknown user", async () => {
    const wrong = await api.call("POST", "/sessions", { email: "ada@example.org", password: "not the password" })
    const unknown = await api.call("POST", "/sessions", { email: "bob@example.org", password: "not the password" })
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(wrong.body).toEqual(unknown.body)
    expect(wrong.headers.get("set-cookie")).toBeNull()
  })

  test("slows down after five failures and takes the right password still", async () => {
    await api.signIn("ada@example.org") // forgets earlier failures
    api.delays.length = 0
    for (let i = 0; i < 5; i++) await api.call("POST", "/sessions", { email: "ada@example.org", password: "wrong" })
    expect(api.delays).toEqual([])
    await api.call("POST", "/sessions", { email: "ada@example.org", password: "wrong" })
    await api.call("POST", "/sessions", { email: "ada@example.org", password: "wrong" })
    expect(api.delays).toEqual([1000, 2000])
    const right = await api.call("POST", "/sessions", { email: "ada@example.org", password: PASSWORD })
    expect(right.status).toBe(200)
    expect(api.delays).toEqual([1000, 2000, 4000])
    await api.signIn("ada@example.org")
    expect(api.delays).toHaveLength(3)
  })

  test("the own password cannot be guessed faster than at the door", async () => {
    const session = await api.signIn("ada@example.org")
    api.delays.length = 0
    const guess = () =>
      api.call("POST", "/me/password", { current_password: "wrong", new_password: "staple battery" }, session)
    for (let i = 0; i < 5; i++) expect((await guess()).status).toBe(400)
    expect(api.delays).toEqual([])
    await guess()
    expect(api.delays).toEqual([1000])
    await api.call("POST", "/sessions", { email: "ada@example.org", password: "wrong" })
    expect(api.delays).toEqual([1000, 2000])
    const change = { current_password: PASSWORD, new_password: PASSWORD }
    expect((await api.call("POST", "/me/password", change, session)).status).toBe(204)
  })

  test("signing out ends the session at once", async () => {
    const session = await api.signIn("ada@example.org")
    expect((await api.call("DELETE", "/sessions", undefined, session)).status).toBe(204)
    expect((await api.call("GET", "/me", undefined, session)).status).toBe(401)
  })
})

describe("a cookie on an unsafe request", () => {
  const post = async (headers: Record<string, string>) => {
    const { authorization } = await api.signIn("ada@example.org")
    const cookie = `other=1; carrel_session=${authorization.slice("Bearer ".length)}`
    return (await api.call("POST", "", { name: "forged" }, { cookie, ...headers })).status
  }

  test("passes from the console's own page", async () => {
    expect(await post({ origin: ORIGIN })).toBe(201)
    expect(await post({ "sec-fetch-site": "same-origin", origin: "https://carrel.example" })).toBe(201)
    expect(await post({ "x-carrel-console": "1" })).toBe(201)
  })

  test("is refused from another site, and when nothing says where it comes from", async () => {
    expect(await post({ origin: "https://evil.example" })).toBe(403)
    expect(await post({ origin: "null" })).toBe(403)
    expect(await post({ "sec-fetch-site": "cross-site" })).toBe(403)
    expect(await post({ "sec-fetch-site": "same-site", origin: "http://127.0.0.1:9999" })).toBe(403)
    expect(await post({ origin: "https://evil.example", "x-carrel-console": "1" })).toBe(403)
    expect(await post({})).toBe(403)
  })
})

describe("the own account", () => {
  test("a changed password ends the other sessions and asks for the present one", async () => {
    const [kept, ended] = [await api.signIn("ada@example.org"), await api.signIn("ada@example.org")]
    const body = { current_password: "wrong", new_password: "another long password" }
    expect((await api.call("POST", "/me/password", body, kept)).body.error.details[0].field).toBe("current_password")
    const right = await api.call("POST", "/me/password", { ...body, current_password: PASSWORD }, kept)
    expect(right.status).toBe(204)
    expect((await api.call("GET", "/me", undefined, kept)).status).toBe(200)
    expect((await api.call("GET", "/me", undefined, ended)).status).toBe(401)
    expect((await api.call("POST", "/sessions", { email: "ada@example.org", password: PASSWORD })).status).toBe(401)
    admin = await api.signIn("ada@example.org", "another long password")
  })

  test("lists its sessions, marks the present one and ends another", async () => {
    const other = await api.signIn("ada@example.org", "another long password")
    const { body } = await api.call("GET", "/sessions", undefined, admin)
    expect(body.data.filter((row: { current: boolean }) => row.current)).toHaveLength(1)
    const otherId = (await api.call("GET", "/sessions", undefined, other)).body.data.find(
      (row: { current: boolean }) => row.current,
    ).id
    expect((await api.call("DELETE", `/sessions/${otherId}`, undefined, admin)).status).toBe(204)
    expect((await api.call("GET", "/me", undefined, other)).status).toBe(401)
  })
})
