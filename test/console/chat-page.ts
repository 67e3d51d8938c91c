/** The console on an application with a model and a lease in its library, and its page of conversations. */
import { afterAll, beforeAll } from "bun:test"
import type { Page } from "playwright-core"
import { type Console, hasBrowser, LEASE, SLOW_MS, startConsole, upload } from "./console.ts"
import { type ConsoleModel, startModel } from "./model.ts"

export interface ChatSite {
  site: Console
  model: ConsoleModel
  /** A signed-in page with a new conversation. */
  openChat(options?: Parameters<Console["enter"]>[0]): Promise<Page>
  stop(): Promise<void>
}

/** One for all tests of a file, none without a browser. `prepare` adds to it before the first test. */
export function useChatSite(
  prepare?: (chats: ChatSite) => Promise<void>,
): Pick<ChatSite, "site" | "model" | "openChat"> {
  let chats: ChatSite
  beforeAll(async () => {
    if (!hasBrowser) return
    chats = await startChatSite()
    await prepare?.(chats)
  }, SLOW_MS)
  afterAll(() => chats?.stop())
  return {
    get site() {
      return chats.site
    },
    get model() {
      return chats.model
    },
    openChat: options => chats.openChat(options),
  }
}

async function startChatSite(): Promise<ChatSite> {
  const model = await startModel()
  const site = await startConsole({ "ollama-host": model.url })
  const page = await site.enter()
  await page.goto(`${site.app.url}/library`)
  await upload(page, "lease.md", LEASE)
  return {
    site,
    model,
    async openChat(options) {
      const page = await site.enter(options)
      await page.getByRole("link", { name: "Chat", exact: true }).click()
      await page.getByText("Llama 3.2 3B").first().waitFor({ state: "attached" })
      return page
    },
    async stop() {
      await site.stop()
      model.stop()
    },
  }
}
