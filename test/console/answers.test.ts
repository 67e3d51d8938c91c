/** How answers are made, as the page lets people choose it and says it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { SMALL, SMALL_MODEL } from "../support/histories.ts"
import { until } from "../support/until.ts"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { type Console, hasBrowser, LEASE, SLOW_MS, startConsole, upload } from "./console.ts"

const chats = useChatSite(async ({ model, site }) => {
  model.models.push(SMALL)
  const page = await site.enter()
  await page.goto(`${site.app.url}/library`)
  const rule = "boats of the third class moor at the eastern pier, and the fee is due on the first day of each quarter"
  const rules = Array.from({ length: 400 }, (_, i) => `## Rule ${i}\n\nIn chapter ${i * 7} it says: ${rule}.`)
  await upload(page, "rules.md", rules.join("\n\n"))
})

const reading = (page: Page, name: string) => page.getByRole("radio", { name, exact: true })

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Ask again" }).waitFor()
}

/** A new conversation about one file. */
async function about(name: string): Promise<Page> {
  const page = await chats.site.enter()
  const { body } = await (await chats.site.app.client()).get(`/libraries?q=${name}`)
  await page.goto(`${chats.site.app.url}/chat?file=${body.data[0].id}`)
  await page.getByText("Ask about this file").waitFor()
  return page
}

describe.skipIf(!hasBrowser)("how much of the files is read", () => {
  test(
    "is chosen where there are files, by keyboard too, and stays with the conversation",
    async () => {
      const page = await about("lease.md")
      await reading(page, "Auto").focus()
      await page.keyboard.press("ArrowRight")
      await page.keyboard.press("ArrowRight")
      expect(await reading(page, "Whole file").isChecked()).toBe(true)
      await ask(page, "What does it say?")
      await page.reload()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      await until(() => reading(page, "Whole file").isChecked())
      await page.getByLabel("Library scope").selectOption("library")
      expect(await reading(page, "Auto").count()).toBe(0)
      await page.getByLabel("Library scope").selectOption("context")
      expect(await reading(page, "Whole files").isChecked()).toBe(true)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("a file that is longer than the window", () => {
  test(
    "is read part by part before the page's eyes, and the reading can be stopped and taken up again",
    async () => {
      const page = await about("rules.md")
      await page.getByLabel("Model", { exact: true }).selectOption(SMALL_MODEL)
      const goOn = chats.model.hold(1)
      await page.getByLabel("Message", { exact: true }).fill("Summarize this file")
      await page.keyboard.press("Enter")
      await page.getByText(/Reading part 1 of \d+ …/).waitFor()
      expect(await page.getByRole("progressbar", { name: "Parts done" }).getAttribute("value")).toBe("0")
      expect(await violations(page)).toEqual([])
      await page.getByRole("button", { name: "Stop here" }).click()
      await page.getByText("Stopped.").waitFor()
      goOn()
      await page.getByRole("button", { name: "Ask again" }).click()
      const reply = page.getByLabel("Reply", { exact: true })
      await reply.getByText("six months").waitFor()
      await page.getByRole("button", { name: "How this answer was made" }).click()
      await page.getByRole("dialog").getByText("read in full").first().waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("without a language model", () => {
  let bare: Console
  beforeAll(async () => {
    if (!hasBrowser) return
    bare = await startConsole()
    const page = await bare.enter()
    await page.goto(`${bare.app.url}/library`)
    await upload(page, "lease.md", LEASE)
  }, SLOW_MS)
  afterAll(() => bare?.stop())

  test(
    "the page says that answers are quotes, and how a model is connected",
    async () => {
      const page = await bare.enter()
      await page.goto(`${bare.app.url}/chat`)
      await page.getByText("No language model is connected").click()
      for (const how of ["ollama pull", "--ollama-host", "--openai-base-url"]) await page.getByText(how).waitFor()
      await ask(page, "How can the lease be ended?")
      expect(await page.getByText("No language model is connected").isVisible()).toBe(true)
      expect(bare.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "nothing of it is said where there is one",
    async () => {
      const page = await chats.openChat()
      await page.getByText("Ask your library").waitFor()
      expect(await page.getByText("No language model is connected").count()).toBe(0)
    },
    SLOW_MS,
  )
})
