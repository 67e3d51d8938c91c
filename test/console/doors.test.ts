import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { type Console, EMAIL, hasBrowser, PASSWORD, SLOW_MS, signIn, startConsole } from "./console.ts"

let site: Console

beforeAll(async () => {
  if (hasBrowser) site = await startConsole({}, false)
}, SLOW_MS)
afterEach(() => site?.closePages())
afterAll(() => site?.stop())

describe.skipIf(!hasBrowser)("the doors of the console", () => {
  test(
    "an unclaimed daemon leads nowhere without the link; the link makes the first administrator, once",
    async () => {
      const page = await site.open()
      await page.goto(site.app.url)
      await page.getByText("has no administrator yet").waitFor()
      expect(await page.getByLabel("Password").count()).toBe(0)
      await page.goto(`${site.app.url}/setup?token=setup_guess`)
      await page.getByText("This link does not work").waitFor()

      const link = await site.setupLink()
      await page.goto(link)
      await page.getByLabel("E-mail").fill(EMAIL)
      await page.getByLabel("Password").fill(PASSWORD)
      expect(page.url()).not.toContain("token")
      await page.getByRole("button", { name: "Create the administrator" }).click()
      await page.getByRole("heading", { name: "Overview" }).waitFor()

      const other = await site.open()
      await other.goto(link)
      await other.getByText("This link does not work").waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "signs in and out by keyboard alone; a wrong password says so",
    async () => {
      const page = await site.open()
      await page.goto(site.app.url)
      await page.locator("input[name=email]:focus").waitFor()
      await page.keyboard.type(EMAIL)
      await page.keyboard.press("Tab")
      await page.keyboard.type("not the password")
      await page.keyboard.press("Enter")
      await page.getByRole("alert").waitFor()
      expect(site.complaints.splice(0)).toEqual([expect.stringContaining("401")]) // the browser reports the refusal itself
      await page.getByLabel("Password").fill(PASSWORD)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.reload()
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.waitForLoadState("networkidle") // what it asks for is answered while the session lasts
      await page.getByRole("button", { name: "Sign out" }).focus()
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      await page.goto(`${site.app.url}/library`)
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "an invited member joins, sees no administration, and loses the session when disabled",
    async () => {
      const page = await site.open()
      await page.goto(`${site.app.url}/settings/users`)
      await page.getByLabel("E-mail").fill(EMAIL)
      await page.getByLabel("Password").fill(PASSWORD)
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Invite" }).click()
      await page.getByLabel("E-mail").fill("bob@example.org")
      await page.getByRole("button", { name: "Create a link" }).click()
      const link = (await page.locator(".secrets code").textContent())!
      await page.getByRole("button", { name: "Done" }).click()
      await page.getByText("Open invitations").waitFor()

      const guest = await site.open()
      await guest.goto(link)
      await guest.getByLabel("Your name").fill("Bob")
      await guest.getByLabel("Password").fill(PASSWORD)
      await guest.getByRole("button", { name: "Join" }).click()
      await guest.getByRole("heading", { name: "Overview" }).waitFor()
      await guest.goto(`${site.app.url}/settings/api`)
      await guest.getByRole("heading", { name: "API keys" }).waitFor()
      expect(await guest.getByRole("navigation", { name: "Settings" }).getByRole("link").allInnerTexts()).toEqual([
        "API",
        "Webhooks",
        "Account",
      ])

      await page.reload()
      const row = page.getByRole("listitem").filter({ hasText: "bob@example.org" })
      await row.getByText("signed in just now").waitFor()
      await row.getByRole("button", { name: "Disable", exact: true }).click()
      await row.getByRole("button", { name: "Enable", exact: true }).waitFor()
      expect(site.complaints.splice(0)).toEqual([])
      await guest.reload()
      await guest.getByRole("heading", { name: "Sign in" }).waitFor()
      site.complaints.splice(0) // the browser reports the 401
    },
    SLOW_MS,
  )

  test(
    "a changed password is asked for at the next sign-in",
    async () => {
      const page = await site.open()
      await page.goto(site.app.url)
      await signIn(page)
      await page.goto(`${site.app.url}/settings/account`)
      await page.getByLabel("Current password").fill(PASSWORD)
      await page.getByLabel("New password").fill("a quite different phrase")
      await page.getByRole("button", { name: "Change the password" }).click()
      await page.getByText("Password changed").waitFor()
      await page.getByRole("button", { name: "Sign out" }).first().click()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      await page.goto(site.app.url)
      await signIn(page, EMAIL, "a quite different phrase")
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
