import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { type Console, hasBrowser, LEASE, rowOf, SLOW_MS, startConsole, upload } from "./console.ts"

let site: Console

beforeAll(async () => {
  if (hasBrowser) site = await startConsole()
}, SLOW_MS)
afterAll(() => site?.stop())

async function openLibrary(): Promise<Page> {
  const page = await site.enter()
  await page.getByRole("link", { name: "Library", exact: true }).click()
  return page
}

describe.skipIf(!hasBrowser)("the library", () => {
  test(
    "takes a dropped file with its labels, follows it to searchable, shows its text",
    async () => {
      const page = await openLibrary()
      await page.getByText("The library is empty").waitFor()
      await page.getByText("Label new uploads").click()
      await page.getByLabel("Tags").fill("contracts, 2026")
      await page.locator("details").getByLabel("Context").fill("harbour")
      const data = await page.evaluateHandle(text => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([text], "lease.md", { type: "text/markdown" }))
        return transfer
      }, LEASE)
      await page.dispatchEvent(".drop", "dragover", { dataTransfer: data })
      await page.getByText("Drop to upload").waitFor()
      await page.dispatchEvent(".drop", "drop", { dataTransfer: data })
      const row = rowOf(page, "lease.md")
      await row.getByText("Searchable").waitFor({ timeout: 30_000 })
      expect(await row.locator(".label").allInnerTexts()).toEqual(["harbour", "contracts", "2026"])
      await row.getByRole("button", { name: "lease.md", exact: true }).or(row.locator(".file-name")).first().click()
      await page.getByLabel("Extracted text").getByText("notice period of six months").waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        row.getByRole("link", { name: "Download lease.md" }).click(),
      ])
      expect(await Bun.file(await download.path()).text()).toBe(LEASE)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "says why a file failed and what to do; a duplicate is said, not stored twice",
    async () => {
      const page = await openLibrary()
      const broken = { name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("this is no PDF at all") }
      await page.locator("input[type=file]").setInputFiles(broken)
      const row = rowOf(page, "broken.pdf")
      await row.getByText("Failed").waitFor({ timeout: 30_000 })
      await row.getByText("Open it in its own program").waitFor()
      await page.locator("input[type=file]").setInputFiles(broken)
      await page.getByText("already in the library").waitFor()
      expect(await row.count()).toBe(1)
      await page.locator("input[type=file]").setInputFiles({ name: "a.exe", mimeType: "", buffer: Buffer.from("MZ") })
      await page
        .getByRole("region", { name: "Uploads" })
        .getByText(/type|extension/i)
        .waitFor()
      site.complaints.splice(0, 1) // the browser reports the 415 itself
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "filters, sorts and re-indexes",
    async () => {
      const page = await openLibrary()
      await upload(page, "alpha.txt", "The first letter.")
      await upload(page, "beta.txt", "The second letter, with a longer text than the first one.")
      const names = () => page.locator("tbody .file-name").allInnerTexts()
      await page.getByRole("button", { name: "Size" }).click()
      await page.getByRole("columnheader", { name: "Size" }).and(page.locator("[aria-sort=ascending]")).waitFor()
      await page.getByLabel("Name").fill("ALPHA")
      await rowOf(page, "beta.txt").waitFor({ state: "detached" })
      expect((await names()).join()).toContain("alpha.txt")
      await page.getByLabel("Name").fill("no such name")
      await page.getByText("No files match these filters").waitFor()
      await page.getByRole("button", { name: "Clear the filters" }).click()
      await rowOf(page, "beta.txt").waitFor()
      await page.getByRole("button", { name: "Re-index alpha.txt" }).click()
      await rowOf(page, "alpha.txt").getByText("Searchable").waitFor({ timeout: 30_000 })
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "offers every type that the daemon reads, and keeps its filters over a reload",
    async () => {
      const page = await openLibrary()
      await upload(page, "gamma.txt", "The third letter.")
      const chooser = page.locator("input[type=file]")
      await page.getByLabel("Type").locator("option", { hasText: "Slides" }).waitFor({ state: "attached" })
      const offered = (await chooser.getAttribute("accept"))!.split(",")
      expect(offered).toEqual(expect.arrayContaining([".pdf", ".odt", ".rtf", ".epub", ".htm"]))
      await page.getByLabel("Name").fill("gamma")
      await page.getByLabel("State", { exact: true }).selectOption({ label: "Searchable" })
      await page.getByLabel("Type").selectOption({ label: "Text and web" })
      await page.reload()
      await rowOf(page, "gamma.txt").waitFor()
      expect(await page.getByLabel("Name").inputValue()).toBe("gamma")
      expect(await page.getByLabel("State", { exact: true }).inputValue()).toBe("searchable")
      expect(await page.getByLabel("Type").inputValue()).toContain("txt")
      expect(await page.locator("tbody tr").count()).toBe(1)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "deletes after the time to undo; undone, nothing happens",
    async () => {
      const page = await openLibrary()
      await upload(page, "keep.txt", "To be kept.")
      await upload(page, "lose.txt", "To be lost.")
      await page.getByRole("button", { name: "Delete keep.txt" }).click()
      await rowOf(page, "keep.txt").waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Undo" }).click()
      await rowOf(page, "keep.txt").waitFor()
      await page.getByRole("button", { name: "Delete lose.txt" }).click()
      await page.reload() // leaving the page carries it out
      await page.getByRole("heading", { name: "Library" }).waitFor()
      await rowOf(page, "lose.txt").waitFor({ state: "detached", timeout: 30_000 }) // the list is read again every 15 s
      await rowOf(page, "keep.txt").waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("search", () => {
  test(
    "finds while typing, marks the words, explains, opens the source at the passage",
    async () => {
      const page = await openLibrary()
      await upload(page, "lease 2.md", `${"Filler about nothing in particular.\n\n".repeat(400)}${LEASE}`)
      await page.getByRole("link", { name: "Search", exact: true }).click()
      await page.getByLabel("Search the library").pressSequentially("notice period of six months")
      const hit = page.getByRole("listitem").filter({ hasText: "lease 2.md" }).first()
      await hit.locator("mark").first().waitFor()
      expect(page.url()).toContain("q=notice")
      expect(await hit.locator("dl").count()).toBe(0)
      await page.getByRole("switch", { name: "Explain" }).click()
      await hit
        .getByText(/rank \d/)
        .first()
        .waitFor()
      await page.getByRole("switch", { name: "Rerank" }).click()
      await page.getByText("Not reranked").waitFor()
      await page.getByRole("switch", { name: "Rerank" }).click()
      await page.getByText("Not reranked").waitFor({ state: "detached" })
      await hit.locator(".file-name").click()
      const passage = page.getByLabel("Extracted text").locator("mark")
      await passage.waitFor()
      expect(await passage.textContent()).toContain("notice period of six months")
      const box = (await passage.boundingBox())!
      expect(box.y).toBeLessThan(800) // scrolled to it, far down in the text
      await page.keyboard.press("Escape")
      await page.getByRole("radio", { name: "Keyword" }).check()
      await page.getByLabel("Added").selectOption({ label: "Last week" })
      await page.waitForURL(/mode=keyword.*age=7/)
      await page.reload()
      await page.locator("mark").first().waitFor()
      expect(await page.getByLabel("Added").inputValue()).toBe("7")
      expect(await page.getByRole("switch", { name: "Explain" }).isChecked()).toBe(true)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "says that nothing was found, and takes any characters",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/search`)
      await page.getByLabel("Search the library").fill('"*)(: AND OR 🦉 ]{')
      await page
        .getByRole("status")
        .filter({ hasText: "passage" })
        .or(page.getByText("Nothing found"))
        .first()
        .waitFor()
      expect(await page.getByRole("alert").count()).toBe(0)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
