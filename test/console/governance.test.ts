import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { ApiKeys } from "../../src/access/keys.ts"
import { usersAdd } from "../../src/access/users.ts"
import { bytes } from "../../src/console/format.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import type { Client } from "../support/app.ts"
import { until } from "../support/until.ts"
import { type Console, hasBrowser, PASSWORD, SLOW_MS, signIn, startConsole } from "./console.ts"

const MEMBER = "bob@example.org"

let site: Console
let client: Client

beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole()
  client = await site.app.client()
  const database = await openSqlite(site.app.data)
  await usersAdd(database, { email: MEMBER, password: PASSWORD, name: "Bob" })
  await client.index([
    { name: "old.txt", data: "The tenant waters the ficus." },
    { name: "case.txt", data: "The tenant has a case." },
  ])
  await database
    .updateTable("files")
    .set({ updated_at: "2020-01-01T00:00:00.000Z" })
    .where("name", "=", "old.txt")
    .execute()
  await database.destroy()
}, SLOW_MS)
afterAll(() => site?.stop())

const open = async (part: string): Promise<Page> => {
  const page = await site.enter()
  await page.goto(`${site.app.url}/governance/${part}`)
  return page
}

/** What is kept of the rules, with the key of somebody else. */
const rules = async () => (await client.get("/retention")).body.rules

describe.skipIf(!hasBrowser)("Governance", () => {
  test(
    "a hold covers what it says, keeps it, and is lifted only after a question",
    async () => {
      const page = await open("holds")
      await page.getByText("Nothing is held").waitFor()
      await page.getByRole("button", { name: "Add a hold" }).click()
      await page.getByLabel("Name").fill("Case 14")
      await page.getByLabel("Only files that match").fill("no json")
      await page.getByRole("button", { name: "Hold", exact: true }).click()
      await page.getByRole("alert").getByText("The filter is not JSON").waitFor()
      await page.getByLabel("Only files that match").fill('{"type": "eq", "key": "file.name", "value": "case.txt"}')
      await page.getByRole("button", { name: "Hold", exact: true }).click()
      await page.getByText("It covers 1 file, 0 conversations and 0 runs").waitFor()
      await page.getByText("What it covers").click()
      await page.getByRole("listitem").getByText("1 file, 0 conversations and 0 runs").waitFor()

      await page.goto(`${site.app.url}/library`)
      await page.getByRole("button", { name: "Delete case.txt" }).click()
      await page.getByText(/hold/i).first().waitFor()
      expect(site.complaints.splice(0).every(text => text.includes("409"))).toBe(true)

      await page.goto(`${site.app.url}/governance/holds`)
      await page.getByRole("button", { name: "Lift Case 14" }).click()
      await page.getByRole("button", { name: "Cancel" }).click()
      expect((await client.get("/holds")).body.data).toHaveLength(1)
      await page.getByRole("button", { name: "Lift Case 14" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Lift", exact: true }).click()
      await page.getByText("Nothing is held").waitFor()
      expect((await client.get("/holds")).body.data).toEqual([])
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "rules are counted before they are saved; one that deletes is saved after a question, one that does not at once",
    async () => {
      const page = await open("retention")
      await page.getByText("Everything is kept").waitFor()
      await page.getByRole("button", { name: "Add a rule" }).click()
      await page.getByLabel("Delete").selectOption({ label: "Files" })
      await page.getByLabel("After days").fill("365")
      await page.getByRole("button", { name: "Preview" }).click()
      const preview = page.getByLabel("Preview", { exact: true }).and(page.locator("section"))
      await preview.getByText("These rules would delete now").waitFor()
      expect(await preview.locator("dl").textContent()).toBe("Files1")
      expect(await rules()).toEqual([])

      await page.getByLabel("After days").fill("3650")
      await preview.waitFor({ state: "detached" }) // it was of another rule
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await page.getByText("Saved").waitFor()
      expect(await rules()).toEqual([{ kind: "files", after_days: 3650, context_id: null, filter: null }])

      await page.getByLabel("After days").fill("365")
      await page.getByRole("button", { name: "Save", exact: true }).click()
      const question = page.getByRole("dialog", { name: "Save these rules?" })
      await question.getByRole("button", { name: "Cancel" }).click()
      expect((await rules())[0].after_days).toBe(3650)
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await question.getByRole("button", { name: "Save, and delete 1 item" }).click()
      await question.waitFor({ state: "detached" })
      await until(async () => (await rules())[0].after_days === 365)

      await page.reload()
      await page.getByRole("button", { name: "Remove rule 1" }).click()
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await page.getByText("Saved").waitFor()
      expect(await rules()).toEqual([])
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a receipt is found by what was deleted, shown, and downloaded as the API answers it",
    async () => {
      const [file] = await client.index([{ name: "gone.txt", data: "The tenant is gone." }])
      const { headers } = await client.delete(`/libraries/${file!.id}`)
      const id = headers.get("x-receipt-id")!
      await until(async () => (await client.get(`/receipts/${id}`)).status === 200)
      const page = await open("receipts")
      await page.getByLabel("Id of what was deleted, or an end user").fill("file_unknown")
      await page.getByText("No receipt of it").waitFor()
      await page.getByLabel("Id of what was deleted, or an end user").fill(file!.id)
      await page.getByRole("button", { name: "A file" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByText(id, { exact: true }).waitFor()
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("link", { name: "Download" }).click(),
      ])
      expect(download.suggestedFilename()).toBe(`${id}.json`)
      expect(await Bun.file(await download.path()).json()).toEqual((await client.get(`/receipts/${id}`)).body)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "usage is summed by day, by key and over the time, as the API sums it; quotas stand beside what was used of them",
    async () => {
      const limited = await site.app.client()
      const database = await openSqlite(site.app.data)
      const keys = new ApiKeys(database)
      await keys.change(limited.key.id, { name: "limited", quota: { requests_per_day: 900, bytes_stored: 2_000 } })
      await database.destroy()
      await limited.index([{ name: "counted.txt", data: "x".repeat(1_500) }])
      const page = await open("usage")
      await page.getByRole("img", { name: "Requests of each of 30 days" }).waitFor()
      await page.getByLabel("By", { exact: true }).selectOption({ label: "Key" })
      const row = page.getByRole("row").filter({ hasText: client.key.name })
      await row.waitFor()
      const { data } = (await client.get("/usage?group_by=key")).body
      const own = data.find((each: { key: string | null }) => each.key === client.key.id)
      expect(own.requests).toBeGreaterThan(0)
      expect(await row.getByRole("cell").nth(1).textContent()).toMatch(/^[1-9]/)
      await page.getByRole("radio", { name: "7 days" }).check()
      await page.getByRole("img", { name: "Requests of each of 7 days" }).waitFor()
      await page.getByLabel("Chart").selectOption({ label: "Uploaded" })
      await page.getByRole("radio", { name: "This month" }).check()
      await page.getByRole("img", { name: `Uploaded of each of ${new Date().getUTCDate()} days` }).waitFor()
      const month = new Date().toISOString().slice(0, 7)
      const all = (await client.get(`/usage?bucket=month&from=${month}-01`)).body.data[0]
      expect(all.bytes_in).toBeGreaterThanOrEqual(1_500)
      const uploaded = page.getByLabel("Sums").locator("div").filter({ hasText: "Uploaded" }).locator("dd")
      expect(await uploaded.textContent()).toBe(bytes(all.bytes_in))
      const quotas = page.getByRole("region", { name: "Quotas" })
      await quotas.getByText("Stored: 1.5 KB of 2.0 KB").waitFor()
      await quotas.getByText(/^Requests today: \d+ of 900$/).waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "the audit log is filtered, shown row by row, exported and verified",
    async () => {
      const page = await open("audit")
      await page.getByText("file.upload").first().waitFor()
      await page.getByLabel("Action, such as file.delete or key").fill("hold")
      await page.getByText("hold.create").waitFor()
      await page.getByText("file.upload").first().waitFor({ state: "detached" })
      await page.getByRole("button", { name: "hold.lift" }).click()
      await page.getByRole("dialog").getByText('"action": "hold.lift"').waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Export" }).click(),
      ])
      const lines = (await Bun.file(await download.path()).text()).trim().split("\n")
      expect(lines.map(line => JSON.parse(line).action.split(".")[0])).toEqual(lines.map(() => "hold"))
      const today = new Date().toISOString().slice(0, 10)
      const days = { before: new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10), today }
      await page.getByLabel("Until").fill(days.before)
      await page.getByText("No such row").waitFor()
      await page.getByLabel("From").fill(days.before)
      await page.getByLabel("Until").fill(days.today)
      await page.getByText("hold.create").waitFor() // of the last day too
      await page.reload()
      expect(await page.getByLabel("From").inputValue()).toBe(days.before)
      await page.getByText("hold.create").waitFor()
      await page.getByLabel("From").fill(days.today)
      await page.getByText("hold.create").waitFor()
      await page.getByRole("button", { name: "Verify" }).click()
      await page.getByText("rows are as they were written").waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "members see nothing of it",
    async () => {
      const page = await site.open()
      const asked: string[] = []
      page.on("request", request => void asked.push(new URL(request.url()).pathname))
      await page.goto(site.app.url)
      await signIn(page, MEMBER)
      expect(await page.getByRole("link", { name: "Governance" }).count()).toBe(0)
      for (const part of ["", "/usage", "/audit", "/retention", "/holds", "/receipts"]) {
        await page.goto(`${site.app.url}/governance${part}`)
        await page.getByText("There is no such page").waitFor()
      }
      expect(asked.filter(path => /^\/external.*(retention|holds|receipts|audit|usage)/.test(path))).toEqual([])
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
