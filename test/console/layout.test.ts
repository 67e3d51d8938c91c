/** Pages fit their window at every width, and scroll in one place only. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { type Console, hasBrowser, LEASE, SLOW_MS, startConsole, upload } from "./console.ts"

const LONG_NAME = "Minutes_of_the_annual_general_meeting_of_the_harbour_offices_2026-03-14_final_version.md"

let site: Console

beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole()
  const page = await site.enter()
  await page.goto(`${site.app.url}/library`)
  await upload(page, LONG_NAME, LEASE)
}, SLOW_MS)
afterAll(() => site?.stop())

/** What scrolls although its content is no larger than a pixel or two, and whether the document itself scrolls. */
const scrolling = (page: Page) =>
  page.evaluate(() => {
    const html = document.documentElement
    const excess = html.scrollHeight - html.clientHeight
    const tabs = document.querySelector(".tabs")
    return { document: excess, tabs: tabs ? tabs.scrollHeight - tabs.clientHeight : 0 }
  })

describe.skipIf(!hasBrowser)("the layout", () => {
  for (const width of [360, 721, 820, 1280])
    test(
      `${width} pixels: the document does not scroll beside the page, file names stay readable, no button is cut off`,
      async () => {
        const page = await site.enter({ width, height: 700 })
        await page.goto(`${site.app.url}/search?q=lease`)
        await page.locator("mark").first().waitFor()
        const found = page.locator(".hit .file-name > span:last-child").first()
        expect((await found.boundingBox())!.width).toBeGreaterThan(180)
        expect(await scrolling(page)).toEqual({ document: 0, tabs: 0 })
        await page.goto(`${site.app.url}/settings/account`)
        await page.getByText("This one").waitFor()
        expect(await scrolling(page)).toEqual({ document: 0, tabs: 0 })
        for (const part of ["usage", "audit", "holds"]) {
          await page.goto(`${site.app.url}/governance/${part}`)
          await page.getByRole("heading", { level: 2 }).first().waitFor()
          expect([part, await scrolling(page)]).toEqual([part, { document: 0, tabs: 0 }])
        }
        await page.goto(`${site.app.url}/library`)
        const name = page.locator(".file-name", { hasText: "Minutes" })
        await name.waitFor()
        expect((await name.boundingBox())!.width).toBeGreaterThan(180)
        const remove = (await page.getByRole("button", { name: `Delete ${LONG_NAME}` }).boundingBox())!
        expect(remove.x + remove.width).toBeLessThanOrEqual(width)
        expect(site.complaints).toEqual([])
      },
      SLOW_MS,
    )

  test(
    "in the narrowest window the names at the bottom stand clear of each other, on every page of Governance",
    async () => {
      const page = await site.enter({ width: 360, height: 740 })
      for (const part of ["usage", "audit", "retention", "holds", "receipts"]) {
        await page.goto(`${site.app.url}/governance/${part}`)
        await page.getByRole("heading", { level: 2 }).first().waitFor()
        expect([part, await scrolling(page)]).toEqual([part, { document: 0, tabs: 0 }])
        const names = await page
          .getByRole("navigation", { name: "Console" })
          .locator("a > span")
          .evaluateAll(elements => elements.map(element => element.getBoundingClientRect()))
        expect(names).toHaveLength(7)
        expect(names[0]!.left).toBeGreaterThan(2)
        expect(names.at(-1)!.right).toBeLessThan(358)
        for (const [i, name] of names.slice(1).entries()) expect(name.left - names[i]!.right).toBeGreaterThan(5)
      }
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "with two workspaces a phone shows the page in its whole width, and both can be chosen",
    async () => {
      const page = await site.enter({ width: 360, height: 740 })
      await page.goto(`${site.app.url}/settings/workspaces`)
      await page.getByLabel("New workspace").fill("Research")
      await page.getByRole("button", { name: "Make" }).click()
      const choice = page.getByLabel("Workspace", { exact: true })
      await choice.waitFor()
      expect((await page.locator("main").boundingBox())!.width).toBe(360)
      await choice.click() // fails where something lies over it
      await choice.selectOption({ label: "Research" })
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
