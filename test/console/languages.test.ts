/** The console in its languages, in a real browser. */
import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { LANGUAGES, type LanguageCode } from "../../src/console/languages/languages.ts"
import type { Text } from "../../src/console/text.ts"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const chats = useChatSite()

const SHOTS = Bun.env.CARREL_SCREENSHOTS
const CODES = Object.keys(LANGUAGES) as LanguageCode[]
const ACCOUNT = "/settings/account"

/** By its name in the language that is shown now. */
const choose = async (page: Page, code: LanguageCode) => {
  await page.locator("select").filter({ hasText: "Deutsch" }).selectOption(code)
  await page.waitForFunction(tag => document.documentElement.lang === tag, LANGUAGES[code].tag)
}

async function enterIn(code: LanguageCode, options: { width?: number; height?: number; dark?: boolean } = {}) {
  const page = await chats.site.enter(options)
  await page.goto(chats.site.app.url + ACCOUNT)
  await choose(page, code)
  return page
}

/** Without what it waits for: the first heading of the page. */
async function show(page: Page, path: string): Promise<void> {
  await page.goto(chats.site.app.url + path)
  await page.locator("main h1").waitFor()
  await page
    .locator("main h2, main .empty, main .card, main li, main tbody tr")
    .filter({ visible: true })
    .first()
    .waitFor()
}

const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const main = document.querySelector("main")!
    return document.documentElement.scrollWidth > innerWidth || main.scrollWidth > main.clientWidth
  })

const MAIN = ["/", "/chat", "/library", "/search?q=notice&explain=1", "/settings/api", "/governance/usage"]
const MORE = [
  "/agents",
  "/agents/schedules",
  "/agents/batches",
  "/library/sources",
  "/governance/audit",
  "/governance/retention",
  "/settings/webhooks",
  ACCOUNT,
  "/settings/users",
  "/settings/storage",
]

describe.skipIf(!hasBrowser)("the languages of the console", () => {
  test(
    "are the browser's own at first, and chosen on the page of the sign-in",
    async () => {
      const page = await chats.site.open()
      await page.addInitScript(() => Object.defineProperty(navigator, "languages", { value: ["pt-PT", "fr-CA", "en"] }))
      await page.goto(chats.site.app.url)
      await page.getByRole("heading", { name: "Se connecter" }).waitFor()
      expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
        "fr",
        "ltr",
      ])
      await choose(page, "ar")
      await page.getByRole("heading", { name: "تسجيل الدخول" }).waitFor()
      expect(await page.evaluate(() => document.documentElement.dir)).toBe("rtl")
      expect(await violations(page)).toEqual([])
      await page.reload()
      await page.getByRole("heading", { name: "تسجيل الدخول" }).waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "change while somebody works, who loses nothing",
    async () => {
      const page = await chats.site.enter()
      await page.goto(chats.site.app.url + ACCOUNT)
      const name = page.locator("input[name=name]")
      await name.fill("Ada, half written")
      await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }))
      const titles: string[] = []
      for (const code of [...CODES.slice(1), CODES[0]!]) {
        await choose(page, code)
        titles.push(await page.locator("main h1").innerText())
        expect(await name.inputValue()).toBe("Ada, half written")
        // The title of the document follows the page, not the other way round.
        await page.waitForFunction(title => document.title === `${title} · Carrel`, titles.at(-1)!)
      }
      expect(titles).toEqual(["Einstellungen", "Ajustes", "Paramètres", "设置", "الإعدادات", "Settings"])
      expect(await page.evaluate(() => "sameDocument" in globalThis)).toBe(true)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "write dates, and what an error means, in their own way",
    async () => {
      const page = await enterIn("de")
      await page.locator("input[name=current_password]").fill("not the password")
      await page.locator("input[name=new_password]").fill("another long password")
      await page.getByRole("button", { name: "Passwort ändern" }).click()
      const problem = page.getByRole("alert")
      await problem.waitFor()
      chats.site.complaints.length = 0 // the browser complains of what was refused
      expect(await problem.locator("p").count()).toBeGreaterThan(1) // the meaning, and the daemon's own words
      await show(page, "/governance/audit")
      const time = await page.locator("main li span[title]").first().getAttribute("title")
      expect(time).toMatch(/^\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}$/)
    },
    SLOW_MS,
  )

  test(
    "leave room beside the icon of the search, and turn what points or slides, by the direction of the page",
    async () => {
      const page = await enterIn("ar")
      await show(page, "/search?q=notice")
      const drawn = await page.evaluate(() => {
        const input = getComputedStyle(document.querySelector("#search-text")!)
        const knob = getComputedStyle(document.querySelector(".switch input:checked")!, "::after")
        const fold = getComputedStyle(document.querySelector(".fold > summary")!, "::before")
        return [input.direction, input.paddingRight, knob.translate, fold.rotate]
      })
      expect(drawn).toEqual(["ltr", "40px", "-12px", "135deg"])
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/ar-search-light.png` })
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  for (const code of ["de", "ar"] as const)
    test(
      `reach the dialogs, an answer, and the document beside it, without a violation: ${code}`,
      async () => {
        const texts: Record<Text, string> = (await import(`../../src/console/languages/${code}/index.ts`)).texts
        const page = await enterIn(code, { width: 1280 })
        const button = (text: Text) => page.getByRole("button", { name: texts[text], exact: true }).first()
        const found: string[] = []
        const look = async (name: string) => {
          if (SHOTS) await page.screenshot({ path: `${SHOTS}/${code}-${name}.png` })
          found.push(...(await violations(page)).map(text => `${name}: ${text}`))
          if (await overflows(page)) found.push(`${name} is wider than the window`)
        }
        const lookAt = async (text: Text, dialog: Text) => {
          await button(text).click()
          await page.getByRole("dialog", { name: texts[dialog] }).waitFor()
          await look(dialog.replaceAll(" ", "-"))
          await page.getByRole("dialog").getByRole("button", { name: texts.Close, exact: true }).click()
          await page.getByRole("dialog").waitFor({ state: "detached" })
        }
        await show(page, "/library")
        await lookAt("Views", "Views of the library")
        await lookAt("Columns", "Columns of the list")
        await page.getByRole("checkbox", { name: texts["Choose all"] }).check()
        await look("chosen")
        await page.goto(`${chats.site.app.url}/chat`)
        await lookAt("Prompts", "Prompts")
        await lookAt("Instructions", "Instructions and options")
        await page.locator("#message").fill("When does the notice begin?")
        await page.locator("#message").press("Enter")
        await page.getByRole("button", { name: texts["Copy the reply"], exact: true }).waitFor()
        const titled = await page
          .locator(".conversation-link .name")
          .first()
          .evaluate(shown => {
            const { direction, textAlign } = getComputedStyle(shown)
            return [direction, textAlign]
          })
        expect(titled).toEqual(["ltr", code === "ar" ? "right" : "left"]) // an English question
        await lookAt("Export", "Export")
        await lookAt("How this answer was made", "How this answer was made")
        await page.locator(".citation").first().click()
        await page.getByLabel(texts["Search in the document"]).waitFor()
        await look("viewer")
        await page.setViewportSize({ width: 360, height: 740 })
        await look("viewer-360")
        expect(found).toEqual([])
        expect(chats.site.complaints).toEqual([])
      },
      SLOW_MS,
    )

  for (const [code, paths] of [
    ["de", MAIN],
    ["es", MAIN],
    ["fr", MAIN],
    ["zh", MAIN],
    ["ar", [...MAIN, ...MORE]],
  ] as const)
    test(
      `have no accessibility violation and fit the window: ${code}`,
      async () => {
        const page = await enterIn(code, { dark: true })
        const found: string[] = []
        for (const path of paths) {
          for (const [width, height] of [
            [1280, 800],
            [360, 740],
          ] as const) {
            await page.setViewportSize({ width, height })
            await show(page, path)
            if (await overflows(page)) found.push(`${path} is wider than ${width} pixels`)
            if (SHOTS) await page.screenshot({ path: `${SHOTS}/${code}${path.replaceAll("/", "-")}-${width}.png` })
          }
          found.push(...(await violations(page)).map(text => `${path} ${text}`))
        }
        expect(found).toEqual([])
        expect(chats.site.complaints).toEqual([])
      },
      SLOW_MS * 2,
    )
})
