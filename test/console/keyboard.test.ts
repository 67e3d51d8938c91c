/** The console without a mouse. */
import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const chats = useChatSite()

const isFocused = (page: Page, label: string) => page.getByLabel(label, { exact: true }).and(page.locator(":focus"))

describe.skipIf(!hasBrowser)("the keyboard", () => {
  test(
    "/ goes to the field that searches the page, or to Search; in a field it is a character",
    async () => {
      const page = await chats.site.enter()
      await page.goto(`${chats.site.app.url}/library`)
      await page.getByText("lease.md").first().waitFor()
      await page.keyboard.press("/")
      await isFocused(page, "Name").waitFor()
      await page.keyboard.type("a/b")
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("a/b")
      await page.goto(chats.site.app.url)
      await page.getByText("Latest files").waitFor()
      await page.keyboard.press("/")
      await isFocused(page, "Search the library").waitFor()
      expect(await page.getByLabel("Search the library").inputValue()).toBe("")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "Escape stops a reply; where a dialog is open it closes that and lets the reply go on",
    async () => {
      const page = await chats.openChat()
      const goOn = chats.model.hold()
      await page.getByLabel("Message", { exact: true }).fill("How can the lease be ended?")
      await page.keyboard.press("Enter")
      await page.getByLabel("Reply", { exact: true }).getByText("Either party").waitFor()
      await page.getByRole("button", { name: /^Change / }).click()
      await page.getByRole("dialog").waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(1)
      await page.keyboard.press("Escape")
      await page.getByText("Stopped.").waitFor()
      goOn()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "Ctrl+K finds pages, conversations and the search for what is typed",
    async () => {
      const client = await chats.site.app.client()
      const message = "What does the gardener say?"
      await client.post("/conversations", { message }, { accept: "application/json" })
      const page = await chats.site.enter()
      const palette = page.getByRole("dialog", { name: "Go to" })
      const choose = async (text: string, ...keys: string[]) => {
        await page.keyboard.press("Control+k")
        await palette.getByRole("option", { name: "Overview" }).waitFor()
        await page.keyboard.type(text)
        await palette.getByRole("option", { name: `“${text}”` }).waitFor()
        for (const key of keys) await page.keyboard.press(key)
      }
      await choose("agen")
      expect(await violations(page)).toEqual([])
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Agents" }).waitFor()
      await choose("gardener")
      await palette.getByRole("option", { name: message }).waitFor()
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: message }).waitFor()
      await choose("notice", "ArrowUp", "Enter") // round to the last one
      await page.locator("mark").first().waitFor()
      expect(await page.getByLabel("Search the library").inputValue()).toBe("notice")
      await page.keyboard.press("Control+k")
      await palette.waitFor()
      await page.keyboard.press("Escape")
      await palette.waitFor({ state: "detached" })
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
