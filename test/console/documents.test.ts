/** Files that are brought into a conversation. */
import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const chats = useChatSite()

/** As a drop on the messages, not on the field. */
const drop = (page: Page, files: { name: string; text: string }[]) =>
  page.evaluate(files => {
    const data = new DataTransfer()
    for (const { name, text } of files) data.items.add(new File([text], name))
    for (const type of ["dragover", "drop"])
      document
        .querySelector(".messages")!
        .dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
  }, files)

const attached = (page: Page) => page.getByLabel("Attached files")
const scopeIs = (page: Page, words: string) =>
  page.getByLabel("Library scope").locator("option:checked").getByText(words).waitFor({ state: "attached" })

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Ask again" }).waitFor()
}

describe.skipIf(!hasBrowser)("files of a conversation", () => {
  test(
    "dropped anywhere they are uploaded and read, and the answer is made of them alone; what cannot be read says why",
    async () => {
      const page = await chats.openChat()
      await drop(page, [
        { name: "orchard.md", text: "# Orchard\n\nThe lease of the orchard ends when the last apple is picked.\n" },
        { name: "tool.exe", text: "MZ" },
      ])
      await attached(page).getByText("Added", { exact: true }).waitFor()
      const refused = attached(page).getByRole("listitem").filter({ hasText: "tool.exe" })
      await refused.getByText("Not added:").waitFor()
      expect(await violations(page)).toEqual([])
      await scopeIs(page, "Only orchard.md")
      await ask(page, "How can the lease be ended?")
      expect(chats.model.asked.at(-1)).toContain("last apple")
      expect(chats.model.asked.at(-1)).not.toContain("notice period of six months")
      expect(await attached(page).count()).toBe(0)
      await page.reload()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      await scopeIs(page, "Only orchard.md")
      // A second file joins the first.
      await page
        .getByLabel("Files", { exact: true })
        .setInputFiles({ name: "shed.md", mimeType: "text/markdown", buffer: Buffer.from("# Shed\n\nIt is green.\n") })
      await attached(page).getByText("Added", { exact: true }).waitFor()
      await scopeIs(page, "Only 2 files")
      await page.getByRole("button", { name: "Remove shed.md" }).click()
      await scopeIs(page, "Only orchard.md")
      expect(chats.site.complaints.filter(words => !words.includes("415"))).toEqual([])
    },
    SLOW_MS,
  )
})
