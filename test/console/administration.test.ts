/** What administrators see of the installation: models, tool servers, storage, failures, settings. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { usersAdd } from "../../src/access/users.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, LEASE, PASSWORD, SLOW_MS, signIn, startConsole } from "./console.ts"
import { type ConsoleModel, startModel } from "./model.ts"

const SHOTS = Bun.env.CARREL_SCREENSHOTS
const SECRET = "sk-a-secret-of-the-installation"

let site: Console
let model: ConsoleModel
const folder = mkdtempSync(join(tmpdir(), "carrel-tool-servers-"))

const backups = join(folder, "backups")

beforeAll(async () => {
  if (!hasBrowser) return
  model = await startModel()
  const server = new URL("../fixtures/mcp/stdio-server.ts", import.meta.url).pathname
  mkdirSync(backups)
  const config = join(folder, "mcp.json")
  const mcpServers = {
    local: { command: process.execPath, args: [server, SECRET] },
    dead: { url: `http://127.0.0.1:9/mcp?key=${SECRET}` },
  }
  writeFileSync(config, JSON.stringify({ mcpServers }))
  site = await startConsole({
    "ollama-host": model.url,
    "mcp-config": config,
    "openai-api-key": SECRET,
    "backup-dir": backups,
  })
}, SLOW_MS)
afterAll(async () => {
  await site?.stop()
  model?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const shot = async (page: Page, name: string) => {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true })
}
const fits = (page: Page) => page.evaluate(() => document.querySelector("main")!.scrollWidth <= innerWidth)

/** Each section with what shows that it has loaded. */
const SECTIONS: Record<string, (page: Page) => Promise<unknown>> = {
  models: page => page.getByText("window of 131,072 tokens").waitFor(),
  tools: page => page.getByText("6 tools").waitFor(),
  storage: page => page.getByRole("meter", { name: "Share of Database" }).waitFor(),
  backups: async page => {
    await page.getByRole("button", { name: "Back up now" }).click()
    await page
      .getByText(/carrel-\d{8}-\d{6}Z\.tar/)
      .first()
      .waitFor()
  },
  failures: page => page.getByText("POST /external/conversations").first().waitFor(),
  daemon: page => page.getByText("--ollama-host").waitFor(),
}

describe.skipIf(!hasBrowser)("administration", () => {
  test(
    "a model says how soon it answers, and why it does not",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/settings/models`)
      await page.getByText("2.0 GB").waitFor()
      await page.getByText("Default", { exact: true }).waitFor()
      await page.getByRole("button", { name: "Test Llama 3.2 3B" }).click()
      await page.getByText(/First piece after .* done after .*: “Either party/).waitFor()
      model.refusal = "out of memory"
      await page.getByRole("button", { name: "Test Llama 3.2 3B" }).click()
      await page.getByRole("alert").waitFor()
      model.refusal = undefined
      expect(site.complaints.splice(0)).toEqual([expect.stringContaining("50")]) // the browser reports the refusal itself
    },
    SLOW_MS,
  )

  test(
    "every section has its figures, and none has a secret or what somebody wrote",
    async () => {
      const client = await site.app.client()
      await client.index([{ name: "lease.md", data: LEASE }])
      model.refusal = "out of memory"
      const asked = { message: "Who is the gardener of Harbour Offices?" }
      const refused = await client.post("/conversations", asked, { accept: "application/json" })
      model.refusal = undefined
      for (const [look, options] of Object.entries({
        light: {},
        dark: { dark: true },
        narrow: { width: 360, height: 740 },
      })) {
        const page = await site.enter(options)
        for (const [section, ready] of Object.entries(SECTIONS)) {
          await page.goto(`${site.app.url}/settings/${section}`)
          await ready(page)
          expect([section, await violations(page), await fits(page)]).toEqual([section, [], true])
          const shown = await page.content()
          expect([section, shown.includes(SECRET), shown.includes("gardener")]).toEqual([section, false, false])
          await shot(page, `${section}-${look}`)
          if (section === "tools") {
            await page.getByText("6 tools").click()
            await page.getByText("local.echo").waitFor()
            await page.getByText("Does not answer").waitFor()
          }
          if (section === "failures") await page.getByText(refused.body.error.request_id).first().waitFor()
          if (section === "daemon") {
            await page.getByLabel("Find a setting").fill("api key")
            expect(await page.getByRole("row").filter({ hasText: "openai_api_key" }).textContent()).toContain("…")
          }
        }
      }
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a user is put into groups, those of others are offered, and a name that no permission can hold is refused",
    async () => {
      const database = await openSqlite(site.app.data)
      for (const name of ["Ann", "Cem"])
        await usersAdd(database, { email: `${name}@example.org`, password: PASSWORD, name })
      await database.destroy()
      const page = await site.enter({ width: 360, height: 740 })
      await page.goto(`${site.app.url}/settings/users`)
      const into = async (name: string, groups: string) => {
        await page.getByRole("button", { name: `Groups of ${name}` }).click()
        await page.getByRole("dialog").getByLabel("Groups", { exact: true }).fill(groups)
        await page.getByRole("button", { name: "Save" }).click()
      }
      await into("Ann", "hr, board")
      await page.getByRole("listitem").filter({ hasText: "Ann" }).getByText("board").waitFor()
      await into("Cem", "h/r")
      await page.getByText("must be 1 to 128 letters").waitFor()
      expect([await violations(page), await fits(page)]).toEqual([[], true])
      await page.getByRole("dialog").getByLabel("Groups", { exact: true }).fill("")
      await page.getByRole("button", { name: "hr", exact: true }).click()
      await shot(page, "groups-narrow")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("listitem").filter({ hasText: "Cem" }).getByText("hr", { exact: true }).waitFor()
      expect(await violations(page)).toEqual([])
      await shot(page, "users-groups-narrow")
      site.complaints.splice(0) // the browser reports the refusal itself
    },
    SLOW_MS,
  )

  test(
    "a link sets a new password once, and signs out whoever had the old one",
    async () => {
      const database = await openSqlite(site.app.data)
      await usersAdd(database, { email: "bob@example.org", password: PASSWORD, name: "Bob" })
      await database.destroy()
      const old = await site.open()
      await old.goto(site.app.url)
      await signIn(old, "bob@example.org")

      const page = await site.enter()
      await page.goto(`${site.app.url}/settings/users`)
      await page.getByRole("button", { name: "New password for Bob" }).click()
      await page.getByRole("button", { name: "Create a link" }).click()
      const link = (await page.locator(".secrets code").textContent())!
      await shot(page, "reset-link-light")
      expect(await violations(page)).toEqual([])

      const guest = await site.open({ width: 360, height: 740 })
      await guest.goto(link)
      await guest.getByText("bob@example.org").waitFor()
      expect(guest.url()).not.toContain("token")
      expect(await violations(guest)).toEqual([])
      await shot(guest, "reset-door-narrow")
      await guest.getByLabel("Password").fill("a quite different phrase")
      await guest.getByRole("button", { name: "Set the password" }).click()
      await guest.getByRole("heading", { name: "Overview" }).waitFor()

      await old.reload()
      await old.getByRole("heading", { name: "Sign in" }).waitFor()
      await signIn(old, "bob@example.org", "a quite different phrase")
      await guest.goto(link)
      await guest.getByText("has been used or has expired").waitFor()
      site.complaints.splice(0) // the browser reports the refusals itself
    },
    SLOW_MS,
  )
})
