/** What becomes of a question and its reply when something comes between: a stop, another conversation, a lost daemon. */
import { afterEach, describe, expect, test } from "bun:test"
import type { Page, Route } from "playwright-core"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const chats = useChatSite()
const { openChat } = chats

afterEach(() => chats.site?.closePages())

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
}

const fieldOf = (page: Page): Promise<string> => page.getByLabel("Message", { exact: true }).inputValue()
const replyOf = (page: Page) => page.getByLabel("Reply", { exact: true })
const stopOf = (page: Page) => page.getByRole("button", { name: "Stop", exact: true })

/** Lets new conversations wait until the returned function is called. */
async function holdNew(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/external\/conversations$/, async (route: Route) => {
    if (route.request().method() === "POST") await promise
    await route.continue().catch(() => {}) // the page may have left it
  })
  return resolve
}

/** A conversation with one answered question. @returns its link in the list */
async function begun(page: Page, question: string) {
  await ask(page, question)
  await page.getByRole("button", { name: "Ask again" }).waitFor()
  return page.getByLabel("Conversations", { exact: true }).getByRole("link", { name: question })
}

describe.skipIf(!hasBrowser)("a new conversation that is stopped before the daemon has named it", () => {
  test(
    "is stopped as soon as it is named, and shown",
    async () => {
      const page = await openChat()
      const name = await holdNew(page)
      const goOn = chats.model.hold()
      await ask(page, "Can it be stopped so early?")
      await stopOf(page).press("Enter")
      await Bun.sleep(300)
      name()
      await page.getByText("Stopped.").waitFor()
      await page.waitForURL(/\/chat\/conv_/)
      expect(await stopOf(page).count()).toBe(0)
      goOn()
      await begun(page, "And it goes on from there?")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "gives the question back when no name comes, and is stopped at the daemon when it does",
    async () => {
      const page = await openChat()
      const name = await holdNew(page)
      const goOn = chats.model.hold()
      await ask(page, "Is nobody there?")
      await stopOf(page).press("Enter")
      await stopOf(page).waitFor({ state: "detached" })
      expect(await fieldOf(page)).toBe("Is nobody there?")
      expect(await page.getByText("Waiting …").count()).toBe(0)
      name()
      await page.getByLabel("Conversations", { exact: true }).getByRole("link", { name: "Is nobody there?" }).click()
      await page.getByText("Stopped.").waitFor()
      goOn()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("a reply that is being written", () => {
  test(
    "goes on and can be stopped each time its conversation is come back to",
    async () => {
      const page = await openChat()
      const other = await begun(page, "What is the other one about?")
      await page.getByRole("link", { name: "New", exact: true }).click()
      const goOn = chats.model.hold()
      await ask(page, "What does the lease say of boats?")
      await replyOf(page).getByText("Either party").waitFor()
      const written = page.getByRole("link", { name: "What does the lease say of boats?" })
      for (let times = 0; times < 3; times++) {
        await other.click()
        await replyOf(page).getByText("Wait for the quarter").waitFor()
        await written.click()
        await stopOf(page).waitFor()
      }
      goOn()
      await replyOf(page).getByText("Wait for the quarter").waitFor()
      await stopOf(page).waitFor({ state: "detached" })
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
