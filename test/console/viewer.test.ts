/** A document as it is read: beside an answer, from the library, and from a search. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { utils, write } from "@e965/xlsx"
import type { Locator, Page } from "playwright-core"
import { claimOf, matchesOf, supportOf } from "../../src/console/viewer/spans.ts"
import { until } from "../support/until.ts"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const ROWS = 50_000
const FIXTURES = ["scan.pdf", "lease.png", "talk.pptx", "letter.eml"]

const fixture = (name: string) => readFileSync(join(import.meta.dir, "../fixtures/documents", name))

function workbook(): Buffer {
  const book = utils.book_new()
  const rows = Array.from({ length: ROWS }, (_, i) => [`Room ${i + 1}`, 100 + (i % 900), `Tenant ${i + 1}`])
  utils.book_append_sheet(book, utils.aoa_to_sheet([["Room", "Rent", "Tenant"], ...rows]), "Rents")
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ["植物", "يوم"],
      ["榕树", "الخميس"],
    ]),
    "植物",
  )
  return write(book, { type: "buffer", bookType: "xlsx", compression: true })
}

const ids = new Map<string, string>()

const chats = useChatSite(async ({ site }) => {
  const client = await site.app.client()
  const files = await client.index([
    ...FIXTURES.map(name => ({ name, data: fixture(name) })),
    { name: "rooms.xlsx", data: workbook() },
    { name: "remote.html", data: '<h1>Remote</h1><p>A picture: <img src="http://203.0.113.9/spy.png">.</p>' },
  ])
  for (const { name, id } of files) ids.set(name, id)
})

/** Looked at by people where a folder for them is named. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = Bun.env.CARREL_SCREENSHOTS
  if (folder) await page.screenshot({ path: `${folder}/viewer-${name}.png` })
}

async function openFile(page: Page, name: string): Promise<Locator> {
  await page.goto(`${chats.site.app.url}/library?file=${ids.get(name)}`)
  const dialog = page.getByRole("dialog", { name })
  await dialog.getByLabel("Search in the document").waitFor()
  return dialog
}

const drawn = (frame: Locator, alt: string) =>
  until(() => frame.getByAltText(alt).evaluate(shown => (shown as HTMLImageElement).naturalWidth > 0))

async function askAndCite(page: Page): Promise<Locator> {
  await page.getByLabel("Message", { exact: true }).fill("How can the lease be ended?")
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Ask again" }).waitFor()
  const cited = page.getByRole("button", { name: "Source 1" })
  await cited.click()
  return cited
}

const LOOKS = [
  ["light", {}],
  ["dark", { dark: true }],
  ["360", { width: 360, height: 740 }],
] as const

test("what supports an answer is found by its words, in any script, and the whole passage where none is shared", () => {
  const text =
    "Der Mieter zahlt. The notice period is six months. The rent is due. 租约可以提前六个月终止。租金每月支付。"
  const whole = { start: 0, end: text.length }
  const found = (claim: string) => supportOf(text, whole, claim).map(({ start, end }) => text.slice(start, end))
  expect(found(claimOf("It rains. The notice is six months [2]. And so on.", 2))).toEqual([
    "The notice period is six months.",
  ])
  expect(found("提前六个月终止")).toEqual(["租约可以提前六个月终止。"])
  expect(found("Préavis")).toEqual([text])
  expect(claimOf("It rains [1].", 2)).toBe("")
  expect(matchesOf("a.c abc A.C a\nb", "a.c")).toHaveLength(2)
  expect(matchesOf("six\n months", "six months")).toHaveLength(1)
})

describe.skipIf(!hasBrowser)("the viewer", () => {
  for (const [look, options] of LOOKS)
    test(
      `opens beside an answer at the sentence that supports it, and gives the focus back: ${look}`,
      async () => {
        const page = await chats.openChat({ width: 1440, ...options })
        const cited = await askAndCite(page)
        const frame = page.getByRole(look === "360" ? "dialog" : "complementary", { name: "lease.md" })
        const mark = frame.getByLabel("Extracted text").locator("mark")
        await mark.waitFor()
        expect(await mark.textContent()).toContain("notice period of six months")
        expect(await mark.textContent()).not.toContain("monthly rent")
        expect(await violations(page)).toEqual([])
        await keepPicture(page, `chat-${look}`)
        await page.keyboard.press("/")
        await page.keyboard.type("LEASE")
        await frame.getByText("1 of 3").waitFor()
        await page.keyboard.press("Enter")
        await frame.getByText("2 of 3").waitFor()
        await frame.getByRole("button", { name: "Previous mark" }).click()
        await frame.getByText("1 of 3").waitFor()
        await frame.getByLabel("Search in the document").press("Escape")
        expect(await frame.getByLabel("Search in the document").inputValue()).toBe("")
        await page.keyboard.press("Escape")
        await frame.waitFor({ state: "detached" })
        expect(await cited.evaluate(element => element === document.activeElement)).toBe(true)
        expect(chats.site.complaints).toEqual([])
        await chats.site.closePages()
      },
      SLOW_MS,
    )

  test(
    "shows pages as pictures, marks what is searched for on them, and a picture beside its text",
    async () => {
      const page = await chats.site.enter()
      let frame = await openFile(page, "scan.pdf")
      await frame.getByAltText("Page 1 of scan.pdf").waitFor()
      await frame.getByRole("button", { name: "Next page" }).click()
      await until(async () => (await frame.getByLabel("Go to page").inputValue()) === "2")
      await frame.getByLabel("Search in the document").fill("Invoice number")
      await frame.locator("figure[data-page='2'] .page-mark").first().waitFor()
      await drawn(frame, "Page 2 of scan.pdf")
      await keepPicture(page, "pages")
      await frame.getByRole("button", { name: "Text", exact: true }).click()
      await frame.getByLabel("Extracted text").locator("mark.current").waitFor()
      frame = await openFile(page, "lease.png")
      await drawn(frame, "Page 1 of lease.png")
      await frame.getByLabel("Extracted text").getByText("Invoice number 4711").waitFor()
      expect(await violations(page)).toEqual([])
      await keepPicture(page, "picture")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "shows sheets as grids that draw the rows in sight only, slides one by one, a mail with its headings",
    async () => {
      const page = await chats.site.enter({ width: 360, height: 740 })
      let frame = await openFile(page, "rooms.xlsx")
      await frame.getByRole("cell", { name: "Room 1", exact: true }).waitFor()
      const sheet = frame.getByLabel("Sheet Rents")
      expect(await sheet.getByRole("table").getAttribute("aria-rowcount")).toBe(String(ROWS + 1))
      await frame.getByLabel("Search in the document").fill("Tenant 49999")
      await frame.getByText("Tenant 49999", { exact: true }).waitFor()
      expect(await sheet.getByRole("row").count()).toBeLessThan(150)
      expect(await violations(page)).toEqual([])
      await keepPicture(page, "sheet-360")
      await frame.getByLabel("Search in the document").fill("")
      await frame.getByRole("button", { name: "植物" }).click()
      const cell = frame.getByRole("cell", { name: "الخميس" })
      expect(await cell.evaluate(element => getComputedStyle(element).direction)).toBe("rtl")
      frame = await openFile(page, "talk.pptx")
      await frame.getByText("The ficus needs water.").waitFor()
      expect(await frame.getByText("The attic costs 310.").count()).toBe(0)
      await page.keyboard.press("ArrowRight")
      await frame.getByText("The attic costs 310.").waitFor()
      frame = await openFile(page, "letter.eml")
      await frame.getByRole("definition").getByText("tenant@house.test").waitFor()
      await keepPicture(page, "mail-360")
      expect(await violations(page)).toEqual([])
      frame = await openFile(page, "remote.html")
      await frame.getByLabel("Extracted text").getByText("A picture").waitFor()
      expect(chats.site.complaints).toEqual([]) // a request to elsewhere is one
    },
    SLOW_MS,
  )

  test(
    "shows a workbook as one part where GraphQL is switched off",
    async () => {
      const page = await chats.site.enter()
      await page.route("**/graphql", route => route.fulfill({ status: 404, json: { error: { code: "not_found" } } }))
      const frame = await openFile(page, "rooms.xlsx")
      await frame.getByText("Tenant 1", { exact: true }).first().waitFor()
      expect(await frame.getByRole("button", { name: "植物" }).count()).toBe(0)
      chats.site.complaints.splice(0) // the browser tells of the 404
    },
    SLOW_MS,
  )
})
