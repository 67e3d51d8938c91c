/** What the console says to somebody who has just begun. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { LLAMA } from "../support/ollama.ts"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, LEASE, SLOW_MS, startConsole } from "./console.ts"
import { type ConsoleModel, startModel } from "./model.ts"

let site: Console
let model: ConsoleModel

beforeAll(async () => {
  if (!hasBrowser) return
  model = await startModel()
  model.models.length = 0
  site = await startConsole({ "ollama-host": model.url })
}, SLOW_MS)
afterAll(async () => {
  await site?.stop()
  model?.stop()
})

const SHOTS = Bun.env.CARREL_SCREENSHOTS

describe.skipIf(!hasBrowser)("first steps", () => {
  test(
    "name what is missing, follow what comes about elsewhere, and are gone when all is done",
    async () => {
      const page = await site.enter()
      const steps = page.getByRole("region", { name: "First steps" })
      const done = (title: string) => steps.getByRole("link", { name: `${title} (done)` })
      await steps.getByText("0 of 4 done").waitFor()
      await steps.getByText(`It runs at ${model.url} and has no model yet`).waitFor()
      expect(await steps.getByText("ollama serve").count()).toBe(0) // it runs
      await steps.getByRole("button", { name: "Copy ollama pull" }).waitFor()
      expect(await violations(page)).toEqual([])
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/first-steps.png` })

      model.models.push(LLAMA)
      await done("Connect a language model").waitFor()
      expect(await steps.getByText("No language model is connected").count()).toBe(0)
      const client = await site.app.client()
      await client.index([{ name: "lease.md", data: LEASE }])
      await client.post("/conversations", { message: "How can the lease be ended?" }, { accept: "application/json" })
      await steps.waitFor({ state: "detached" })
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "tell how Ollama is started where nothing answers",
    async () => {
      await site.closePages() // one that is open misses the daemon while it starts anew
      await site.app.restart({ "ollama-host": "http://127.0.0.1:9" })
      const page = await site.enter({ width: 360, height: 740, dark: true })
      const steps = page.getByRole("region", { name: "First steps" })
      await steps.getByText("No language model is connected").waitFor()
      await steps.getByText("How to connect one").click()
      await steps.getByText("Nothing answers at http://127.0.0.1:9").waitFor()
      for (const line of ["ollama serve", "ollama pull"]) await steps.getByText(line).waitFor()
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/first-steps-360.png`, fullPage: true })
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
