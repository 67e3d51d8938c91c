/** The console on an application with a model and a lease in its library, and its page of conversations. */
import type { Page } from "playwright-core"
import { type Console, LEASE, startConsole, upload } from "./console.ts"
import { type ConsoleModel, startModel } from "./model.ts"

export interface ChatSite {
  site: Console
  model: ConsoleModel
  /** A signed-in page with a new conversation. */
  openChat(options?: { width: number }): Promise<Page>
  stop(): Promise<void>
}

export async function startChatSite(): Promise<ChatSite> {
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
