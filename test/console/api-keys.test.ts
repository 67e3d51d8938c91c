import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Console, hasBrowser, rowOf, SLOW_MS, startConsole } from "./console.ts"

let site: Console

beforeAll(async () => {
  if (hasBrowser) site = await startConsole()
}, SLOW_MS)
afterAll(() => site?.stop())

type Shown = Record<"client-id" | "private-key" | "secret", string>

describe.skipIf(!hasBrowser)("Settings → API", () => {
  const status = async (headers: Shown) =>
    (await fetch(`${site.app.url}/external-docs/external/libraries`, { headers })).status

  test(
    "generates a key whose values are shown once and work; rotates with grace; revokes at once",
    async () => {
      const page = await site.enter()
      const readSecrets = async (): Promise<Shown> => {
        await page.getByText("Store these now").waitFor()
        const names = await page.locator(".secrets dt").allInnerTexts()
        const values = await page.locator(".secrets code").allInnerTexts()
        return Object.fromEntries(names.map((name, i) => [name, values[i]!])) as Shown
      }
      const closeSecrets = async () => {
        await page.keyboard.press("Escape") // must not lose what is shown once
        await page.getByText("Store these now").waitFor()
        await page.getByRole("button", { name: "Done" }).click()
        await page.getByRole("button", { name: "Yes, close" }).click()
        await page.getByRole("dialog").waitFor({ state: "detached" })
      }

      await page.getByRole("link", { name: "Settings" }).click()
      await page.getByRole("button", { name: "Generate" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name").fill("Intranet search")
      await dialog.getByLabel("Agent runs").uncheck()
      expect(await dialog.getByLabel("Read the audit log").isChecked()).toBe(false) // few need it
      await dialog.getByLabel("Read what was used").check()
      await dialog.getByLabel("Requests per minute").fill("300")
      await dialog.getByText("Quota", { exact: true }).click()
      await dialog.getByLabel("Requests per day").fill("5000")
      await dialog.getByLabel("Only these contexts").fill("intranet, garden")
      await dialog.getByRole("button", { name: "Generate" }).click()
      const first = await readSecrets()
      expect(await dialog.locator("pre.code").textContent()).toContain(`-H 'secret: ${first.secret}'`)
      expect(await status(first)).toBe(200)
      await closeSecrets()
      expect(await page.content()).not.toContain(first.secret)
      expect(await rowOf(page, "Intranet search").textContent()).toContain("300/min")
      expect(await rowOf(page, "Intranet search").textContent()).toContain("contexts intranet, garden · a quota")
      expect(await rowOf(page, "Intranet search").textContent()).toContain("all but agents, audit, retention")
      const quotas = async () => {
        const keys = await page.evaluate(async () => (await fetch("/external-docs/external/keys")).json())
        return keys.data.map(({ quota }: { quota: unknown }) => quota)
      }
      expect(await quotas()).toEqual([{ requests_per_day: 5000 }])
      await page.getByRole("button", { name: "Change Intranet search" }).click()
      await dialog.getByText("Quota", { exact: true }).click()
      await dialog.getByLabel("Requests per day").fill("")
      await dialog.getByRole("button", { name: "Save" }).click()
      await dialog.waitFor({ state: "detached" })
      expect(await quotas()).toEqual([null])

      await page.getByRole("button", { name: "Rotate Intranet search" }).click()
      await page.getByRole("button", { name: "Rotate", exact: true }).click()
      const second = await readSecrets()
      expect(second.secret).not.toBe(first.secret)
      await closeSecrets()
      expect([await status(first), await status(second)]).toEqual([200, 200])

      await page.getByRole("button", { name: "Revoke Intranet search" }).click()
      await page.getByRole("button", { name: "Revoke", exact: true }).click()
      await rowOf(page, "Intranet search").getByText("Revoked").waitFor()
      expect([await status(first), await status(second)]).toEqual([401, 401])
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "shows texts for an application to paste, with this daemon's address, a model of the library, and a key that is made there",
    async () => {
      const page = await site.enter()
      await page.getByRole("link", { name: "Settings" }).click()
      await page.getByRole("heading", { name: "Connect an application" }).waitFor()
      const text = page.locator("pre.code")
      const names = await page.getByLabel("Application").locator("option").allInnerTexts()
      for (const wanted of ["curl", "TypeScript SDK", "Python SDK", "Go SDK", "Open WebUI", "Claude Code", "Cursor"])
        expect(names).toContain(wanted)
      for (const name of names) {
        await page.getByLabel("Application").selectOption(name)
        expect(await text.textContent()).toContain(site.app.url)
        expect(await text.textContent()).toContain("TOKEN")
      }
      await page.getByLabel("Application").selectOption("Claude Desktop")
      await page.getByRole("button", { name: "Make a key for it" }).click()
      await rowOf(page, "Claude Desktop").waitFor()
      expect(await text.textContent()).toMatch(/"CARREL_TOKEN": "cid_[^"]+"/)
      await page.getByLabel("Application").selectOption("curl")
      const [, token] = /Bearer (\S+)'/.exec((await text.textContent())!)!
      expect(await text.textContent()).toContain('"library/')
      const answer = await fetch(`${site.app.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })
      expect(answer.status).toBe(200)
      await page.reload()
      await page.getByRole("heading", { name: "Connect an application" }).waitFor()
      expect(await page.content()).not.toContain(token)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "requests of a key show up on the overview",
    async () => {
      const client = await site.app.client()
      for (let i = 0; i < 3; i++) await client.get("/libraries")
      const page = await site.enter()
      await page.getByRole("figure").filter({ hasText: "test" }).getByText("3 requests").waitFor()
      await page.getByRole("img", { name: /Requests per minute of test/ }).waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
