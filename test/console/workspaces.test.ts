import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Console, hasBrowser, rowOf, SLOW_MS, startConsole, upload } from "./console.ts"

let site: Console

beforeAll(async () => {
  if (hasBrowser) site = await startConsole()
}, SLOW_MS)
afterAll(() => site?.stop())

describe.skipIf(!hasBrowser)("workspaces", () => {
  test(
    "a new one is empty, can be entered, and keeps its files to itself",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/library`)
      await upload(page, "first.txt", "Belongs to the first workspace.")
      await page.goto(`${site.app.url}/settings/workspaces`)
      await page.getByLabel("New workspace").fill("Research")
      await page.getByRole("button", { name: "Make" }).click()
      const choice = page.getByLabel("Workspace", { exact: true })
      await choice.selectOption({ label: "Research" })
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.getByRole("link", { name: "Library", exact: true }).click()
      await page.getByText("The library is empty").waitFor()
      await choice.selectOption({ label: "default" })
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.getByRole("link", { name: "Library", exact: true }).click()
      await rowOf(page, "first.txt").waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
