/** Sign-in by a provider at the executable, with --offline: the client of OpenID Connect is inside of it, and asks nobody else. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { browserAt } from "../access/oidc/browser.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { BUILD_TIMEOUT_MS, executableCommand } from "../support/executable.ts"
import { freePort } from "../support/live-node.ts"
import { type SignInProvider, startSignInProvider } from "../support/sign-in-provider.ts"

let provider: SignInProvider
let daemon: Daemon
beforeAll(async () => {
  provider = await startSignInProvider()
  const flags = Object.entries(provider.flags).flatMap(([name, value]) => [`--${name}`, value])
  const settings = ["--oidc-only", "--offline", "--oidc-workspace-claim", "department", "--port", String(freePort())]
  daemon = await startDaemon([...flags, ...settings], { command: await executableCommand() })
  await provider.allow(`${daemon.url}/external/keys/oidc/callback`)
  provider.people.set("ada", { email: "ada@example.org", email_verified: true, department: "sales" })
}, BUILD_TIMEOUT_MS)
afterAll(async () => {
  await daemon?.remove()
  await provider?.stop()
})

test("lets people in, also after a kill between start and answer, and takes no answer twice over one", async () => {
  const browser = browserAt(daemon, provider)
  const first = await browser.begin("ada")
  await daemon.kill()
  await daemon.start()
  const { status, session, location } = await browser.finish(first.answer, first.cookie)
  expect([status, location]).toEqual([302, `${daemon.url}/#signed-in`])
  const me = await fetch(`${daemon.url}/external/keys/me`, { headers: { cookie: session } })
  expect(await me.json()).toMatchObject({ user: { email: "ada@example.org" }, workspace: { name: "sales" } })
  await daemon.kill()
  await daemon.start()
  expect(await browser.finish(first.answer, first.cookie)).toMatchObject({
    status: 403,
    code: "used",
    session: "",
  })
})

test("asks only the host that the issuer names", async () => {
  const browser = browserAt(daemon, provider)
  const { port } = new URL(provider.issuer)
  const known = (await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json()) as object
  await daemon.kill() // it takes a description as it is for some seconds
  await daemon.start()
  provider.instead = (_, response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ ...known, token_endpoint: `http://127.0.0.1:${port}/token` }))
  const start = await browser.start()
  provider.instead = undefined
  provider.asked.length = 0
  const cookie = start.headers.getSetCookie()[0]!.split(";")[0]!
  const answer = await provider.signIn(start.headers.get("location")!, "ada")
  expect((await browser.finish(answer, cookie)).code).toBe("provider_unavailable")
  expect(provider.asked).not.toContain("/token")
})
