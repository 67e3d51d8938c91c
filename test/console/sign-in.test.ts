/** Sign-in by a provider in a real browser: the provider is another site, as it is in life. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { type SignInProvider, startSignInProvider } from "../support/sign-in-provider.ts"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, SLOW_MS, signIn, startConsole } from "./console.ts"

let site: Console
let provider: SignInProvider
beforeAll(async () => {
  if (!hasBrowser) return
  provider = await startSignInProvider()
  site = await startConsole({ ...provider.flags, "oidc-admin-group": "carrel-admins" })
  await provider.allow(`${site.app.url}/external/keys/oidc/callback`)
  provider.people.set("grace", { name: "Grace Hopper", email: "grace@example.org", email_verified: true })
}, SLOW_MS)
afterEach(() => site?.closePages())
afterAll(async () => {
  await site?.stop()
  await provider?.stop()
})

/** The provider's own pages load a font, and are not ours to judge. */
const ownComplaints = () =>
  site.complaints
    .splice(0)
    .filter(text => !text.includes(provider.issuer) && !/fonts\.googleapis|ERR_|favicon|Failed to load/.test(text))

async function throughProvider(page: Page, login: string): Promise<void> {
  await page.getByRole("link", { name: `Sign in with ${new URL(provider.issuer).host}` }).click()
  await page.locator("input[name=login]").fill(login)
  await page.locator("input[name=password]").fill("any")
  await page.locator("button[type=submit]").click()
}

describe.skipIf(!hasBrowser)("sign-in by a provider", () => {
  test(
    "goes to the provider and back to the page that was asked for; a reload and the sign-out are as ever",
    async () => {
      const page = await site.open()
      await page.goto(`${site.app.url}/library`)
      await throughProvider(page, "grace")
      await page.getByRole("heading", { name: "Library", exact: true }).waitFor()
      expect(page.url()).toBe(`${site.app.url}/library`)
      await page.reload()
      await page.getByRole("heading", { name: "Library", exact: true }).waitFor()
      await page.goto(`${site.app.url}/settings/account`)
      await page.getByText("grace@example.org · member").waitFor()
      await page.getByRole("button", { name: "Sign out" }).first().click()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      expect(ownComplaints()).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a page says why somebody is not let in, and leads back",
    async () => {
      const page = await site.open()
      await page.goto(site.app.url)
      provider.people.set("nobody", {})
      await throughProvider(page, "nobody")
      await page.getByRole("heading", { name: "Sign-in did not work" }).waitFor()
      await page.getByText("no_email").waitFor()
      await page.getByRole("link", { name: "Go to the console" }).click()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      ownComplaints()
    },
    SLOW_MS,
  )

  test(
    "a page also says that the provider is down, and passwords work beside it",
    async () => {
      await provider.down()
      await site.app.restart()
      const page = await site.open()
      await page.goto(site.app.url)
      await page.getByRole("link", { name: "Sign in with" }).click()
      await page.getByText("provider_unavailable").waitFor()
      await page.getByRole("link", { name: "Go to the console" }).click()
      await signIn(page)
      await page.goto(`${site.app.url}/settings/sign-in`)
      await page.getByText("Who is in the group carrel-admins").waitFor()
      await page.getByText(`${site.app.url}/external/keys/oidc/callback`).waitFor()
      await page.getByRole("button", { name: "Test" }).click()
      await page.getByRole("alert").waitFor()
      ownComplaints()
      await provider.up()
      await page.getByRole("button", { name: "Test" }).click()
      await page.getByText("It answers, and calls itself as the settings do.").waitFor()
      expect(await page.getByRole("alert").count()).toBe(0)
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot({ path: `${Bun.env.CARREL_SCREENSHOTS}/sign-in-light.png` })
    },
    SLOW_MS,
  )

  test(
    "with --oidc-only there is no form but for local administrators, and members are asked for no password",
    async () => {
      await site.app.restart({ "oidc-only": "true" })
      await provider.allow(`${site.app.url}/external/keys/oidc/callback`)
      const page = await site.open()
      await page.goto(site.app.url)
      await page.getByRole("link", { name: "Sign in with" }).waitFor()
      expect(await page.getByLabel("Password").count()).toBe(0)
      await page.getByRole("button", { name: "Sign in as a local administrator" }).click()
      await signIn(page)
      const member = await site.open()
      await member.goto(`${site.app.url}/settings/account`)
      await throughProvider(member, "grace")
      await member.getByText("and have no password here").waitFor()
      ownComplaints()
    },
    SLOW_MS,
  )
})
