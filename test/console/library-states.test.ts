/** What the library shows when something is not as it should be, and that nobody loses what they were doing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import type { Client } from "../support/app.ts"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, LEASE, rowOf, SLOW_MS, startConsole } from "./console.ts"

let site: Console
let client: Client
const MAX_BYTES = 100_000

beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole({ "max-file-bytes": String(MAX_BYTES) })
  client = await site.app.client()
  await client.index([
    { name: "lease.md", data: LEASE },
    { name: "notes.txt", data: "The heron waits." },
    { name: "held.txt", data: "The egret stalks." },
  ])
}, SLOW_MS)
afterAll(() => site?.stop())

const NOWHERE = "Carrel is not responding. Is it running?"

async function openLibrary(options?: Parameters<Console["enter"]>[0]): Promise<Page> {
  const page = await site.enter(options)
  await page.goto(`${site.app.url}/library`)
  await rowOf(page, "lease.md").waitFor()
  return page
}

describe.skipIf(!hasBrowser)("the library", () => {
  test(
    "shows no files of other filters where nobody answers, keeps what was typed, and goes on by itself",
    async () => {
      const page = await openLibrary({ width: 360, height: 740 })
      await page.context().setOffline(true)
      await page.getByLabel("Name", { exact: true }).fill("notes")
      await page.getByText(NOWHERE).first().waitFor()
      expect(await page.locator("tbody tr[data-index]").count()).toBe(0)
      expect(await page.getByText("No files match these filters").count()).toBe(0)
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS)
        await page.screenshot({ path: `${Bun.env.CARREL_SCREENSHOTS}/library-offline-360.png` })
      await page.context().setOffline(false)
      await rowOf(page, "notes.txt").waitFor()
      await page.getByText(NOWHERE).first().waitFor({ state: "detached" })
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("notes")
      expect(await page.locator("tbody tr[data-index]").count()).toBe(1)
      site.complaints.length = 0 // the browser complains of what nobody answered
    },
    SLOW_MS,
  )

  test(
    "keeps the files in sight where they could not be read anew, and says so",
    async () => {
      const page = await openLibrary()
      const json = {
        error: { code: "store_unavailable", message: "the database does not answer", request_id: "req_1" },
      }
      await page.route("**/external/libraries?**", route => route.fulfill({ status: 503, json }))
      await rowOf(page, "lease.md").getByRole("button", { name: "Re-index lease.md" }).click() // and looks again
      await page.getByText("the database does not answer").first().waitFor()
      expect(await page.locator("tbody tr[data-index]").count()).toBe(3)
      await page.unroute("**/external/libraries?**")
      await page.getByText("the database does not answer").first().waitFor({ state: "detached" })
      site.complaints.length = 0
    },
    SLOW_MS,
  )

  test(
    "says that it is read, and what refused it at first",
    async () => {
      const page = await site.enter()
      for (const [status, code, message] of [
        [500, "internal_error", "something went wrong"],
        [429, "rate_limited", "too many requests"],
        [403, "forbidden", "this needs the scope files:read"],
      ] as const) {
        const held = Promise.withResolvers<void>()
        const json = { error: { code, message, request_id: "req_1" } }
        await page.route("**/external/libraries?**", async route => {
          await held.promise
          await route.fulfill({ status, json })
        })
        await page.goto(`${site.app.url}/library`)
        await page.getByText("Loading the library …").waitFor()
        held.resolve()
        await page.getByText(message).first().waitFor()
        expect(await page.getByText(/Loading the library|The library is empty/).count()).toBe(0)
        await page.unroute("**/external/libraries?**")
        await rowOf(page, "lease.md").waitFor()
      }
      site.complaints.length = 0
    },
    SLOW_MS,
  )

  test(
    "follows work on many files to its end, though a look at it fails",
    async () => {
      const page = await openLibrary()
      let failed = 0
      await page.route("**/external/jobs/**", route => {
        if (failed++ > 0) return route.continue()
        const json = {
          error: { code: "store_unavailable", message: "the database does not answer", request_id: "req_1" },
        }
        return route.fulfill({ status: 503, json })
      })
      await page.getByLabel("Choose lease.md").click()
      await page.getByRole("button", { name: "Index again" }).click()
      await page.getByText("1 file done").waitFor()
      expect(failed).toBeGreaterThan(1)
      site.complaints.length = 0
    },
    SLOW_MS,
  )

  test(
    "says of each file that it does not take why, before its bytes are sent, and takes the others",
    async () => {
      const page = await openLibrary()
      const sent: number[] = []
      page.on("request", request => {
        if (request.method() === "POST" && request.url().includes("/upload")) sent.push(1)
      })
      await page.locator("input[type=file]").setInputFiles([
        { name: "large.txt", mimeType: "text/plain", buffer: Buffer.alloc(MAX_BYTES + 1, "a") },
        { name: "program.exe", mimeType: "application/octet-stream", buffer: Buffer.from("MZ") },
        { name: "good.txt", mimeType: "text/plain", buffer: Buffer.from("The otter swims.") },
      ])
      const uploads = page.getByRole("region", { name: "Uploads" })
      await uploads.getByText(/larger than/).waitFor()
      await uploads.locator("li", { hasText: "program.exe" }).locator(".badge.bad").waitFor()
      await rowOf(page, "good.txt").getByText("Searchable").waitFor({ timeout: 30_000 })
      expect(sent.length).toBe(2)
      expect(await page.locator("tbody tr[data-index]").count()).toBe(4)
      expect(await violations(page)).toEqual([])
      site.complaints.length = 0 // of the one that was refused
    },
    SLOW_MS,
  )

  test(
    "says that an opened file was deleted elsewhere, and lists it no more",
    async () => {
      const page = await openLibrary()
      const { body } = await client.get("/libraries?name=good.txt")
      await client.delete(`/libraries/${body.data[0].id}`)
      await rowOf(page, "good.txt").locator(".file-name").click()
      await page.getByRole("dialog").getByRole("alert").waitFor()
      expect(await violations(page)).toEqual([])
      await page.keyboard.press("Escape")
      await rowOf(page, "good.txt").waitFor({ state: "detached" })
      site.complaints.length = 0
    },
    SLOW_MS,
  )

  test(
    "says how many of those that were to be deleted could not be",
    async () => {
      const held = { type: "eq", key: "file.name", value: "held.txt" }
      const hold = (await client.post("/holds", { name: "case 1", filter: held })).body
      const page = await openLibrary()
      await page.getByLabel("Choose all").check()
      await page.getByRole("button", { name: "Delete chosen" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete 3 files" }).click()
      await page.getByText("2 files done, 1 could not be").waitFor()
      await page.getByText("1 file", { exact: true }).waitFor()
      await rowOf(page, "held.txt").waitFor()
      await client.delete(`/holds/${hold.id}`)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
