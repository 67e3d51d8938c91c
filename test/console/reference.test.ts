/** The reference page: search, credentials for as long as the tab is open, dark colors, streams as they come. */
import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { until } from "../support/until.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const chats = useChatSite()
const SHOTS = Bun.env.CARREL_SCREENSHOTS

const open = async (options?: { width?: number; height?: number; dark?: boolean }) => {
  const page = await chats.site.open(options)
  await page.goto(`${chats.site.app.url}/external-docs/docs`)
  await page.locator(".opblock").first().waitFor()
  return page
}
const find = (page: Page, text: string) => page.locator(".operation-filter-input").fill(text)

describe.skipIf(!hasBrowser)("the reference page", () => {
  test(
    "finds operations by words of their path, name and description, and none where there are none; fits a phone",
    async () => {
      const page = await open()
      await find(page, "regenerate conversation")
      await until(async () => (await page.locator(".opblock").count()) <= 3)
      await page.locator(".opblock", { hasText: "/regenerate" }).first().waitFor()
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/reference-light.png` })
      await page.setViewportSize({ width: 360, height: 740 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/reference-360.png` })
      await find(page, "no such thing anywhere")
      await page.locator(".opblock").first().waitFor({ state: "detached" })
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "keeps credentials for the tab, not for the next one, and shows a stream while it still comes",
    async () => {
      const client = await chats.site.app.client()
      const page = await open({ dark: true })
      const isDark = (which: Page) => which.evaluate(() => document.documentElement.classList.contains("dark-mode"))
      expect(await isDark(page)).toBe(true)
      await page.getByRole("button", { name: "Authorize" }).click()
      const box = page.locator(".auth-container", { hasText: "token" }).filter({ hasText: "client_id" })
      await box.locator("input").fill(client.key.token)
      await box.getByRole("button", { name: /apply credentials/i }).click()
      await page.getByRole("button", { name: "Close" }).first().click()
      await page.reload()
      await page.locator(".opblock").first().waitFor()

      await find(page, "createConversation message")
      await until(async () => (await page.locator(".opblock").count()) === 1)
      await page.locator(".opblock-summary-control").click()
      await page.locator("textarea.body-param__text").fill(JSON.stringify({ message: "How can the lease be ended?" }))
      const goOn = chats.model.hold()
      await page.getByRole("button", { name: "Execute" }).click()
      const stream = page.getByRole("region", { name: "Stream" })
      await stream.getByText("Streaming").waitFor()
      await stream.getByText("event: message_delta").first().waitFor() // the model is still held
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/reference-dark.png` })
      goOn()
      await stream.getByText("event: done").waitFor()
      await stream.getByText("Ended").waitFor()
      await stream.getByRole("button", { name: "Close" }).click()

      const other = await page.context().newPage()
      await other.goto(chats.site.app.url)
      expect(await other.evaluate(() => sessionStorage.length)).toBe(0)
      expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("csk_")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
