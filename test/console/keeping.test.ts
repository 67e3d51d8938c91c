/** What people do with conversations and answers that they have: keep, rate, compare, take along. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const chats = useChatSite()

async function ask(page: Page, text: string, answer: string): Promise<void> {
  chats.model.answer = answer
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
  await reply(page).getByText(answer.split(" [")[0]!).waitFor()
  await page.getByRole("button", { name: "Ask again" }).waitFor()
}

const reply = (page: Page) => page.getByLabel("Reply", { exact: true }).last()

describe.skipIf(!hasBrowser)("answers", () => {
  test(
    "are rated with a note that stays, and taken back by the same thumb",
    async () => {
      const page = await chats.openChat()
      await ask(page, "How can the lease be ended?", "By writing [1].")
      await page.getByRole("button", { name: "Bad answer" }).click()
      await page.getByLabel("Note").fill("It takes six months.")
      expect(await violations(page)).toEqual([])
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
      await page.reload()
      const bad = page.getByRole("button", { name: "Bad answer" })
      await page.getByRole("button", { name: "It takes six months." }).waitFor()
      expect(await bad.getAttribute("aria-pressed")).toBe("true")
      await bad.click()
      await page.getByRole("button", { name: "It takes six months." }).waitFor({ state: "detached" })
      expect(await bad.getAttribute("aria-pressed")).toBe("false")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "that are written anew keep the one before, which is looked at and gone on from",
    async () => {
      const page = await chats.openChat()
      await ask(page, "What is the notice period?", "Six months [1].")
      chats.model.answer = "Half a year [1]."
      await page.getByRole("button", { name: "Ask again" }).click()
      await reply(page).getByText("Half a year").waitFor()
      await page.getByText("2 of 2").waitFor()
      await page.getByRole("button", { name: "Earlier answer" }).click()
      await page.getByLabel("Earlier answer", { exact: true }).getByText("Six months").waitFor()
      expect(await violations(page)).toEqual([])
      await page.getByRole("button", { name: "Go on from this answer" }).click()
      await reply(page).getByText("Six months").waitFor()
      await page.reload()
      await reply(page).getByText("Six months").waitFor()
      await page.getByText("1 of 2").waitFor()
      await page.getByRole("button", { name: "Later answer" }).click()
      await page.getByLabel("Later answer", { exact: true }).getByText("Half a year").waitFor()
      await page.getByText("2 of 2").waitFor()
      expect(chats.site.complaints.filter(words => !words.includes("404"))).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("conversations", () => {
  test(
    "are pinned and put into folders, which narrow the list also after a reload",
    async () => {
      const page = await chats.openChat()
      await ask(page, "Rent of the boathouse", "It is 4,200 euros.")
      await page.getByRole("button", { name: "Change Rent of the boathouse" }).click()
      await page.getByRole("dialog").getByLabel("Folder").fill("Boats")
      await page.getByRole("switch", { name: "Pin" }).click()
      expect(await violations(page)).toEqual([])
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("list", { name: "Pinned" }).getByText("Rent of the boathouse").waitFor()
      expect(await page.getByRole("link", { name: "Rent of the boathouse" }).count()).toBe(1)
      await page.getByLabel("Folder").selectOption("Boats")
      await page.getByRole("list", { name: "Pinned" }).waitFor({ state: "detached" })
      await page.reload()
      await page.getByRole("link", { name: "Rent of the boathouse" }).waitFor()
      expect(await page.getByLabel("Folder").inputValue()).toBe("Boats")
      expect(await page.getByLabel("Conversations").getByRole("listitem").count()).toBe(1)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "are taken along as Markdown with their sources, and printed without what can be done with them",
    async () => {
      const page = await chats.openChat()
      await ask(page, "What does the lease say?", "Six months of notice [1].")
      await page.getByRole("button", { name: "Export" }).click()
      const download = page.waitForEvent("download")
      await page.getByRole("button", { name: "Markdown file" }).click()
      const file = await download
      expect(file.suggestedFilename()).toBe("What does the lease say.md")
      const text = readFileSync(await file.path(), "utf8")
      expect(text).toStartWith("# What does the lease say?\n\n## Question\n\nWhat does the lease say?\n\n## Answer (")
      expect(text).toContain("Six months of notice [1].\n\nSources:\n- [1] lease.md")
      await page.keyboard.press("Escape")
      await page.emulateMedia({ media: "print" })
      expect(await page.getByText("Six months of notice").isVisible()).toBe(true)
      for (const away of [page.getByLabel("Message", { exact: true }), page.getByLabel("Find a conversation")])
        expect(await away.isVisible()).toBe(false)
      // All of it, not what the window shows.
      expect(await page.locator(".messages").evaluate(box => getComputedStyle(box).overflowY)).toBe("visible")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
