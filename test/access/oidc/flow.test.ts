/** Sign-in by a real provider, by requests alone: what is taken, and everything that must not be. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { createPrivateKey, sign } from "node:crypto"
import { newKey } from "../../support/sign-in-provider.ts"
import { type House, startHouse } from "./browser.ts"

let house: House
beforeAll(async () => {
  house = await startHouse()
  house.provider.people.set("ada", { name: "Ada Lovelace", email: "ada@example.org", email_verified: true })
})
afterAll(() => house.stop())
afterEach(() => {
  house.provider.tamper = undefined
  house.provider.instead = undefined
})

type Claims = Record<string, unknown>
const decoded = (part: string): Claims => JSON.parse(Buffer.from(part, "base64url").toString())
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The provider's own ID token with other claims, signed by a key of the test's choice. */
function forged(token: string, changes: Claims, key = house.provider.key(), kid: unknown = key.kid): string {
  const [head, body] = token.split(".").slice(0, 2).map(decoded) as [Claims, Claims]
  const signed = `${encoded({ ...head, kid })}.${encoded({ ...body, ...changes })}`
  const signature = sign("sha256", Buffer.from(signed), createPrivateKey({ key, format: "jwk" }))
  return `${signed}.${signature.toString("base64url")}`
}

describe("signing in by the provider", () => {
  test("opens a session of the person, in the default workspace, as a member; the next time of the same one", async () => {
    const { me, location } = await house.enter("ada")
    expect(me.user).toMatchObject({ email: "ada@example.org", name: "Ada Lovelace", role: "member" })
    expect(me.workspace.name).toBe("default")
    expect(location).toBe(`${house.app.url}/#signed-in`)
    expect((await house.enter("ada")).me.user.id).toBe(me.user.id)
  })

  test("asks with PKCE, state and nonce, new ones each time, for the one address to come back to", async () => {
    const starts = await Promise.all([house.start(), house.start()])
    const asked = starts.map(start => new URL(start.headers.get("location")!).searchParams)
    for (const each of asked) {
      expect(each.get("response_type")).toBe("code")
      expect(each.get("code_challenge_method")).toBe("S256")
      expect(each.get("redirect_uri")).toBe(`${house.app.url}/external/keys/oidc/callback`)
      expect(each.get("scope")).toBe("openid profile email groups")
      expect(each.has("client_secret")).toBe(false)
    }
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked[0]!.get(name)).not.toBe(asked[1]!.get(name))
  })

  test("keeps a cookie that scripts do not see, other sites do not send along, and that ends", async () => {
    const [cookie] = (await house.start()).headers.getSetCookie()
    expect(cookie).toMatch(
      /^carrel_sign_in=[\w-]+; Path=\/external\/keys\/oidc\/callback; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
    const behindTls = (await house.start("", { "x-forwarded-proto": "https" })).headers.getSetCookie()[0]
    expect(behindTls).toEndWith("; Secure")
    const { answer, cookie: kept } = await house.begin("ada")
    const { headers } = await house.finish(answer, kept)
    const [session, cleared] = headers.getSetCookie()
    expect(session).toContain("; HttpOnly; SameSite=Strict; ")
    expect(cleared).toStartWith("carrel_sign_in=; ")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
    expect(headers.get("cache-control")).toBe("no-store")
  })

  test("leads to the page that was asked for, and to no other place", async () => {
    expect((await house.enter("ada", "?to=/library%3Fpage=2")).location).toBe(
      `${house.app.url}/library?page=2#signed-in`,
    )
    const elsewhere = [
      ...["//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example", "javascript:alert(1)"],
      ...[
        "",
        "library",
        "/%09/evil.example".replace("%09", "\t"),
        "/\n/evil.example",
        "/.//evil.example",
        "/a/..//evil.example",
      ],
      ...["/#x", `/${"a".repeat(1_001)}`, "/\u2028x", "@evil.example", "/\u0000"],
    ]
    for (const to of elsewhere) {
      const response = await house.start(`?to=${encodeURIComponent(to)}`)
      expect([to, response.status]).toEqual([to, 400])
    }
  })
})

describe("an answer is not taken", () => {
  test("twice", async () => {
    const { answer, cookie } = await house.begin("ada")
    const both = await Promise.all([house.finish(answer, cookie), house.finish(answer, cookie)])
    expect(both.map(({ status }) => status).sort()).toEqual([302, 403])
    expect(both.find(({ status }) => status === 403)?.code).toBe("used")
    expect((await house.finish(answer, cookie)).code).toBe("used")
  })

  test("with a code that was used for another sign-in", async () => {
    const first = await house.begin("ada")
    await house.finish(first.answer, first.cookie)
    const second = await house.begin("ada")
    const mixed = new URL(second.answer)
    mixed.searchParams.set("code", new URL(first.answer).searchParams.get("code")!)
    expect(await house.finish(mixed.href, second.cookie)).toMatchObject({
      status: 403,
      code: "code_refused",
      session: "",
    })
  })

  test("with a code that somebody else's sign-in got: PKCE and the nonce hold it to its own", async () => {
    const stolen = await house.begin("ada")
    const own = await house.begin("ada")
    const mixed = new URL(own.answer)
    mixed.searchParams.set("code", new URL(stolen.answer).searchParams.get("code")!)
    expect(await house.finish(mixed.href, own.cookie)).toMatchObject({ status: 403, code: "code_refused", session: "" })
  })

  test("from another browser, with another state, a forged cookie, or that of another start", async () => {
    const { answer, cookie } = await house.begin("ada")
    expect(await house.finish(answer)).toMatchObject({ status: 403, code: "no_browser", session: "" })
    const other = await house.begin("ada")
    expect((await house.finish(answer, other.cookie)).code).toBe("wrong_state")
    const [name, value] = cookie.split("=") as [string, string]
    const flipped = `${value.slice(0, 40)}${value[40] === "A" ? "B" : "A"}${value.slice(41)}`
    const forgeries = [
      flipped,
      value.slice(0, -2),
      "",
      "x",
      encoded({ state: "x", nonce: "y", verifier: "z", to: "/" }),
    ]
    for (const forgery of forgeries) expect((await house.finish(answer, `${name}=${forgery}`)).code).toBe("no_browser")
    const stateless = new URL(answer)
    stateless.searchParams.delete("state")
    expect((await house.finish(stateless.href, cookie)).code).toBe("wrong_state")
    expect((await house.finish(answer, cookie)).status).toBe(302) // none of these has used it up
  })

  test("that names another issuer, or comes twice in one address", async () => {
    const foreign = await house.begin("ada")
    const address = new URL(foreign.answer)
    address.searchParams.set("iss", "https://evil.example")
    expect((await house.finish(address.href, foreign.cookie)).code).toBe("bad_token")
    const doubled = await house.begin("ada")
    expect((await house.finish(`${doubled.answer}&code=other`, doubled.cookie)).status).toBeGreaterThanOrEqual(400)
  })

  test("that says no: the page tells it and quotes nothing", async () => {
    const { answer, cookie } = await house.begin("ada")
    const address = new URL(answer)
    address.searchParams.delete("code")
    address.searchParams.set("error", "access_denied")
    address.searchParams.set("error_description", "<script>alert(1)</script>")
    const { status, code, text } = await house.finish(address.href, cookie)
    expect([status, code]).toEqual([403, "denied"])
    expect(text).not.toContain("alert")
  })
})

describe("an ID token is not believed", () => {
  const now = () => Math.floor(Date.now() / 1000)
  const lies: [string, Claims][] = [
    ["of another nonce", { nonce: "another" }],
    ["without a nonce", { nonce: undefined }],
    ["for another client", { aud: "another" }],
    ["for several clients, of whom another one asked", { aud: ["carrel", "another"], azp: "another" }],
    ["of another issuer", { iss: "https://evil.example" }],
    ["that is over", { iat: now() - 7_200, exp: now() - 3_600 }],
    ["without an end", { exp: undefined }],
    ["without a subject", { sub: undefined }],
    ["with a subject of no length", { sub: "" }],
    ["with a subject that is too long", { sub: "a".repeat(300) }],
  ]
  for (const [what, changes] of lies)
    test(what, async () => {
      house.provider.tamper = body => {
        body.id_token = forged(String(body.id_token), changes)
      }
      expect(await house.refused("ada")).toEqual([403, "bad_token"])
    })

  test("signed with another key, whether or not it names the provider's", async () => {
    const key = newKey()
    house.provider.tamper = body => {
      body.id_token = forged(String(body.id_token), {}, key, house.provider.key().kid)
    }
    expect(await house.refused("ada")).toEqual([403, "bad_token"])
    house.provider.tamper = body => {
      body.id_token = forged(String(body.id_token), {}, key)
    }
    expect(await house.refused("ada")).toEqual([403, "bad_token"])
  })

  test("without a signature, with alg none, or signed with the secret that both know", async () => {
    for (const alg of ["none", "HS256"]) {
      house.provider.tamper = body => {
        const [, payload] = String(body.id_token).split(".")
        body.id_token = `${encoded({ alg, typ: "JWT" })}.${payload}.${alg === "none" ? "" : "AAAA"}`
      }
      expect([alg, ...(await house.refused("ada"))]).toEqual([alg, 403, "bad_token"])
    }
  })

  test("that is missing or is none", async () => {
    house.provider.tamper = body => {
      delete body.id_token
    }
    expect(await house.refused("ada")).toEqual([403, "bad_token"])
    house.provider.tamper = body => {
      body.id_token = "no token"
    }
    expect((await house.refused("ada"))[0]).toBeGreaterThanOrEqual(400)
  })

  test("and one that the test forges with the provider's own key and claims is: the lies above fail by themselves", async () => {
    house.provider.tamper = body => {
      body.id_token = forged(String(body.id_token), {})
    }
    expect((await house.enter("ada")).me.user.email).toBe("ada@example.org")
  })
})

test("new keys of the provider hold at once, and its old ones no more", async () => {
  await house.enter("ada")
  const former = house.provider.key()
  await house.provider.rotate()
  await house.enter("ada")
  house.provider.tamper = body => {
    body.id_token = forged(String(body.id_token), {}, former)
  }
  expect(await house.refused("ada")).toEqual([403, "bad_token"])
})

test("no code and no token stands in the log or in the database", async () => {
  const lines: string[] = []
  const { setLogLevel, setLogSink } = await import("../../../src/log.ts")
  setLogLevel("debug")
  setLogSink(line => lines.push(line))
  try {
    const { answer, cookie } = await house.begin("ada")
    const { session } = await house.finish(answer, cookie)
    house.provider.tamper = body => {
      body.id_token = forged(String(body.id_token), { nonce: "another" })
    }
    const refused = await house.begin("ada")
    await house.finish(refused.answer, refused.cookie)
    const secrets = [answer, refused.answer].flatMap(each => [...new URL(each).searchParams.values()].slice(0, 2))
    secrets.push(cookie.split("=")[1]!, session.split("=")[1]!, "eyJ")
    expect(lines.join("\n")).toContain("bad_token")
    for (const secret of secrets) expect(lines.filter(line => line.includes(secret))).toEqual([])
    const database = await Bun.file(`${house.app.data}/carrel.db`).text()
    const wal = await Bun.file(`${house.app.data}/carrel.db-wal`).text()
    for (const secret of secrets) expect((database + wal).includes(secret)).toBe(false)
  } finally {
    setLogLevel("error")
    setLogSink(line => process.stderr.write(`${line}\n`))
  }
})
