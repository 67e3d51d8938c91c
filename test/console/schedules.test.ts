import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Console, hasBrowser, SLOW_MS, startConsole } from "./console.ts"

let site: Console
beforeAll(async () => {
  if (hasBrowser) site = await startConsole()
}, SLOW_MS)
afterAll(() => site?.stop())

describe.skipIf(!hasBrowser)("Agents → Schedules", () => {
  test(
    "makes a schedule, runs it now and shows the answer; pauses, resumes, deletes",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/agents`)
      await page.getByRole("link", { name: "Schedules" }).click()
      await page.getByText("No schedules").waitFor()
      await page.getByRole("button", { name: "New schedule" }).click()
      await page.getByLabel("Name").fill("Where is the ficus")
      await page.getByLabel("What").selectOption({ label: "A search" })
      await page.getByLabel("Text").fill("ficus")
      await page.getByLabel("When").selectOption({ label: "On weekdays at" })
      await page.getByLabel("Time").fill("06:30")
      await page.getByRole("button", { name: "Make the schedule" }).click()
      await page.getByRole("heading", { name: "Where is the ficus" }).waitFor()
      await page.getByText(/^30 6 \* \* 1-5/).waitFor()
      await page.getByText("It has not run yet.").waitFor()

      await page.getByRole("button", { name: "Run now" }).click()
      const run = page.getByRole("listitem").filter({ hasText: "answered 200" })
      await run.getByText("Completed").waitFor()
      await run.getByText("Answer", { exact: true }).click()
      expect(JSON.parse((await run.locator("pre").textContent()) ?? "")).toHaveProperty("hits")

      await page.getByRole("button", { name: "Pause" }).click()
      await page.getByText("Paused").waitFor()
      await page.getByRole("button", { name: "Resume" }).click()
      await page.getByText("Active").waitFor()

      await page.getByRole("link", { name: "All schedules" }).click()
      await page.getByRole("link", { name: /Where is the ficus/ }).click()
      await page.getByRole("button", { name: "Delete" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
      await page.getByText("No schedules").waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "takes any request as JSON by cron, and says beside the field what is wrong with it",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/agents/schedules`)
      await page.getByRole("button", { name: "New schedule" }).click()
      await page.getByLabel("Name").fill("By hand")
      await page.getByLabel("What").selectOption({ label: "Another request" })
      await page.getByLabel("Body").fill("{no json")
      await page.getByLabel("When").selectOption({ label: "By a cron expression" })
      await page.getByLabel("Cron").fill("0 25 * * *")
      const make = page.getByRole("button", { name: "Make the schedule" })
      await make.click()
      await page.locator(".issue", { hasText: "is not valid JSON" }).waitFor()
      await page.getByLabel("Body").fill('{"query": "ficus"}')
      await make.click()
      await page.getByLabel("Cron").and(page.locator("[aria-invalid]")).waitFor()
      await page.getByLabel("Cron").fill("0 5 * * *")
      await make.click()
      await page.getByRole("heading", { name: "By hand" }).waitFor()
      await page.getByText('{"query":"ficus"}').waitFor()
      expect(site.complaints.filter(text => !text.includes("400"))).toEqual([])
    },
    SLOW_MS,
  )
})
