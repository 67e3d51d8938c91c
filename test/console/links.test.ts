/** The pages of signed links in a real browser: without sign-in, in light and dark, on a phone. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import type { Client } from "../support/app.ts"
import { violations } from "./axe.ts"
import { type Console, EMAIL, hasBrowser, LEASE, PASSWORD, SLOW_MS, startConsole } from "./console.ts"

const NAME = "Minutes_of_the_annual_general_meeting_of_the_harbour_offices_2026-03-14_final_version.md"

let site: Console
let api: Client
const urls: Record<"text" | "picture" | "wrong", string> = { text: "", picture: "", wrong: "" }

beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole()
  api = await site.app.client()
  const pdf = readFileSync(join(import.meta.dir, "../fixtures/documents/lease.pdf"))
  const files = await api.index([
    { name: NAME, data: LEASE },
    { name: "lease.pdf", data: pdf },
  ])
  for (const [name, file] of [
    ["text", files.find(({ name }) => name === NAME)],
    ["picture", files.find(({ name }) => name === "lease.pdf")],
  ] as const) {
    const { body } = await api.post("/search", {
      query: "lease",
      mode: "semantic",
      limit: 1,
      filters: { file_ids: [file.id] },
    })
    urls[name] = body.hits[0].url
  }
  urls.wrong = `${urls.text}x`
}, SLOW_MS)
afterAll(() => site?.stop())

/** How far the document is wider than the window, and whether the passage is marked in a color of its own. */
const seen = (page: Page) =>
  page.evaluate(() => {
    const html = document.documentElement
    const mark = document.querySelector("mark")
    const colors = [document.body, mark].map(each => each && getComputedStyle(each).backgroundColor)
    const image = document.querySelector("img")
    return { wider: html.scrollWidth - html.clientWidth, colors, drawn: image ? image.naturalWidth : 0 }
  })

describe.skipIf(!hasBrowser)("the page of a link", () => {
  for (const dark of [false, true])
    for (const width of [1280, 360])
      test(
        `fits ${width} pixels, ${dark ? "dark" : "light"}, and asks nobody for anything but its picture`,
        async () => {
          const page = await site.open({ width, height: 800, dark })
          const asked: string[] = []
          page.on("request", request => void asked.push(new URL(request.url()).pathname))
          for (const [name, url] of Object.entries(urls)) {
            if (name === "wrong") continue
            await page.goto(url)
            const { wider, colors, drawn } = await seen(page)
            expect([name, wider]).toEqual([name, 0])
            expect(colors[0]).toBe(dark ? "rgb(17, 20, 21)" : "rgb(246, 246, 244)")
            const marked = dark ? "rgb(107, 85, 20)" : "rgb(253, 230, 138)"
            expect(colors[1]).toBe(name === "picture" ? null : marked)
            expect(drawn).toBe(name === "picture" ? 1_600 : 0)
          }
          expect(asked.filter(path => !path.startsWith("/view/"))).toEqual([])
          expect(site.complaints).toEqual([])
          await site.closePages()
        },
        SLOW_MS,
      )

  test(
    "leads who signs in to the whole document, at the same place",
    async () => {
      const page = await site.open({ width: 1280, height: 800 })
      await page.goto(urls.text)
      const passage = (await page.locator("mark").innerText()).slice(0, 40)
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot({ path: `${Bun.env.CARREL_SCREENSHOTS}/link.png` })
      await page.getByRole("link", { name: "Open the document in Carrel" }).click()
      await page.getByLabel("E-mail").fill(EMAIL)
      await page.getByLabel("Password").fill(PASSWORD)
      await page.getByRole("button", { name: "Sign in" }).click()
      const shown = page.getByRole("dialog", { name: NAME })
      await shown.locator("mark").first().waitFor()
      expect((await shown.locator("mark").allInnerTexts()).join("")).toContain(passage)
      site.complaints.length = 0 // of what is asked before the sign-in
      await site.closePages()
    },
    SLOW_MS,
  )

  test(
    "that opens nothing says so",
    async () => {
      const page = await site.open({ width: 360, height: 640 })
      const response = await page.goto(urls.wrong)
      expect(response!.status()).toBe(403)
      expect(await page.getByRole("heading").textContent()).toBe("This link opens nothing")
    },
    SLOW_MS,
  )
})
