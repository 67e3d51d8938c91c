/** A conversation that is longer than the window of its model, as the page shows what the model remembers of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { remembering, SMALL, SMALL_MODEL, summaryIn } from "../support/histories.ts"
import { type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"
import { type Console, hasBrowser, SLOW_MS, startConsole } from "./console.ts"

const FILLER = "The boats lie at the pier, the nets hang in the wind and somebody counts the barrels again. ".repeat(4)

let ollama: OllamaStandIn
let site: Console
let address: string
beforeAll(async () => {
  if (!hasBrowser) return
  ollama = await startOllama([SMALL])
  ollama.server.scenes.add("none", remembering("It was noted, and it stands in the book of the harbor. ".repeat(4)))
  site = await startConsole({ "ollama-host": ollama.server.url })
  const client = await site.app.client()
  let id: string | undefined
  for (let turn = 1; turn <= 20; turn++) {
    const message = `FACT-${turn}=word${turn}. ${FILLER}`
    const path = id === undefined ? "/conversations" : `/conversations/${id}`
    const asked = { model: SMALL_MODEL, use_library: false, message }
    id = (await client.post(path, asked, { accept: "application/json" })).body.conversation_id
  }
  address = `${site.app.url}/chat/${id}`
}, SLOW_MS)
afterAll(async () => {
  await site?.stop()
  ollama?.server.stop()
})

const SUMMARIZED = "Earlier messages are summarized"

describe.skipIf(!hasBrowser)("a long history", () => {
  test(
    "a quiet line stands between what is summarized and what is not; what is written there is what the model gets",
    async () => {
      const page = await site.enter()
      await page.goto(address)
      const line = page.getByText(SUMMARIZED)
      await line.waitFor()
      const around = await page.locator(".messages-inside > *").evaluateAll(elements => ({
        at: elements.findIndex(element => element.matches("details")),
        count: elements.length,
      }))
      expect(around.at).toBeGreaterThan(1)
      expect(around.at).toBeLessThan(around.count - 1)
      await line.focus()
      await page.keyboard.press("Enter")
      const text = page.getByLabel("What the model is given in place of the messages above")
      expect(await text.inputValue()).toContain("FACT-1=word1")
      await text.fill("FACT-1=sardines, says the harbor master.")
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await page.getByText("The next answer is given the summary").waitFor()
      await page.reload()
      await page.getByText(SUMMARIZED).click()
      expect(await text.inputValue()).toBe("FACT-1=sardines, says the harbor master.")
      await page.getByLabel("Message", { exact: true }).fill("What was fact 1?")
      await page.keyboard.press("Enter")
      await page.getByText("What was fact 1?").waitFor()
      await until(() => summaryIn(ollama.server.scenes.got("none").at(-1))?.includes("sardines") === true)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "older messages can be left out instead, and the page says so after a reload",
    async () => {
      const page = await site.enter()
      await page.goto(address)
      await page.getByText(SUMMARIZED).click()
      await page.getByRole("switch", { name: "Leave older messages out instead" }).click()
      await page.getByText("Earlier messages are left out where they do not fit").waitFor()
      await page.reload()
      await page.getByText("Earlier messages are left out where they do not fit").click()
      await page.getByRole("switch", { name: "Leave older messages out instead" }).click()
      await page.getByText(SUMMARIZED).waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
