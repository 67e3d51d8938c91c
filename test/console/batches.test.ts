import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { type Console, hasBrowser, SLOW_MS, startConsole } from "./console.ts"

let site: Console
beforeAll(async () => {
  if (hasBrowser) site = await startConsole()
}, SLOW_MS)
afterAll(() => site?.stop())

const line = (id: string, body: object, url = "/external/search") =>
  JSON.stringify({ custom_id: id, method: "POST", url, body })
const send = (page: Page, ...lines: string[]) =>
  page
    .locator("input[type=file]")
    .setInputFiles({ name: "requests.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(lines.join("\n")) })

describe.skipIf(!hasBrowser)("Agents → Batches", () => {
  test(
    "takes a file of requests, shows how far they are, and gives out their results and errors",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/agents/batches`)
      await page.getByText("No batches").waitFor()
      await send(page, line("one", { query: "ficus" }), line("two", { query: 7 }))
      const item = page.getByRole("listitem").filter({ hasText: "1 of 2 done · 1 failed" })
      await item.getByText("Completed").waitFor()
      for (const [name, id] of [
        ["results", "one"],
        ["errors", "two"],
      ] as const) {
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          item.getByRole("link", { name: `Download ${name}` }).click(),
        ])
        expect(download.suggestedFilename()).toMatch(/^batch_\w+\.jsonl$/)
        expect(JSON.parse(readFileSync(await download.path(), "utf8")).custom_id).toBe(id)
      }
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "says which line cannot be a request",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/agents/batches`)
      await send(page, line("one", { query: "ficus" }), "{no json")
      await page.getByText(/^Line 2: /).waitFor()
      await page.getByRole("listitem").filter({ hasText: "Line 2" }).getByText("Failed").waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "cancels a batch, after a question",
    async () => {
      const page = await site.enter()
      // As if it waited for a model: the route itself is tested where batches are.
      let status = "in_progress"
      await page.route(/\/external\/batches(\?|$)/, async route => {
        const answer = await (await route.fetch()).json()
        const [batch] = answer.data
        await route.fulfill({ json: { ...answer, data: [{ ...batch, id: "batch_waits", status }] } })
      })
      const cancelled: string[] = []
      await page.route(/\/external\/batches\/.*\/cancel/, route => {
        cancelled.push(route.request().url())
        status = "cancelling"
        return route.fulfill({ json: {} })
      })
      await page.goto(`${site.app.url}/agents/batches`)
      await page.getByRole("button", { name: "Cancel" }).click()
      await page.getByRole("button", { name: "Cancel the batch" }).click()
      await page.getByText("Cancelling").waitFor()
      expect(cancelled).toHaveLength(1)
      expect(cancelled[0]).toEndWith("/batches/batch_waits/cancel")
    },
    SLOW_MS,
  )
})
