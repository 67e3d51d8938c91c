/** Where the focus goes on the chat page when what had it is gone. */
import { afterEach, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { until } from "../support/until.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const chats = useChatSite()

afterEach(() => chats.site?.closePages())

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })

const focusIs = (page: Page, name: string) =>
  until(() =>
    page.evaluate(name => {
      const { activeElement } = document
      return (activeElement?.getAttribute("aria-label") ?? activeElement?.id) === name
    }, name),
  )

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
}

describe.skipIf(!hasBrowser)("the focus on the chat page", () => {
  test(
    "is in the field after Stop by key, Send by mouse and Ask again",
    async () => {
      const page = await chats.openChat()
      const goOn = chats.model.hold()
      await ask(page, "How can the lease be ended?")
      await page.getByLabel("Reply", { exact: true }).getByText("Either party").waitFor()
      await button(page, "Stop").press("Enter")
      await page.getByText("Stopped.").waitFor()
      await focusIs(page, "message")
      goOn()
      await page.getByLabel("Message", { exact: true }).fill("And now?")
      await button(page, "Send").click()
      await button(page, "Ask again").waitFor()
      await focusIs(page, "message")
      await button(page, "Ask again").press("Enter")
      await button(page, "Stop").waitFor()
      await button(page, "Ask again").waitFor()
      await focusIs(page, "message")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "goes back to where a question was opened for a change, by Cancel and by Escape, and to the field by Ask",
    async () => {
      const page = await chats.openChat()
      await ask(page, "How can the lease be ended?")
      await button(page, "Ask again").waitFor()
      for (const close of [
        () => button(page, "Cancel").press("Enter"),
        () => page.getByLabel("Question", { exact: true }).press("Escape"),
      ]) {
        await button(page, "Edit the question").press("Enter")
        await page.getByLabel("Question", { exact: true }).waitFor()
        await close()
        await page.getByLabel("Question", { exact: true }).waitFor({ state: "detached" })
        await focusIs(page, "Edit the question")
      }
      await button(page, "Edit the question").press("Enter")
      await page.getByLabel("Question", { exact: true }).fill("When can it be ended?")
      await button(page, "Ask").press("Enter")
      await page.getByLabel("Your message").getByText("When can it be ended?").waitFor()
      await button(page, "Ask again").waitFor()
      await focusIs(page, "message")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "stays with the choice between earlier and later answers",
    async () => {
      const page = await chats.openChat()
      await ask(page, "How can the lease be ended?")
      for (let times = 2; times <= 3; times++) {
        await button(page, "Ask again").click()
        await page.getByText(`${times} of ${times}`).waitFor()
      }
      await button(page, "Earlier answer").press("Enter")
      await page.getByText("2 of 3").waitFor()
      await focusIs(page, "Earlier answer")
      await page.keyboard.press("Enter")
      await page.getByText("1 of 3").waitFor()
      await focusIs(page, "Later answer")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "skips the list of conversations by a link to the messages",
    async () => {
      const page = await chats.openChat()
      await ask(page, "How can the lease be ended?")
      await button(page, "Ask again").waitFor()
      const link = page.getByRole("link", { name: "Skip to the messages" })
      await page.locator("main").focus()
      await page.keyboard.press("Tab")
      expect(await link.evaluate(each => each === document.activeElement)).toBe(true)
      expect((await link.boundingBox())!.y).toBeGreaterThanOrEqual(0)
      await page.keyboard.press("Enter")
      await page.keyboard.press("Tab")
      expect(await page.evaluate(() => document.activeElement?.closest(".thread") !== null)).toBe(true)
      expect(await page.getByLabel("Reply", { exact: true }).count()).toBe(1)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
