/** Views of the library that are kept under a name, and its columns. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, rowOf, SLOW_MS, startConsole } from "./console.ts"

let site: Console
beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole()
  const client = await site.app.client()
  await client.index(
    [1, 2, 3].map(n => ({ name: `note ${n}.txt`, data: `Note ${n}.` })),
    { tags: "old", metadata: JSON.stringify({ year: 2019, nested: { no: "word" } }) },
  )
  await client.index([{ name: "plan.txt", data: "A plan." }])
}, SLOW_MS)
afterAll(() => site?.stop())

const shot = (name: string) => ({ path: `${Bun.env.CARREL_SCREENSHOTS}/${name}.png` })

describe.skipIf(!hasBrowser)("views of the library", () => {
  test(
    "filters, order and columns are kept under a name, follow into another browser, are renamed and deleted",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/library?tag=old&sort=name&order=asc`)
      await rowOf(page, "note 1.txt").waitFor()
      await page.getByRole("button", { name: "Columns" }).click()
      await page.getByLabel("Metadata").check()
      await page.getByLabel("Size").uncheck()
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("library-columns"))
      await page.keyboard.press("Escape")
      await rowOf(page, "note 1.txt").getByText("year: 2019", { exact: true }).waitFor()
      expect(await page.getByRole("columnheader", { name: "Size" }).count()).toBe(0)
      await page.getByRole("button", { name: "Views" }).click()
      const dialog = page.getByRole("dialog", { name: "Views of the library" })
      await dialog.getByLabel("Name", { exact: true }).fill("Old notes")
      await page.keyboard.press("Enter")
      await dialog.getByRole("listitem").getByText("Old notes").waitFor()
      await dialog.getByLabel("Name", { exact: true }).fill("Old notes")
      await page.keyboard.press("Enter")
      await dialog.getByText("there is a view of that name already").waitFor()
      site.complaints.splice(0, 1) // the browser reports the 409 itself
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("library-views"))
      await page.keyboard.press("Escape")
      await page.getByLabel("View", { exact: true }).waitFor()

      const other = await site.enter({ width: 360, height: 740, dark: true })
      await other.goto(`${site.app.url}/library`)
      await rowOf(other, "plan.txt").waitFor()
      await other.getByLabel("View", { exact: true }).selectOption({ label: "Old notes" })
      await rowOf(other, "plan.txt").waitFor({ state: "detached" })
      await rowOf(other, "note 2.txt").getByText("year: 2019", { exact: true }).waitFor()
      expect(new URL(other.url()).searchParams.get("tag")).toBe("old")
      expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
      await other.getByRole("button", { name: "Views" }).click()
      await other.getByRole("button", { name: "Rename Old notes" }).click()
      await other.getByLabel("New name").fill("Notes of 2019")
      await other.keyboard.press("Enter")
      await other.getByRole("listitem").getByText("Notes of 2019").waitFor()
      if (Bun.env.CARREL_SCREENSHOTS) await other.screenshot(shot("library-views-360-dark"))
      await other.getByRole("button", { name: "Delete the view Notes of 2019" }).click()
      await other.getByRole("listitem").waitFor({ state: "detached" })
      await page.reload()
      await rowOf(page, "note 1.txt").waitFor()
      expect(await page.getByLabel("View", { exact: true }).count()).toBe(0)
      expect(await rowOf(page, "plan.txt").count()).toBe(0) // what it showed stays in the address
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
