/** How an answer was made, on the page. */
import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, LEASE, SLOW_MS, upload } from "./console.ts"
import { ANSWER } from "./model.ts"

const chats = useChatSite()

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Ask again" }).waitFor()
}

async function openRecord(page: Page) {
  await page.getByRole("button", { name: "How this answer was made" }).last().focus()
  await page.keyboard.press("Enter")
  const panel = page.getByRole("dialog", { name: "How this answer was made" })
  await panel.getByText("ollama/llama3.2:3b").first().waitFor()
  return panel
}

describe.skipIf(!hasBrowser)("how an answer was made", () => {
  test(
    "shows model, scope, settings and the passages that were given, and leads to their place",
    async () => {
      const page = await chats.openChat()
      await page.getByRole("switch", { name: "Redact" }).click()
      await ask(page, "I am grace.h@example.org. How can the lease be ended?")
      const panel = await openRecord(page)
      await panel.getByText("Whole library").waitFor()
      await panel.getByText("1 value replaced").waitFor()
      await panel.getByText("Settings in force").click()
      await panel.getByText("as the question needs it").waitFor()
      await panel.getByRole("heading", { name: "1 passage given" }).waitFor()
      await panel.locator(".given summary").first().click()
      await panel.getByText("notice period of six months").waitFor()
      expect(await violations(page)).toEqual([])
      await panel.getByRole("button", { name: "Open the file here" }).click()
      await page.getByLabel("Extracted text").locator("mark").waitFor()
      await page.keyboard.press("Escape")
      await panel.waitFor()
      await page.keyboard.press("Escape")
      await panel.waitFor({ state: "detached" })
      expect(await page.content()).not.toContain("grace.h@example.org")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "the same prompt is asked again beside the stored answer, which stays; what would be found now is told",
    async () => {
      const page = await chats.openChat()
      await ask(page, "How can the lease be ended?")
      let panel = await openRecord(page)
      await panel.getByRole("button", { name: "Ask with the same prompt" }).click()
      await panel.getByText("Word for word the same answer.").waitFor()
      await panel.getByText("The same passages would be found now.").waitFor()
      await page.keyboard.press("Escape")
      const address = page.url()
      await page.goto(`${chats.site.app.url}/library`)
      await upload(page, "annex.md", LEASE.replace("six months", "nine months").replace("Lease", "Annex to the lease"))
      await page.goto(address)
      panel = await openRecord(page)
      chats.model.answer = "Nine months, says the annex."
      await panel.getByRole("button", { name: "Ask with the same prompt" }).click()
      await panel.getByText("The answer differs.").waitFor()
      const now = panel.getByLabel("The answer now")
      expect(await now.textContent()).toContain("Nine months, says the annex.")
      expect(await panel.getByLabel("The stored answer").textContent()).toContain("six months")
      const found = panel.getByLabel("What the same search finds now")
      await found.getByText("New:").waitFor()
      await found.getByText("The library has changed").waitFor()
      expect(await violations(page)).toEqual([])
      await page.reload()
      await page.getByText("Either party may end it").waitFor()
      expect(await page.getByText("Nine months").count()).toBe(0)
      chats.model.answer = ANSWER
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a file that is deleted since is named no more, and the prompt cannot be asked with again",
    async () => {
      const page = await chats.site.enter()
      await page.goto(`${chats.site.app.url}/library`)
      await upload(page, "shed.md", "# Shed\n\nThe key of the shed hangs behind the stove.\n")
      await page.goto(`${chats.site.app.url}/chat`)
      await ask(page, "Where does the key of the shed hang?")
      const client = await chats.site.app.client()
      const { body } = await client.get("/libraries?q=shed.md")
      await client.delete(`/libraries/${body.data[0].id}`)
      const panel = await openRecord(page)
      await panel.getByText("A file that is gone, or not yours to see").first().waitFor()
      await panel.getByText("it cannot be asked with again").waitFor()
      await panel.getByRole("button", { name: "Search again" }).click()
      await panel.getByText("its file is gone, or not yours to see").waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
