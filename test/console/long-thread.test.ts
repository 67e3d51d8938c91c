/** A conversation of ten thousand messages. */
import { describe, expect, test } from "bun:test"
import type { Locator, Page } from "playwright-core"
import { until } from "../support/until.ts"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"
import { addManyMessages } from "./many-messages.ts"

const MESSAGES = 10_000
/** In the page at most: with the last question and answer, and what a step adds. */
const DRAWN = 124

const chats = useChatSite()

const numbersIn = (page: Page): Promise<number[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll(".message.question")].flatMap(each => {
      const [, number] = /clause (\d+)/.exec(each.textContent) ?? []
      return number === undefined ? [] : [Number(number)]
    }),
  )
const drawnIn = (page: Page): Promise<number> => page.locator(".message").count()

/** Scrolls by a wheel over the messages. */
async function wheel(page: Page, pixels: number): Promise<void> {
  await page.locator(".messages").hover()
  await page.mouse.wheel(0, pixels)
}

/** Where a message stands on the screen. */
const topOf = (page: Page, number: number): Promise<number> =>
  page
    .locator(".message.question", { hasText: `clause ${number} say` })
    .evaluate(each => each.getBoundingClientRect().top)

/** How much of the messages is below what is seen, in pixels. */
const belowIn = (page: Page): Promise<number> =>
  page.locator(".messages").evaluate(box => box.scrollHeight - box.scrollTop - box.clientHeight)

/** As a hand presses a button: it takes a while, and what is under way on the page goes on. */
async function press(page: Page, button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await button.boundingBox())!
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await Bun.sleep(300)
  await page.mouse.up()
}

async function openLong(messages = MESSAGES): Promise<{ page: Page; id: string }> {
  const page = await chats.openChat()
  await page.locator("#message").fill("When does the notice begin?")
  await page.locator("#message").press("Enter")
  await page.waitForURL(/\/chat\/conv_/)
  await page.getByRole("button", { name: "Copy the reply" }).waitFor()
  const id = new URL(page.url()).pathname.split("/").at(-1)!
  await addManyMessages(chats.site.app, id, messages)
  await page.reload()
  await page.getByRole("button", { name: "Copy the reply" }).last().waitFor()
  return { page, id }
}

describe.skipIf(!hasBrowser)("a conversation of ten thousand messages", () => {
  test(
    "opens at its end, shows all as it is scrolled, with few in the page, and what is read stays where it is",
    async () => {
      const { page } = await openLong()
      await page.getByText("Either party may end it with").waitFor()
      expect(await drawnIn(page)).toBeLessThanOrEqual(DRAWN)
      const seen = new Set(await numbersIn(page))
      for (let i = 0; i < 40; i++) {
        await wheel(page, -3_000)
        await Bun.sleep(30)
        for (const number of await numbersIn(page)) seen.add(number)
        expect(await drawnIn(page)).toBeLessThanOrEqual(DRAWN)
      }
      const least = Math.min(...seen)
      expect(least).toBeLessThan(MESSAGES - 400)
      expect(seen.size).toBe((MESSAGES - least) / 2) // without a gap
      // Messages come before what is read and go behind it: it does not move.
      await until(async () => (await numbersIn(page)).length > 20)
      const [middle] = (await numbersIn(page)).slice(12)
      await page.locator(".message.question", { hasText: `clause ${middle} say` }).scrollIntoViewIfNeeded()
      await Bun.sleep(100)
      const [before, first] = [await topOf(page, middle!), Math.min(...(await numbersIn(page)))]
      await page
        .getByRole("button", { name: "Show earlier messages" })
        .evaluate(button => (button as HTMLElement).click())
      await until(async () => Math.min(...(await numbersIn(page))) < first)
      expect(Math.abs((await topOf(page, middle!)) - before)).toBeLessThan(2)
      expect(await violations(page)).toEqual([])
      await press(page, page.getByRole("button", { name: "Go to the newest" }))
      await page.getByText("Either party may end it with").waitFor()
      await until(async () => (await belowIn(page)) < 2)
      expect(await page.getByRole("button", { name: "Go to the newest" }).count()).toBe(0)
      expect(await page.evaluate(() => document.activeElement?.className)).toBe("messages")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "goes on where it ends, wherever the reader was, and is printed whole",
    async () => {
      const { page } = await openLong()
      for (let i = 0; i < 10; i++) {
        await wheel(page, -3_000)
        await Bun.sleep(30)
      }
      await page.getByRole("button", { name: "Show later messages" }).waitFor({ state: "attached" })
      await page.locator("#message").fill("And when does it end?")
      await page.locator("#message").press("Enter")
      await page.getByText("And when does it end?").waitFor()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await drawnIn(page)).toBeLessThanOrEqual(DRAWN)
      const printed = await page.evaluate(() => {
        dispatchEvent(new Event("beforeprint"))
        const count = document.querySelectorAll(".message").length
        dispatchEvent(new Event("afterprint"))
        return count
      })
      expect(printed).toBe(MESSAGES + 4)
      await until(async () => (await drawnIn(page)) <= DRAWN)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "begins at its end, also where the one before was read at its beginning",
    async () => {
      const { page, id } = await openLong(60)
      const newest = page.getByRole("button", { name: "Go to the newest" })
      const open = async (other: string) => {
        await page.locator(`a[href="/chat/${other}"]`).click()
        await page.getByText("Either party may end it with").waitFor()
        await until(async () => (await belowIn(page)) < 2)
        expect(await newest.count()).toBe(0)
      }
      const { page: second, id: other } = await openLong(60)
      await second.close()
      await page.reload()
      await open(id)
      for (const next of [other, id, other]) {
        await page.locator(".messages").evaluate(box => box.scrollTo(0, 0))
        await newest.waitFor()
        await open(next)
      }
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
