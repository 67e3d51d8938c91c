/** A provider that is down, slow, or answers what no provider answers; and where the daemon goes at all. */
import { afterEach, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import type { RequestListener } from "node:http"
import { describeSignIn } from "../../../src/commands/doctor-sign-in.ts"
import { readConfig } from "../../../src/config.ts"
import { startTestApp } from "../../support/app.ts"
import { startSignInProvider } from "../../support/sign-in-provider.ts"
import { type House, startHouse } from "./browser.ts"

let house: House
afterEach(() => house.stop())

const WELL_KNOWN = "/.well-known/openid-configuration"
/** Answers one path in the provider's place; all others are its own to answer, which the test does not need. */
const answering =
  (path: string, answer: RequestListener): RequestListener =>
  (request, response) =>
    request.url === path ? answer(request, response) : response.writeHead(404).end()
const json =
  (body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
const description = async () => (await fetch(house.provider.issuer + WELL_KNOWN)).json() as Promise<object>

async function expectUnavailable(): Promise<void> {
  const response = await house.start()
  const { error } = await response.json()
  expect([response.status, error.code, error.details]).toEqual([
    503,
    "store_unavailable",
    [{ reason: "provider_unavailable" }],
  ])
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(error.hint).toBeUndefined()
}

describe("a provider that is down", () => {
  test("stops neither the start of the daemon nor local administrators, and is found again by itself", async () => {
    const provider = await startSignInProvider()
    await provider.down()
    const app = await startTestApp({ ...provider.flags, "oidc-only": "true" })
    await app.stop()
    house = await startHouse({ "oidc-only": "true" })
    await house.provider.down()
    await expectUnavailable()
    await house.people.add({ admin: true }) // signs in
    await house.provider.up()
    expect((await house.start()).status).toBe(302)
    await provider.stop()
  })

  test("between the start and the answer is told by the page, and no session is opened", async () => {
    house = await startHouse()
    house.provider.people.set("ada", { email: "ada@example.org", email_verified: true })
    const { answer, cookie } = await house.begin("ada")
    await house.provider.down()
    expect(await house.finish(answer, cookie)).toMatchObject({ status: 503, code: "provider_unavailable", session: "" })
  })

  test("says so to the doctor, who also finds an issuer that is written otherwise", async () => {
    house = await startHouse()
    const doctor = async (issuer: string) => {
      const { flags } = house.provider
      const given = Object.entries({ ...flags, "oidc-issuer": issuer }).flatMap(([name, value]) => [`--${name}`, value])
      return describeSignIn(readConfig(["--data", house.app.data, ...given], {}).config)
    }
    expect(await doctor(house.provider.issuer)).toEqual([
      { what: "sign-in", state: "ok", text: `${house.provider.issuer} answers; as carrel, beside passwords` },
    ])
    const [other] = await doctor(house.provider.issuer.replace("localhost", "127.0.0.1"))
    expect([other?.state, other?.text]).toEqual(["problem", expect.stringContaining("to the last slash")])
    await house.provider.down()
    expect((await doctor(house.provider.issuer))[0]).toMatchObject({
      state: "problem",
      text: expect.stringContaining("no connection to localhost"),
      remedy: expect.stringContaining("start the provider"),
    })
  })
})

describe("a provider that", () => {
  test("never answers is given up", async () => {
    house = await startHouse()
    house.provider.instead = () => {}
    await expectUnavailable()
  }, 30_000)

  test("answers without end is not read to it", async () => {
    house = await startHouse()
    let sent = 0
    house.provider.instead = (_, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const more = () => {
        sent += 65_536
        if (!response.destroyed && sent < 200_000_000) response.write(`"${"a".repeat(65_534)}"`, more)
      }
      more()
    }
    await expectUnavailable()
    expect(sent).toBeLessThan(50_000_000)
  })

  test("describes itself as somebody else, without endpoints, or with addresses that are none", async () => {
    house = await startHouse()
    const own = await description()
    for (const change of [
      { issuer: "https://evil.example" },
      { authorization_endpoint: "javascript:alert(1)" },
      { token_endpoint: undefined },
      { jwks_uri: "file:///etc/passwd" },
    ]) {
      house.provider.instead = answering(WELL_KNOWN, json({ ...own, ...change }))
      await expectUnavailable()
    }
    house.provider.instead = (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")
    await expectUnavailable()
  })

  test("sends its readers elsewhere is not followed", async () => {
    house = await startHouse()
    const other = await startSignInProvider()
    house.provider.instead = (_, response) => response.writeHead(302, { location: other.issuer + WELL_KNOWN }).end()
    await expectUnavailable()
    expect(other.asked).toEqual([])
    await other.stop()
  })

  test("names a host that nobody allowed is not asked there", async () => {
    house = await startHouse()
    const { port } = new URL(house.provider.issuer)
    const elsewhere = { ...(await description()), token_endpoint: `http://127.0.0.1:${port}/token` }
    house.provider.instead = answering(WELL_KNOWN, json(elsewhere))
    const start = await house.start()
    house.provider.instead = undefined
    const cookie = start.headers.getSetCookie()[0]!.split(";")[0]!
    const answer = await house.provider.signIn(start.headers.get("location")!, "ada")
    expect((await house.finish(answer, cookie)).code).toBe("provider_unavailable")
    expect(house.provider.asked).not.toContain("/token")
  })

  test("does not know the secret says so by a page, and gives nobody away", async () => {
    house = await startHouse()
    writeFileSync(house.provider.flags["oidc-client-secret-file"]!, "another secret")
    await house.app.restart()
    await house.provider.allow(`${house.app.url}/external/keys/oidc/callback`)
    expect(await house.refused("ada")).toEqual([502, "client_refused"])
  })

  test("fails at its token endpoint lets nobody in", async () => {
    house = await startHouse()
    const { answer, cookie } = await house.begin("ada")
    house.provider.instead = (_, response) => response.writeHead(500).end("no")
    expect(await house.finish(answer, cookie)).toMatchObject({ status: 503, code: "provider_unavailable", session: "" })
  })
})
