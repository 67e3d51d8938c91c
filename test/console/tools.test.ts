/** Tools that a model uses while it answers, on the page. */
import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { LLAMA } from "../support/ollama.ts"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS, upload } from "./console.ts"

const CALLER = { ...LLAMA, name: "caller:3b", digest: "caller", capabilities: ["completion", "tools"] }
const chats = useChatSite(async ({ model, site }) => {
  model.models.push(CALLER)
  const page = await site.enter()
  await page.goto(`${site.app.url}/library`)
  const rows = Array.from({ length: 3_000 }, (_, i) => `${i + 1},${["North", "South"][i % 2]}`)
  await upload(page, "sales.csv", `number,region\n${rows.join("\n")}\n`)
})

async function askAboutSales(text: string): Promise<Page> {
  const page = await chats.site.enter()
  const { body } = await (await chats.site.app.client()).get("/libraries?q=sales.csv")
  chats.model.calls.push(
    {
      name: "query_table",
      arguments: { file_id: body.data[0].id, sql: "SELECT count(*) FROM data WHERE region = 'North'" },
    },
    { name: "calculate", arguments: { expression: "1500 * 2" } },
  )
  await page.goto(`${chats.site.app.url}/chat?file=${body.data[0].id}`)
  await page.getByText("Ask about this file").waitFor()
  await page.getByLabel("Model", { exact: true }).selectOption("ollama/caller:3b")
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
  return page
}

describe.skipIf(!hasBrowser)("tools that a model used", () => {
  test(
    "stand over the answer in a line each, while it is written and after a reload, and open by keyboard",
    async () => {
      const page = await askAboutSales("How many sales has the north?")
      const lines = page.getByLabel("Tools used").locator("summary")
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await lines.allTextContents()).toEqual(["Queried sales.csv: 1 row", "Calculated 1500 * 2 = 3000"])
      await page.reload()
      await lines.nth(1).waitFor()
      await lines.first().focus()
      await page.keyboard.press("Enter")
      await page.getByText("WHERE region = 'North'").waitFor()
      await page.getByText(/count\(\*\)\s+1500/).waitFor()
      expect(await violations(page)).toEqual([])
      await page.getByRole("button", { name: "How this answer was made" }).click()
      await page.getByRole("dialog").getByText("Queried sales.csv: 1 row").waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
