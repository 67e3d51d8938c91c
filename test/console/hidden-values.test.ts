/** What redaction took out of a turn, as its reader is told. */
import { describe, expect, test } from "bun:test"
import type { Locator, Page } from "playwright-core"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const chats = useChatSite()

const WRITTEN = "I am grace.h@example.org, card 4111 1111 1111 1111. How can the lease be ended?"
const KEPT = "I am [REDACTED_EMAIL], card [REDACTED_CREDIT_CARD]. How can the lease be ended?"

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Ask again" }).waitFor()
}

const legend = (page: Page) => page.getByRole("group").filter({ hasText: "What was hidden" })

/** What a reader who marks the whole of it and copies gets. */
const copied = (element: Locator): Promise<string> =>
  element.evaluate(node => {
    getSelection()!.selectAllChildren(node)
    let text = ""
    document.addEventListener("copy", () => (text = getSelection()!.toString()), { once: true })
    document.execCommand("copy")
    return text.trim()
  })

describe.skipIf(!hasBrowser)("what was hidden", () => {
  test(
    "is told by kind and count with the reason, of a reply that was followed and of one that was loaded",
    async () => {
      const page = await chats.openChat()
      await page.getByRole("switch", { name: "Redact" }).click()
      await ask(page, WRITTEN)
      await page.getByText("What was hidden: 1 e-mail address and 1 credit card number").waitFor()
      await page.reload()
      await page.locator("summary").filter({ hasText: "What was hidden: 2 values" }).focus()
      await page.keyboard.press("Enter")
      await page.getByText("What was hidden: 1 e-mail address and 1 credit card number").waitFor()
      expect(await legend(page).getByRole("listitem").allInnerTexts()).toEqual([
        "1 e-mail address (personal data)",
        "1 credit card number (financial data)",
      ])
      await legend(page).getByText("Redaction is switched on in this conversation.").waitFor()
      expect(await violations(page)).toEqual([])
      for (const value of ["grace.h@example.org", "4111"]) expect(await page.content()).not.toContain(value)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "shows in the text as a word, and is copied as it stands",
    async () => {
      const page = await chats.openChat()
      await page.getByRole("switch", { name: "Redact" }).click()
      await ask(page, WRITTEN)
      const question = page.getByLabel("Your message")
      await question.getByRole("img", { name: "hidden: e-mail" }).waitFor()
      const drawn = await question
        .locator(".redacted")
        .evaluateAll(chips =>
          chips.map(chip => [
            getComputedStyle(chip, "::before").content,
            chip.getBoundingClientRect().width > 30,
            chip.querySelector(".replacement")!.getBoundingClientRect().width,
          ]),
        )
      expect(drawn).toEqual([
        ['"e-mail"', true, 0],
        ['"credit card"', true, 0],
      ])
      expect(await copied(question)).toBe(KEPT)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "names the conversation's own pattern, and who insists on redaction",
    async () => {
      const client = await chats.site.app.client()
      const question = {
        message: "Ask grace.h@example.org about ZX-1234 and ZX-9876.",
        redaction: { custom_patterns: [{ name: "ORDER_CODE", pattern: "ZX-\\d{4}" }] },
      }
      const { body } = await client.post("/conversations", question, { accept: "application/json" })
      const page = await chats.site.enter()
      await page.route("**/keys/redaction", async route => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), enforced_by: "workspace" } })
      })
      await page.goto(`${chats.site.app.url}/chat/${body.conversation_id}`)
      await page.getByText("What was hidden: 3 values").click()
      await legend(page).getByText("1 e-mail address (personal data)").waitFor()
      await legend(page).getByText("2 matches of ORDER_CODE (own pattern of this conversation)").waitFor()
      await legend(page).getByText("Redaction is always on in this workspace.").waitFor()
      expect(await page.getByLabel("Your message").locator(".redacted").last().getAttribute("data-label")).toBe(
        "order code",
      )
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
