/** How answers of any language, length and shape stand on the page, at any size of window. */
import { afterEach, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"
import { ANSWER } from "./model.ts"

const chats = useChatSite()

afterEach(async () => {
  if (!hasBrowser) return
  chats.model.answer = ANSWER
  await chats.site.closePages()
})

/** A page with one answer. */
async function answered(answer: string, options?: Parameters<typeof chats.openChat>[0]): Promise<Page> {
  chats.model.answer = answer
  const page = await chats.openChat(options)
  await page.getByLabel("Message", { exact: true }).fill("How does it look?")
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Ask again" }).waitFor()
  return page
}

describe.skipIf(!hasBrowser)("an answer", () => {
  test(
    "in Arabic has its lists, tables and quotations from right to left, one in English from left to right",
    async () => {
      const arabic = "- أولا\n- ثانيا\n\n| الاسم | القيمة |\n|---|---|\n| عقد | 12 |\n\n> قال المؤجر\n\n"
      const english = "1. first أولا\n2. second\n\n| Name | القيمة |\n|---|---|\n| عقد | 12 |\n"
      const page = await answered(`${arabic}Then in English:\n\n${english}`)
      const reply = page.getByLabel("Reply", { exact: true })
      const directions = await reply
        .locator("ul:not(.citations), ol, table, blockquote")
        .evaluateAll(all => all.map(each => `${each.tagName} ${getComputedStyle(each).direction}`))
      expect(directions).toEqual(["UL rtl", "TABLE rtl", "BLOCKQUOTE rtl", "OL ltr", "TABLE ltr"])
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  for (const width of [1280, 360])
    test(
      `with long formulas and addresses stays within the thread at ${width} pixels`,
      async () => {
        const sum = (terms: number) => Array.from({ length: terms }, () => "x").join("+")
        const address = `https://example.org/${"a".repeat(800)}`
        const page = await answered(`So:\n\n$$${sum(200)}$$\n\nand $${sum(100)}$ in\n\n- $${sum(100)}$\n\n${address}`, {
          width,
        })
        await page.locator(".notice").getByText("example.org").waitFor()
        await page.locator(".math.display math").waitFor()
        const box = page.locator(".messages")
        expect(await box.evaluate(each => each.scrollWidth - each.clientWidth)).toBe(0)
        const formula = page.locator(".math.display")
        expect(await formula.evaluate(each => each.scrollWidth - each.clientWidth)).toBeGreaterThan(100)
        const right = (await box.boundingBox())!.x + (await box.boundingBox())!.width
        for (const part of await page.locator(".reply .math, .reply p, .reply li, .notice span").all()) {
          const { x, width } = (await part.boundingBox())!
          expect(x + width).toBeLessThanOrEqual(right)
        }
        expect(chats.site.complaints).toEqual([])
      },
      SLOW_MS,
    )

  test(
    "has headings for screen readers, of levels that follow each other below the title",
    async () => {
      const page = await answered("### One\n\ntext\n\n##### Two\n\ntext\n\n### Three\n\n# Four\n\n- a\n")
      const levels = await page
        .getByLabel("Reply", { exact: true })
        .getByRole("heading")
        .evaluateAll(all => all.map(each => `${each.textContent} ${each.getAttribute("aria-level")}`))
      expect(levels).toEqual(["One 2", "Two 3", "Three 2", "Four 2"])
      expect(await violations(page)).toEqual([])
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("in a low window", () => {
  test(
    "the messages of a conversation limited to files keep room to be read, and all of the page can be reached",
    async () => {
      const page = await answered(ANSWER)
      await page.goto(`${chats.site.app.url}/library`)
      await page.getByRole("row").filter({ hasText: "lease.md" }).waitFor()
      const id = await page.evaluate(async () => {
        const response = await fetch("/external-docs/external/libraries", { headers: { "x-carrel-console": "1" } })
        return ((await response.json()) as { data: { id: string }[] }).data[0]!.id
      })
      await page.goto(`${chats.site.app.url}/chat?file=${id}`)
      await page.getByLabel("Message", { exact: true }).fill("And in this file?")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      for (const [width, height] of [
        [640, 360],
        [360, 400],
        [320, 256],
      ] as const) {
        await page.setViewportSize({ width, height })
        expect((await page.locator(".messages").boundingBox())!.height).toBeGreaterThanOrEqual(120)
        const send = page.getByRole("button", { name: "Send", exact: true })
        await send.scrollIntoViewIfNeeded()
        expect((await send.boundingBox())!.y).toBeLessThan(height)
        expect(await page.locator("main").evaluate(each => each.scrollWidth - each.clientWidth)).toBe(0)
      }
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
