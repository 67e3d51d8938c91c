import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const chats = useChatSite()
const { openChat } = chats

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
}

describe.skipIf(!hasBrowser)("chat", () => {
  test(
    "streams a cited answer; a citation opens the passage; the conversation is listed and found",
    async () => {
      const page = await openChat()
      await page.getByRole("switch", { name: "Think" }).click()
      const goOn = chats.model.hold()
      await ask(page, "How can the lease be ended?")
      await page.getByText("Thinking", { exact: true }).waitFor()
      expect(await page.getByText("The clause on termination says it.").isVisible()).toBe(false)
      goOn()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await page.getByLabel("Your message").count()).toBe(1)
      const reply = page.getByLabel("Reply", { exact: true })
      expect(await reply.locator("strong").textContent()).toBe("six months")
      expect(await reply.locator("ol li").allInnerTexts()).toEqual([
        "Write to the landlord.",
        "Wait for the quarter to end.",
      ])
      await reply.getByRole("button", { name: "Source 1" }).click()
      await page.getByLabel("Extracted text").locator("mark").waitFor()
      await page.keyboard.press("Escape")
      await page
        .getByLabel("Conversations")
        .getByRole("link", { name: /How can the lease/ })
        .waitFor()
      await page.getByLabel("Find a conversation").fill("no such words")
      await page.getByText("No conversation contains these words.").waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "writes a reply anew in its place, also to a changed question",
    async () => {
      const page = await openChat()
      await ask(page, "How can the lease be ended?")
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      const goOn = chats.model.hold()
      await page.getByRole("button", { name: "Ask again" }).click()
      await page.getByRole("button", { name: "Stop" }).waitFor()
      goOn()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await page.getByLabel("Your message").count()).toBe(1)
      expect(await page.getByLabel("Reply", { exact: true }).count()).toBe(1)
      await page.getByRole("button", { name: "Edit the question" }).click()
      await page.getByLabel("Question", { exact: true }).fill("When can the lease be ended?")
      await page.getByRole("button", { name: "Ask", exact: true }).click()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      await page.reload()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await page.getByLabel("Your message").allInnerTexts()).toEqual(["When can the lease be ended?"])
      expect(await page.getByLabel("Reply", { exact: true }).count()).toBe(1)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "in a narrow window nothing of a conversation lies beyond the edge",
    async () => {
      const page = await openChat({ width: 360 })
      await ask(page, "How can the lease be ended, by whom, and what has to be written to the landlord before that?")
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      const edges = await page
        .locator(".thread > *, .message, .composer > *")
        .evaluateAll(elements => elements.map(element => element.getBoundingClientRect().right))
      expect(edges.length).toBeGreaterThan(5)
      expect(Math.max(...edges)).toBeLessThanOrEqual(360)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "nothing moves above the growing text",
    async () => {
      const page = await openChat()
      const goOn = chats.model.hold(8)
      await ask(page, "How can the lease be ended?")
      await page.getByLabel("Reply", { exact: true }).locator("strong").waitFor()
      const top = async () => (await page.getByLabel("Your message").boundingBox())!.y
      const before = await top()
      goOn()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await top()).toBe(before)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "stops, continues, and follows a reply after a reload",
    async () => {
      const page = await openChat()
      const goOn = chats.model.hold()
      await ask(page, "How can the lease be ended?")
      await page.getByLabel("Reply", { exact: true }).getByText("Either party").waitFor()
      await page.getByRole("button", { name: "Stop" }).click()
      await page.getByText("Stopped.").waitFor()
      await ask(page, "And again?")
      await page.getByLabel("Reply", { exact: true }).nth(1).getByText("Either party").waitFor()
      await page.reload()
      await page.getByRole("button", { name: "Stop" }).waitFor()
      expect(await page.getByText("And again?").count()).toBe(1)
      goOn()
      await page.getByLabel("Reply", { exact: true }).nth(1).getByText("Wait for the quarter").waitFor()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "with redaction on, says what was replaced and keeps none of it",
    async () => {
      const page = await openChat()
      await page.getByRole("switch", { name: "Redact" }).click()
      const goOn = chats.model.hold()
      await ask(page, "I am grace.h@example.org, card 4111 1111 1111 1111. How can the lease be ended?")
      await page.getByText("What was hidden: 1 e-mail address and 1 credit card number").waitFor()
      goOn()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      const question = page.getByLabel("Your message")
      expect(await question.locator(".redacted").allTextContents()).toEqual([
        "[REDACTED_EMAIL]",
        "[REDACTED_CREDIT_CARD]",
      ])
      expect(await page.content()).not.toContain("grace.h@example.org")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "shows why a reply failed, once, and again after the page was loaded anew",
    async () => {
      const page = await openChat()
      chats.model.refusal = "the runner has no memory left"
      await ask(page, "Why does it fail?")
      const cause = page.getByText("Ollama said: the runner has no memory left")
      await cause.waitFor()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await cause.count()).toBe(1)
      await page.reload()
      await cause.waitFor()
      expect(await cause.count()).toBe(1)
      chats.model.refusal = undefined
      await page.getByRole("button", { name: "Ask again" }).click()
      await page.getByText("six months").waitFor()
      expect(await cause.count()).toBe(0)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "shows why a reply failed once while the stored conversation is read, however late it comes",
    async () => {
      const page = await openChat()
      chats.model.refusal = "the runner has no memory left"
      const cause = page.getByText("Ollama said: the runner has no memory left")
      // The page reads the conversation when it is created and again when the reply has ended.
      const first = Promise.withResolvers<void>()
      const second = Promise.withResolvers<void>()
      const held = [first.promise, second.promise]
      await page.route(/\/conversations\/[^/?]+$/, async route => {
        if (route.request().method() === "GET") await held.shift()
        await route.continue()
      })
      await ask(page, "Why is it shown once?")
      await cause.waitFor()
      first.resolve()
      await page.getByRole("heading", { name: "Why is it shown once?" }).waitFor()
      expect(await cause.count()).toBe(1)
      second.resolve()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await cause.count()).toBe(1)
      chats.model.refusal = undefined
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "renames and deletes a conversation",
    async () => {
      const page = await openChat()
      await ask(page, "To be renamed")
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      await page.getByRole("button", { name: "Change To be renamed" }).click()
      await page.getByLabel("Title").fill("A better title")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("button", { name: "Change A better title" }).click()
      await page.getByRole("button", { name: "Delete" }).click()
      await page
        .getByRole("dialog", { name: "Delete this conversation?" })
        .getByRole("button", { name: "Delete" })
        .click()
      await page.getByRole("link", { name: /A better title/ }).waitFor({ state: "detached" })
      await page.getByText("Ask your library").waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("agents", () => {
  test(
    "starts a run, shows its steps and its cited result, lists and deletes it",
    async () => {
      const page = await chats.site.enter()
      await page.getByRole("link", { name: "Agents", exact: true }).click()
      await page.getByRole("button", { name: "New run" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Task").fill("How can the lease be ended?")
      await dialog.getByLabel("Model").selectOption("builtin/extractive")
      await dialog.getByRole("button", { name: "Start" }).click()
      await page.getByText("Completed").waitFor({ timeout: 30_000 })
      await page.locator(".step-name", { hasText: "Search the library" }).first().click()
      await page.getByText('"query"').first().waitFor()
      await page.getByRole("heading", { name: "Result" }).waitFor()
      await page.getByRole("button", { name: /lease\.md/ }).click()
      await page.getByLabel("Extracted text").locator("mark").waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("link", { name: "All runs" }).click()
      const listed = page.getByRole("link", { name: /How can the lease be ended/ })
      await listed.click()
      await page.getByRole("button", { name: "Delete" }).click()
      await page.getByRole("dialog", { name: "Delete this run?" }).getByRole("button", { name: "Delete" }).click()
      await page.getByText("No runs").waitFor()
      expect(await listed.count()).toBe(0)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
