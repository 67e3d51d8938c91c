/** A library that is too long for a page. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { until } from "../support/until.ts"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, rowOf, SLOW_MS, startConsole } from "./console.ts"
import { addManyFiles, nameOf } from "./many.ts"

const FILES = 100_000
/** Far more than any window shows, with those around it. */
const FEW = 60

let site: Console
beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole()
  await addManyFiles(site.app, FILES)
}, SLOW_MS)
afterAll(() => site?.stop())

const shot = (name: string) => ({ path: `${Bun.env.CARREL_SCREENSHOTS}/${name}.png` })
const BY_NAME = "/library?sort=name&order=asc"

async function open(address = BY_NAME, options = {}): Promise<Page> {
  const page = await site.enter(options)
  await page.goto(`${site.app.url}${address}`)
  await page.locator("tr[data-index]:not(.missing)").first().waitFor()
  return page
}

/** The files in view, with their positions. */
const seen = (page: Page): Promise<[number, string][]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("tr[data-index]:not(.missing)")]
      .filter(row => {
        const { top, bottom } = row.getBoundingClientRect()
        return bottom > 40 && top < innerHeight
      })
      .map(row => [Number(row.dataset.index), row.querySelector(".file-name span:last-child")!.textContent!]),
  )
const firstSeen = async (page: Page) => (await seen(page))[0] ?? [-1, ""]
/** Drawn when it is over. */
const scroll = (page: Page, by: number) =>
  page.evaluate(async by => {
    document.getElementById("main")!.scrollBy(0, by)
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
  }, by)
const focusedName = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest("tr")?.querySelector(".file-name span:last-child")?.textContent)

/** After every drawing, where a machine is slow: longer than a list takes to be at rest. */
const LATE_MS = 1_500

describe.skipIf(!hasBrowser)("100 000 files", () => {
  test(
    "only those in view stand in the page, which says of each where it is; keys go through all of them",
    async () => {
      const page = await open()
      const table = page.getByRole("table")
      expect(await table.getAttribute("aria-rowcount")).toBe(String(FILES + 1))
      const first = page.getByRole("button", { name: nameOf(0) }).first()
      await first.focus()
      await page.keyboard.press("ArrowDown")
      await until(async () => (await focusedName(page)) === nameOf(1))
      await page.keyboard.press("End")
      await until(async () => (await focusedName(page)) === nameOf(FILES - 1))
      expect(await rowOf(page, nameOf(FILES - 1)).getAttribute("aria-rowindex")).toBe(String(FILES + 1))
      expect(await page.getByRole("row").count()).toBeLessThan(FEW)
      await page.keyboard.press("PageUp")
      await until(async () => (await focusedName(page))! < nameOf(FILES - 5))
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("library-end"))
      // what has the focus stays in the page wherever that is scrolled to
      const focused = (await focusedName(page))!
      await scroll(page, -2_000_000)
      await until(async () => (await firstSeen(page))[0] < 70_000)
      expect(await focusedName(page)).toBe(focused)
      await page.keyboard.press("Home")
      await until(async () => (await focusedName(page)) === nameOf(0))
      expect(await violations(page)).toEqual([])
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "the place is kept by a file that is opened and closed, by a reload, and on the way back from another page",
    async () => {
      await (await site.app.client()).index([{ name: "report 050000.txt", data: "The one that is opened." }])
      const page = await open(`${BY_NAME}&row=49998`)
      await page.getByText("What the files are").waitFor() // the last that appears above the list
      await scroll(page, 10)
      const place = await firstSeen(page)
      await rowOf(page, "report 050000.txt").locator(".file-name").click()
      await page.getByRole("dialog").waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      expect(await firstSeen(page)).toEqual(place)
      const near = async () => Math.abs((await firstSeen(page))[0] - place[0]) <= 1
      await page.reload()
      await until(near)
      await page.getByRole("link", { name: "Search", exact: true }).click()
      await page.getByLabel("Search the library").waitFor()
      await page.goBack()
      await until(near)
      // another order is another list, from its beginning
      await page.getByRole("button", { name: "Size" }).click()
      await until(async () => (await firstSeen(page))[0] === 0)
      expect(page.url()).not.toContain("row=")
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a file that is closed while the list comes to rest stays closed",
    async () => {
      const page = await open(`${BY_NAME}&row=49998`)
      const dialog = page.getByRole("dialog")
      const file = rowOf(page, "report 050000.txt").locator(".file-name")
      await file.waitFor()
      await file.click()
      await page.getByText("The one that is opened.").waitFor()
      // what follows a drawing waits, as on a machine with much to do
      await page.evaluate(ms => {
        const later = setTimeout
        Object.assign(window, {
          requestAnimationFrame: (done: () => void) => later(done, ms),
          setTimeout: (done: () => void, after: number) => later(done, after < 200 ? ms : after),
        })
        document.getElementById("main")!.scrollBy(0, 80)
      }, LATE_MS)
      await Bun.sleep(0.5 * LATE_MS) // it rests, and that is not noted yet
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
      await Bun.sleep(2 * LATE_MS)
      expect([await dialog.count(), page.url().includes("file=")]).toEqual([0, false])
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "scrolled far down, no file is left out or repeated while others come and go; what is looked at stays in its place",
    async () => {
      const page = await open()
      const client = await site.app.client()
      const idOf = async (name: string): Promise<string> =>
        (await client.get(`/libraries?name=${encodeURIComponent(name)}`)).body.data[0].id
      await scroll(page, 2_000_000)
      await until(async () => (await seen(page)).length > 5)
      const [, start] = await firstSeen(page)
      const number = Number(/\d{6}/.exec(start)![0])
      const gone = new Set<string>()
      const met = new Map<string, number>()
      for (let step = 0; step < 30; step++) {
        for (const [index, name] of await seen(page)) {
          expect(met.get(name) ?? index).toBe(index)
          met.set(name, index)
        }
        if (step % 5 === 2) {
          // one that was seen long ago, by another client; and one that is still to come
          for (const name of [nameOf(step), nameOf(number + 100 + step * 10)]) {
            gone.add(name)
            expect((await client.delete(`/libraries/${await idOf(name)}`)).status).toBe(204)
          }
          await client.upload([{ name: `a new one ${step}.txt`, data: "It stands before all others." }])
        }
        await scroll(page, 500)
        await until(async () => (await page.locator("tr.missing").count()) === 0)
      }
      const names = [...met.keys()].sort()
      const last = Number(/\d{6}/.exec(names.at(-1)!)![0])
      const expected = Array.from({ length: last - number + 1 }, (_, i) => nameOf(number + i))
      expect(names).toEqual(expected.filter(name => !gone.has(name) || met.has(name)))
      expect(expected.length).toBeGreaterThan(250)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "of more than 1 000 that are chosen the page says what happens, and all that match are worked on by the filter",
    async () => {
      const page = await open("/library?tag=year%202001&sort=name&order=asc")
      const sent: Record<string, unknown>[] = []
      page.on("request", request => {
        if (request.url().endsWith("/libraries/bulk")) sent.push(request.postDataJSON())
      })
      await page.getByLabel(`Choose ${(await firstSeen(page))[1]}`).click()
      await scroll(page, 75_000)
      await until(async () => (await firstSeen(page))[0] > 1_000)
      const [, far] = (await seen(page))[3]!
      await page.getByLabel(`Choose ${far}`).click({ modifiers: ["Shift"] })
      const bar = page.getByRole("region", { name: "Chosen files" })
      await bar.getByText("1,000 files chosen").waitFor()
      await bar.getByText("For more, choose all that match").waitFor()
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("library-cut"))
      await bar.getByRole("button", { name: /Choose all 1,28\d that match/ }).click()
      await bar.getByText("One job works through every file that passes these filters").waitFor()
      await bar.getByRole("button", { name: "Label" }).click()
      await page.getByLabel("New context").fill("of-2001")
      await page.getByRole("button", { name: /Change 1,28\d files/ }).click()
      await page.getByText(/1,28\d files done/).waitFor()
      expect(sent).toMatchObject([{ filter: { filters: [{ key: "file.tags", value: ["year 2001"] }] } }])
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "on a phone they are cards, as many as are in view",
    async () => {
      const page = await open(BY_NAME, { width: 360, height: 740, dark: true })
      await scroll(page, 3_000_000)
      await until(async () => (await seen(page)).length > 2)
      expect(await page.getByRole("row").count()).toBeLessThan(FEW)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("library-many-360-dark"))
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
