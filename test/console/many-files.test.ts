/** Many files of the library at once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { until } from "../support/until.ts"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, rowOf, SLOW_MS, startConsole } from "./console.ts"

let site: Console

interface Labels {
  tags: string[]
  metadata: object
}

beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole()
  const client = await site.app.client()
  await client.index(Array.from({ length: 55 }, (_, i) => ({ name: `note ${100 + i}.txt`, data: `Note number ${i}.` })))
  await client.upload([{ name: "broken.pdf", data: "this is no PDF at all" }])
  await until(async () => (await client.get("/libraries/summary")).body.by_status.failed === 1)
}, SLOW_MS)
afterAll(() => site?.stop())

const shot = (name: string) => ({ path: `${Bun.env.CARREL_SCREENSHOTS}/${name}.png` })

describe.skipIf(!hasBrowser)("many files", () => {
  test(
    "the summary says how many are searchable and why others failed; all that failed are tried again at once",
    async () => {
      const page = await site.enter({ width: 360, height: 740, dark: true })
      await page.goto(`${site.app.url}/library`)
      const summary = page.getByRole("region", { name: "Indexing" })
      await summary.getByText("55 of 56 files searchable, 1 failed").waitFor()
      await summary.getByText("1 damaged").waitFor()
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("library-360-dark"))
      await summary.getByRole("button", { name: "Show failed" }).click()
      await page.waitForURL(/status=failed/)
      await rowOf(page, "broken.pdf").waitFor()
      await summary.getByRole("button", { name: "Retry failed" }).click()
      await page.getByText("1 file done").waitFor()
      await summary.getByText("1 failed").waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a range and all that match are labeled and deleted by one request each; other files stay as they are",
    async () => {
      const page = await site.enter()
      const sent: string[] = []
      page.on("request", request => {
        if (request.method() !== "GET" && request.url().includes("/libraries")) sent.push(request.url())
      })
      await page.goto(`${site.app.url}/library?sort=name&order=asc`)
      await page.getByLabel("Choose note 100.txt").click()
      await page.getByLabel("Choose note 109.txt").click({ modifiers: ["Shift"] })
      const bar = page.getByRole("region", { name: "Chosen files" })
      await bar.getByText("10 files chosen").waitFor()
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("library-chosen"))
      await bar.getByRole("button", { name: "Label" }).click()
      const form = page.getByRole("dialog", { name: "Label 10 files" })
      await form.getByLabel("Tags", { exact: true }).fill("old, notes")
      await form.getByLabel("Metadata").fill("year: 2019\nplace: the attic")
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot(shot("library-label"))
      await page.getByRole("button", { name: "Change 10 files" }).click()
      await page.getByText("10 files done").waitFor()
      await page.getByText("What the files are").click()
      await page.getByRole("button", { name: /^old 10/ }).click()
      await page.waitForURL(/tag=old/)
      await page.getByText("10 files", { exact: true }).waitFor()
      await page.getByLabel("Choose note 103.txt").click()
      await bar.getByRole("button", { name: "Label" }).click()
      await page.getByRole("radio", { name: "Remove" }).check({ force: true })
      await page.getByLabel("Tags", { exact: true }).last().fill("notes")
      await page.getByLabel("Metadata").fill("place")
      await page.getByRole("button", { name: "Change 1 file" }).click()
      await page.getByText("1 file done").waitFor()
      const listed = await (await site.app.client()).get("/libraries?tag=old&sort=name&order=asc")
      const labels = listed.body.data.map(({ tags, metadata }: Labels) => ({ tags, metadata }))
      const kept = { tags: ["old", "notes"], metadata: { year: 2019, place: "the attic" } }
      expect(labels).toEqual([
        ...Array(3).fill(kept),
        { tags: ["old"], metadata: { year: 2019 } },
        ...Array(6).fill(kept),
      ])
      await page.getByLabel("Choose note 103.txt").click()
      await bar.getByRole("button", { name: "Choose all 10 that match" }).click()
      await bar.getByRole("button", { name: "Delete chosen" }).click()
      await page.getByRole("dialog").getByText("cannot be brought back").waitFor()
      await page.getByRole("button", { name: "Delete 10 files" }).click()
      await page.getByText("No files match these filters").waitFor()
      await page.getByRole("button", { name: "Clear the filters" }).click()
      await page.getByText("46 files", { exact: true }).waitFor()
      expect(await rowOf(page, "note 109.txt").count()).toBe(0)
      expect(sent.map(url => new URL(url).pathname.split("/").at(-1))).toEqual(["bulk", "bulk", "bulk"])
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
