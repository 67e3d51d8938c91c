import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, LEASE, SLOW_MS, startConsole } from "./console.ts"

let site: Console

const PLANTS = "# Plants\n\nThe gardener waters the ficus on Mondays.\n"
const LONG = Array.from(
  { length: 8 },
  (_, i) => `# Chapter ${i + 1}\n\n${"The harbour master keeps the ledger of the quay. ".repeat(30)}\n`,
).join("\n")

beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole()
  const client = await site.app.client()
  await client.index([
    { name: "lease.md", data: LEASE },
    { name: "plants.md", data: PLANTS },
    { name: "ledger.md", data: LONG },
  ])
}, SLOW_MS)
afterAll(() => site?.stop())

const shot = (name: string) => ({ path: `${Bun.env.CARREL_SCREENSHOTS}/${name}.png` })

describe.skipIf(!hasBrowser)("search", () => {
  test(
    "shows hits by file, the rest of a file on demand, weak matches apart, and all of it one by one when asked to",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/search?q=harbour+master+ledger`)
      const ledger = page.locator(".hit").filter({ hasText: "ledger.md" })
      await ledger.waitFor()
      expect(await ledger.count()).toBe(1)
      expect(await ledger.locator(".passage").count()).toBe(3)
      await ledger.getByRole("button", { name: "More of this file" }).click()
      await ledger.locator(".passage").nth(3).waitFor()
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("search-light"))
      await page.getByRole("switch", { name: "By file" }).click()
      await page.locator(".hit").filter({ hasText: "ledger.md" }).nth(3).waitFor()
      expect(page.url()).toContain("flat=1")
      await page.goto(`${site.app.url}/search?q=how+is+the+orbit+of+a+comet+computed&mode=semantic`)
      const weak = page.getByRole("region", { name: "Weak matches" })
      await weak.or(page.getByText("Nothing found")).waitFor()
      expect(await page.locator(".hits").count()).toBe(await weak.locator(".hits").count())
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("search-weak"))
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "says what was searched for in the place of a misspelt word, takes the suggestion, or searches as written",
    async () => {
      const page = await site.enter({ width: 360, height: 740, dark: true })
      await page.goto(`${site.app.url}/search?q=the+gardner+waters`)
      await page.getByText("Also searched for gardener").waitFor()
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("search-360-dark"))
      await page.getByRole("button", { name: "Search only as written" }).click()
      await page.getByText("exactly as they are written").waitFor()
      await page.waitForURL(/exact=1/)
      await page.getByRole("button", { name: "Search for similar words too" }).first().click()
      await page.getByRole("button", { name: "the gardener waters" }).click()
      await page.waitForURL(/q=the\+gardener\+waters/)
      await page.getByText("Also searched for").waitFor({ state: "detached" })
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "needs no mouse: / focuses, arrows go through the hits, Enter opens at the place, which a reload keeps",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/search?q=notice+period`)
      const first = page.locator("[data-hit]").first()
      await first.waitFor()
      await page.getByRole("heading", { name: "Search", exact: true }).click()
      await page.keyboard.press("/")
      await page.keyboard.press("ArrowDown")
      expect(await first.evaluate(element => element === document.activeElement)).toBe(true)
      await page.keyboard.press("ArrowUp")
      expect(await page.locator("#search-text").evaluate(element => element === document.activeElement)).toBe(true)
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      const passage = page.getByLabel("Extracted text").locator("mark")
      expect(await passage.textContent()).toContain("notice period of six months")
      await page.reload()
      expect(await passage.textContent()).toContain("notice period of six months")
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      expect(page.url()).not.toContain("at=")
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "narrows by what files have, keeps it over a reload, and where nothing is left offers to search without",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/search?q=notice+period&context=nowhere`)
      await page.getByText("Nothing found").waitFor()
      await page.getByRole("button", { name: "Search without the filters" }).click()
      await page.locator("mark").first().waitFor()
      await page.getByText("What the files are").click()
      await page.getByRole("button", { name: /^md 3/ }).click()
      await page.waitForURL(/types=md/)
      await page.reload()
      await page.locator("mark").first().waitFor()
      expect(await page.getByLabel("Type").inputValue()).toBe("md")
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "says so where nothing answers, keeps what was typed, and searches again when asked to",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/search?q=ficus`)
      await page.locator("mark").first().waitFor()
      await page.context().setOffline(true)
      await page.getByRole("searchbox", { name: "Search the library" }).fill("notice period")
      await page.getByText("Carrel is not responding. Is it running?").first().waitFor()
      expect(await page.getByText("Nothing found").count()).toBe(0)
      expect(await violations(page)).toEqual([])
      await page.context().setOffline(false)
      await page.getByRole("button", { name: "Search again" }).click()
      await page.locator("mark", { hasText: "notice" }).first().waitFor()
      await page.getByText("Carrel is not responding").waitFor({ state: "detached" })
      expect(await page.locator("#search-text").inputValue()).toBe("notice period")
      site.complaints.length = 0 // the browser complains of what nobody answered
    },
    SLOW_MS,
  )

  test(
    "shows why it was refused, and no hits of what was searched before",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/search?q=ficus&age=ages`)
      await page.locator("mark").first().waitFor()
      await page.goto(`${site.app.url}/search?q=ficus&types=exe`)
      await page.getByRole("alert").getByText("types").first().waitFor()
      expect(await page.locator(".hits").count()).toBe(0)
      expect(await violations(page)).toEqual([])
      await page.goto(`${site.app.url}/search?q=ficus`)
      await page.locator("mark").first().waitFor()
      for (const [status, code, message] of [
        [429, "rate_limited", "too many requests: at most 600 a minute"],
        [403, "forbidden", "this needs the scope search"],
      ] as const) {
        const json = { error: { code, message, request_id: "req_1" } }
        await page.route("**/external/search", route =>
          route.fulfill({ status, json, headers: { "retry-after": "7" } }),
        )
        await page.getByRole("searchbox", { name: "Search the library" }).fill(`harbour ${code}`)
        await page.getByRole("alert").getByText(message).waitFor()
        expect(await page.locator(".hits").count()).toBe(0)
        await page.unroute("**/external/search")
        await page.getByRole("button", { name: "Search again" }).click()
        await page.locator("mark").first().waitFor()
        expect(await page.getByRole("alert").count()).toBe(0)
      }
      site.complaints.length = 0 // the browser complains of what was refused
    },
    SLOW_MS,
  )

  test(
    "says that there is nothing to search where the library is empty, and leads there",
    async () => {
      const empty = await startConsole()
      try {
        const page = await empty.enter({ width: 360, height: 740, dark: true })
        await page.goto(`${empty.app.url}/search?q=ficus`)
        await page.getByText("Nothing to search yet").waitFor()
        await page.getByText("The library is empty.").waitFor()
        expect(await violations(page)).toEqual([])
        if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("search-empty-360-dark"))
        await page.getByRole("link", { name: "Go to the library" }).click()
        await page.getByText("Drop files here, or select Upload.").waitFor()
        expect(empty.complaints).toEqual([])
      } finally {
        await empty.stop()
      }
    },
    SLOW_MS,
  )
})
