/** What a conversation is asked with belongs to it, and is shown as it is. */
import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { until } from "../support/until.ts"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, rowOf, SLOW_MS, upload } from "./console.ts"

const chats = useChatSite()
const { openChat } = chats

async function ask(page: Page, text: string): Promise<void> {
  const goOn = chats.model.hold()
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Stop" }).waitFor()
  goOn()
  await page.getByRole("button", { name: "Ask again" }).waitFor()
}

const redact = (page: Page) => page.getByRole("switch", { name: "Redact" })
const scope = (page: Page) => page.getByLabel("Library scope")
const scopeText = (page: Page) => scope(page).locator("option:checked").textContent()

describe.skipIf(!hasBrowser)("the settings of a conversation", () => {
  test(
    "redaction stays on after a reload, and the next message is redacted; another conversation starts without it",
    async () => {
      const page = await openChat()
      await redact(page).click()
      await ask(page, "I am grace.h@example.org.")
      await page.reload()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await redact(page).isChecked()).toBe(true)
      chats.model.asked.splice(0)
      await ask(page, "Write to bob.k@example.org.")
      expect(chats.model.asked.join()).toContain("Write to [REDACTED_EMAIL]")
      expect(chats.model.asked.join()).not.toContain("bob.k@example.org")
      await page.getByRole("link", { name: "New", exact: true }).click()
      expect(await redact(page).isChecked()).toBe(false)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a conversation begun from a file says so, also after a reload; widened, it searches the whole library",
    async () => {
      const page = await chats.site.enter()
      await page.goto(`${chats.site.app.url}/library`)
      await upload(
        page,
        "garden.md",
        "# Garden\n\nThe roses are cut in March, before the lease of the shed is renewed.\n",
      )
      await rowOf(page, "garden.md").locator(".file-name").click()
      await page.getByRole("link", { name: "Ask" }).click()
      await page.getByText("Ask about this file").waitFor()
      expect(await scopeText(page)).toBe("Only garden.md")
      await ask(page, "How can the lease be ended?")
      await page.reload()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      // The file's name is asked for after the reload; until it is there the bar says "Only one file".
      await until(async () => (await scopeText(page)) === "Only garden.md")
      expect(chats.model.asked.at(-1)).not.toContain("notice period of six months")
      await scope(page).selectOption("library")
      await ask(page, "And what is the notice period of the lease?")
      expect(chats.model.asked.at(-1)).toContain("notice period of six months")
      await page.reload()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await scopeText(page)).toBe("Whole library")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "what was thought and replaced stays with the reply when it ends",
    async () => {
      const page = await openChat()
      await page.getByRole("switch", { name: "Think" }).click()
      await redact(page).click()
      await ask(page, "I am grace.h@example.org. How can the lease be ended?")
      const reply = page.getByLabel("Reply", { exact: true })
      await reply.getByText("What was hidden: 1 e-mail address").waitFor()
      await reply.getByText("Thinking", { exact: true }).click()
      await reply.getByText("The clause on termination says it.").waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  /** A reply that was stopped after its first words; the model writes on when it is told to. */
  async function stoppedReply() {
    const page = await openChat()
    const writeOn = chats.model.hold()
    await page.getByLabel("Message", { exact: true }).fill("How can the lease be ended?")
    await page.keyboard.press("Enter")
    await page.getByLabel("Reply", { exact: true }).getByText("Either party").waitFor()
    await page.getByRole("button", { name: "Stop" }).click()
    return { page, writeOn }
  }

  test(
    "a stop is not lost that the daemon hears of before it has begun to write on",
    async () => {
      const { page, writeOn } = await stoppedReply()
      await page.getByRole("button", { name: "Continue" }).waitFor()
      const heard = page.waitForResponse(response => response.url().endsWith("/cancel"))
      await page.route("**/continue", async route => {
        await heard
        await route.continue()
      })
      await page.getByRole("button", { name: "Continue" }).click()
      await page.getByText("Continuing").waitFor()
      await page.getByRole("button", { name: "Stop" }).click()
      await page.getByText("Continuing").waitFor({ state: "detached" })
      await page.getByText("Stopped.").waitFor()
      writeOn()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a reply that is written on can be stopped",
    async () => {
      const { page, writeOn } = await stoppedReply()
      await page.getByRole("button", { name: "Continue" }).click()
      await page.getByText("Continuing").waitFor()
      await page.getByRole("button", { name: "Stop" }).click()
      await page.getByText("Continuing").waitFor({ state: "detached" }) // unstopped it goes on for ever
      await page.getByText("Stopped.").waitFor()
      writeOn()
      await page.getByRole("button", { name: "Continue" }).click()
      await page.getByText("Wait for the quarter to end.").waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a new title stands in the heading at once; the list shows what is looked for, also after a reload",
    async () => {
      const page = await openChat()
      await ask(page, "To be renamed")
      await page.getByRole("button", { name: "Change To be renamed" }).click()
      await page.getByLabel("Title").fill("A better title")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("heading", { name: "A better title" }).waitFor()
      // What was typed to find it stays over a reload.
      await page.getByLabel("Find a conversation").fill("nothing has these words")
      await page.getByText("No conversation contains these words.").waitFor()
      await page.reload()
      await page.getByText("No conversation contains these words.").waitFor()
      expect(await page.getByLabel("Find a conversation").inputValue()).toBe("nothing has these words")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "where the workspace insists on redaction, the switch is on, cannot be moved, and says why",
    async () => {
      const page = await openChat()
      await ask(page, "Before the rule")
      const address = page.url()
      await page.goto(`${chats.site.app.url}/settings/workspaces`)
      await page.getByRole("button", { name: "Change default" }).click()
      const rule = page.getByRole("switch", { name: "Redact every conversation and run here" })
      await rule.click()
      await rule.and(page.locator(":checked")).waitFor()
      await page.keyboard.press("Escape")
      for (const path of [address, `${chats.site.app.url}/chat`]) {
        await page.goto(path)
        await page.getByText("always on in this workspace").waitFor()
        expect(await redact(page).isChecked()).toBe(true)
        expect(await redact(page).isDisabled()).toBe(true)
      }
      await page.goto(`${chats.site.app.url}/agents`)
      await page.getByRole("button", { name: "New run" }).click()
      await page.getByRole("dialog").getByText("always on in this workspace").waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "instructions and options reach the model, stay with the conversation, are shown again and taken off",
    async () => {
      const page = await openChat()
      const open = () => page.getByRole("button", { name: "Instructions", exact: true }).click()
      const dialog = page.getByRole("dialog")
      const pressed = () => page.getByRole("button", { name: "Instructions", exact: true }).getAttribute("aria-pressed")
      expect(await pressed()).toBe("false")
      await open()
      await dialog.getByLabel("Instructions").fill("Answer like a harbour pilot.")
      await dialog.getByLabel("Temperature").fill("0.3")
      await dialog.getByLabel("Stop at").fill("ENDE")
      expect(await violations(page)).toEqual([])
      await dialog.getByRole("button", { name: "Use" }).click()
      chats.model.asked.splice(0)
      await ask(page, "How can the lease be ended?")
      const first = JSON.parse(chats.model.asked.at(-1)!)
      expect(JSON.stringify(first.messages[0])).toContain("Answer like a harbour pilot.")
      expect(first.options).toMatchObject({ temperature: 0.3, stop: ["ENDE"] })
      await page.reload()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await pressed()).toBe("true")
      await ask(page, "And then?")
      expect(chats.model.asked.at(-1)).toContain("Answer like a harbour pilot.")
      await open()
      expect(await dialog.getByLabel("Temperature").inputValue()).toBe("0.3")
      await dialog.getByRole("button", { name: "Clear all" }).click()
      await dialog.getByRole("button", { name: "Use" }).click()
      await ask(page, "In writing?")
      expect(chats.model.asked.at(-1)).not.toContain("Answer like a harbour pilot.")
      expect(JSON.parse(chats.model.asked.at(-1)!).options).not.toHaveProperty("temperature")
      await page.getByRole("link", { name: "New", exact: true }).click()
      expect(await pressed()).toBe("false")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a kept prompt is offered by its name, also behind other words, taken by Enter, there after a reload, and deleted",
    async () => {
      const page = await openChat()
      const message = page.getByLabel("Message", { exact: true })
      const dialog = page.getByRole("dialog")
      await message.fill("List the deadlines of this lease.")
      await page.getByRole("button", { name: "Prompts", exact: true }).click()
      await dialog.getByLabel("Name").fill("deadlines")
      expect(await dialog.getByLabel("Text").inputValue()).toBe("List the deadlines of this lease.")
      await dialog.getByRole("button", { name: "Keep" }).click()
      await dialog.getByText("/deadlines").waitFor()
      expect(await message.inputValue()).toBe("List the deadlines of this lease.") // kept, not sent
      expect(await page.getByLabel("Reply", { exact: true }).count()).toBe(0)
      expect(await violations(page)).toEqual([])
      await page.reload()
      await message.fill("/dead")
      await page.getByRole("list", { name: "Prompts" }).getByText("deadlines").waitFor()
      chats.model.asked.splice(0)
      await message.press("Enter")
      expect(await message.inputValue()).toBe("List the deadlines of this lease.")
      expect(chats.model.asked).toEqual([]) // it is taken, not sent
      await message.fill("For the harbour: /dea")
      await page.getByRole("list", { name: "Prompts" }).getByText("deadlines").waitFor()
      await message.press("Enter")
      expect(await message.inputValue()).toBe("For the harbour: List the deadlines of this lease.")
      for (const plain of ["buyers and/or", "one half is 1 /"]) {
        await message.fill(plain)
        await page.getByRole("list", { name: "Prompts" }).waitFor({ state: "detached" })
      }
      await message.fill("In short,")
      await page.getByRole("button", { name: "Prompts", exact: true }).click()
      await dialog.getByRole("button", { name: "Use", exact: true }).click()
      expect(await message.inputValue()).toBe("In short,\nList the deadlines of this lease.")
      await page.getByRole("button", { name: "Prompts", exact: true }).click()
      await dialog.getByRole("button", { name: "Delete the prompt deadlines" }).click()
      await dialog.getByText("/deadlines").waitFor({ state: "detached" })
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
