/** What becomes of a question and its reply when something comes between: a stop, another conversation, a lost daemon. */
import { afterEach, describe, expect, test } from "bun:test"
import type { Page, Route } from "playwright-core"
import { until } from "../support/until.ts"
import { useChatSite } from "./chat-page.ts"
import { EMAIL, hasBrowser, PASSWORD, SLOW_MS } from "./console.ts"

const chats = useChatSite()
const { openChat } = chats

afterEach(() => chats.site?.closePages())

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
}

const fieldOf = (page: Page): Promise<string> => page.getByLabel("Message", { exact: true }).inputValue()
const replyOf = (page: Page) => page.getByLabel("Reply", { exact: true })
const stopOf = (page: Page) => page.getByRole("button", { name: "Stop", exact: true })

/** Every complaint is one that the test is about. */
function takeComplaints(expected: RegExp): void {
  expect(chats.site.complaints.filter(each => !expected.test(each))).toEqual([])
  chats.site.complaints.length = 0
}

/** Lets new conversations wait until the returned function is called. */
async function holdNew(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/external\/conversations$/, async (route: Route) => {
    if (route.request().method() === "POST") await promise
    await route.continue().catch(() => {}) // the page may have left it
  })
  return resolve
}

/** A conversation with one answered question. @returns its link in the list */
async function begun(page: Page, question: string) {
  await ask(page, question)
  await page.getByRole("button", { name: "Ask again" }).waitFor()
  return page.getByLabel("Conversations", { exact: true }).getByRole("link", { name: question })
}

describe.skipIf(!hasBrowser)("a new conversation that is stopped before the daemon has named it", () => {
  test(
    "is stopped as soon as it is named, and shown",
    async () => {
      const page = await openChat()
      const name = await holdNew(page)
      const goOn = chats.model.hold()
      await ask(page, "Can it be stopped so early?")
      await stopOf(page).press("Enter")
      await Bun.sleep(300)
      name()
      await page.getByText("Stopped.").waitFor()
      await page.waitForURL(/\/chat\/conv_/)
      expect(await stopOf(page).count()).toBe(0)
      goOn()
      await begun(page, "And it goes on from there?")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "gives the question back when no name comes, and is stopped at the daemon when it does",
    async () => {
      const page = await openChat()
      const name = await holdNew(page)
      const goOn = chats.model.hold()
      await ask(page, "Is nobody there?")
      await stopOf(page).press("Enter")
      await stopOf(page).waitFor({ state: "detached" })
      expect(await fieldOf(page)).toBe("Is nobody there?")
      expect(await page.getByText("Waiting …").count()).toBe(0)
      name()
      await page.getByLabel("Conversations", { exact: true }).getByRole("link", { name: "Is nobody there?" }).click()
      await page.getByText("Stopped.").waitFor()
      goOn()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("a reply that is being written", () => {
  test(
    "goes on and can be stopped each time its conversation is come back to",
    async () => {
      const page = await openChat()
      const other = await begun(page, "What is the other one about?")
      await page.getByRole("link", { name: "New", exact: true }).click()
      const goOn = chats.model.hold()
      await ask(page, "What does the lease say of boats?")
      await replyOf(page).getByText("Either party").waitFor()
      const written = page.getByRole("link", { name: "What does the lease say of boats?" })
      for (let times = 0; times < 3; times++) {
        await other.click()
        await replyOf(page).getByText("Wait for the quarter").waitFor()
        await written.click()
        await stopOf(page).waitFor()
      }
      goOn()
      await replyOf(page).getByText("Wait for the quarter").waitFor()
      await stopOf(page).waitFor({ state: "detached" })
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("the end of a reply that is being written", () => {
  const LONG = Array.from({ length: 60 }, (_, n) => `Clause ${n} says that each boat has a berth of its own.`).join(
    "\n\n",
  )
  const placeIn = (page: Page) =>
    page.locator(".messages").evaluate(box => ({
      top: box.scrollTop,
      below: box.scrollHeight - box.scrollTop - box.clientHeight,
      height: box.scrollHeight,
    }))
  const growthIn = async (page: Page, from: number) => until(async () => (await placeIn(page)).height > from + 100)

  for (const [how, goUp] of [
    ["a wheel", (page: Page) => page.mouse.wheel(0, -40)],
    ["a key", (page: Page) => page.keyboard.press("ArrowUp")],
  ] as const)
    test(
      `is left by who goes up gently with ${how}, and followed again by who goes down to it`,
      async () => {
        const page = await openChat({ height: 500 })
        const { answer } = chats.model
        chats.model.answer = LONG
        const goOn = chats.model.hold(200)
        await ask(page, "What does each clause say?")
        await replyOf(page).getByText("Clause 15 says").waitFor()
        await until(async () => (await placeIn(page)).below < 2)
        await page.locator(".messages").focus()
        await page.locator(".messages").hover()
        const { top, height } = await placeIn(page)
        await goUp(page)
        await until(async () => (await placeIn(page)).top <= top - 38)
        await Bun.sleep(200) // it may glide
        goOn()
        await growthIn(page, height)
        expect((await placeIn(page)).top).toBeLessThan(top)
        await page.mouse.wheel(0, 3_000)
        await until(async () => (await placeIn(page)).below < 2)
        await growthIn(page, (await placeIn(page)).height)
        expect((await placeIn(page)).below).toBeLessThan(60)
        await page.getByRole("button", { name: "Ask again" }).waitFor()
        await until(async () => (await placeIn(page)).below < 2)
        chats.model.answer = answer
        expect(chats.site.complaints).toEqual([])
      },
      SLOW_MS,
    )
})

describe.skipIf(!hasBrowser)("what is typed and not sent", () => {
  const field = (page: Page) => page.getByLabel("Message", { exact: true })

  test(
    "stays with its conversation, also while another page is open, until the reader signs out",
    async () => {
      const page = await openChat()
      const first = await begun(page, "What is the first about?")
      await field(page).fill("For the first")
      await page.getByRole("link", { name: "New", exact: true }).click()
      await until(async () => (await fieldOf(page)) === "")
      await field(page).fill("For a new one")
      await first.click()
      await until(async () => (await fieldOf(page)) === "For the first")
      await page.getByRole("link", { name: "Library", exact: true }).click()
      await page.getByText("lease.md").first().waitFor()
      await page.getByRole("link", { name: "Chat", exact: true }).click()
      await until(async () => (await fieldOf(page)) === "For a new one")
      await first.click()
      await until(async () => (await fieldOf(page)) === "For the first")
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByLabel("E-mail").fill(EMAIL)
      await page.getByLabel("Password").fill(PASSWORD)
      await page.getByRole("button", { name: "Sign in" }).click()
      await first.click()
      await replyOf(page).waitFor()
      expect(await fieldOf(page)).toBe("")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "goes with a new conversation that is named meanwhile",
    async () => {
      const page = await openChat()
      const name = await holdNew(page)
      await ask(page, "What is it called?")
      await stopOf(page).waitFor()
      await field(page).fill("And what comes next")
      name()
      await page.waitForURL(/\/chat\/conv_/)
      expect(await fieldOf(page)).toBe("And what comes next")
      await page.getByRole("link", { name: "New", exact: true }).click()
      await until(async () => (await fieldOf(page)) === "")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("Stop and Send stand in one place", () => {
  /** The middle of a button, for a pointer that knows nothing of what comes next there. */
  const middleOf = async (page: Page, name: string): Promise<[number, number]> => {
    const { x, y, width, height } = (await page.getByRole("button", { name, exact: true }).boundingBox())!
    return [x + width / 2, y + height / 2]
  }

  test(
    "a double click on Send asks, and does not stop what it asked for",
    async () => {
      const page = await openChat()
      const goOn = chats.model.hold()
      await page.getByLabel("Message", { exact: true }).fill("Is it asked once?")
      const [x, y] = await middleOf(page, "Send")
      await page.mouse.dblclick(x, y, { delay: 30 })
      await replyOf(page).getByText("Either party").waitFor()
      expect(await page.getByText("Stopped.").count()).toBe(0)
      await Bun.sleep(600)
      await page.mouse.click(...(await middleOf(page, "Stop")))
      await page.getByText("Stopped.").waitFor()
      goOn()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a press on Stop that outlasts the reply sends nothing of what is typed",
    async () => {
      const page = await openChat()
      const goOn = chats.model.hold()
      await ask(page, "How can the lease be ended?")
      await replyOf(page).getByText("Either party").waitFor()
      await page.getByLabel("Message", { exact: true }).fill("Not to be sent yet")
      await page.mouse.move(...(await middleOf(page, "Stop")))
      await page.mouse.down()
      goOn()
      await page.getByRole("button", { name: "Send", exact: true }).waitFor()
      await page.mouse.up()
      await Bun.sleep(300)
      expect(await fieldOf(page)).toBe("Not to be sent yet")
      expect(await page.getByLabel("Your message").count()).toBe(1)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("what cannot be asked", () => {
  const UNREACHABLE = "Carrel is not responding. Is it running?"

  test(
    "again or in other words leaves the answer, and the words, and is said once",
    async () => {
      const page = await openChat()
      await begun(page, "How can the lease be ended?")
      await page.context().setOffline(true)
      await page.getByRole("button", { name: "Ask again" }).click()
      await page.getByText(UNREACHABLE).waitFor()
      expect(await page.getByText(UNREACHABLE).count()).toBe(1)
      expect(await replyOf(page).getByText("Wait for the quarter").count()).toBe(1)
      await page.getByRole("button", { name: "Edit the question" }).click()
      await page.getByLabel("Question", { exact: true }).fill("When can the lease be ended?")
      await page.getByRole("button", { name: "Ask", exact: true }).click()
      await page.getByText(UNREACHABLE).waitFor()
      expect(await page.getByLabel("Question", { exact: true }).inputValue()).toBe("When can the lease be ended?")
      expect(await replyOf(page).getByText("Wait for the quarter").count()).toBe(1)
      expect(await page.getByText(UNREACHABLE).count()).toBe(1)
      await page.context().setOffline(false)
      await page.getByRole("button", { name: "Ask", exact: true }).click()
      await page.getByLabel("Your message").getByText("When can the lease be ended?").waitFor()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await page.getByText(UNREACHABLE).count()).toBe(0)
      takeComplaints(/ERR_INTERNET_DISCONNECTED/)
    },
    SLOW_MS,
  )

  test(
    "while another tab is answered comes back with the reason",
    async () => {
      const page = await openChat()
      await begun(page, "How can the lease be ended?")
      const other = await page.context().newPage()
      await other.goto(page.url())
      await other.getByRole("button", { name: "Ask again" }).waitFor()
      const goOn = chats.model.hold()
      await ask(other, "And who asks first?")
      await replyOf(other).nth(1).getByText("Either party").waitFor()
      await ask(page, "And who asks second?")
      await stopOf(page).waitFor()
      await page
        .getByRole("alert")
        .getByText(/already/)
        .waitFor()
      expect(await fieldOf(page)).toBe("And who asks second?")
      goOn()
      await stopOf(page).waitFor({ state: "detached" })
      expect(await page.getByRole("alert").count()).toBe(1)
      takeComplaints(/status of 409/)
    },
    SLOW_MS,
  )
})

describe.skipIf(!hasBrowser)("what was written stays when the conversation cannot be read at the end of it", () => {
  /** Fails the requests for one conversation as of now. */
  const readsFail = (page: Page, how: (route: Route) => Promise<void>) =>
    page.route(/\/conversations\/conv_[^/?]+$/, route =>
      route.request().method() === "GET" ? how(route) : route.continue(),
    )

  test(
    "because the daemon is gone",
    async () => {
      const page = await openChat()
      const goOn = chats.model.hold()
      await ask(page, "How can the lease be ended?")
      await replyOf(page).getByText("Either party").waitFor()
      await readsFail(page, route => route.abort())
      goOn()
      await page.getByText("Carrel is not responding. Is it running?").waitFor()
      expect(await replyOf(page).getByText("Wait for the quarter").count()).toBe(1)
      expect(await stopOf(page).count()).toBe(0)
      expect(await page.getByLabel("Your message").count()).toBe(1)
      await page.unroute(/\/conversations\/conv_[^/?]+$/)
      await ask(page, "And now?")
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await replyOf(page).count()).toBe(2)
      takeComplaints(/ERR_FAILED/)
    },
    SLOW_MS,
  )

  test(
    "because it was deleted, which is said",
    async () => {
      const page = await openChat()
      const goOn = chats.model.hold()
      await ask(page, "How can the lease be ended?")
      await replyOf(page).getByText("Either party").waitFor()
      const error = { code: "not_found", message: "there is no such conversation" }
      await readsFail(page, route => route.fulfill({ status: 404, json: { error } }))
      goOn()
      await page.getByText("This conversation has been deleted.").waitFor()
      expect(await replyOf(page).getByText("Either party").count()).toBe(1)
      expect(await stopOf(page).count()).toBe(0)
      takeComplaints(/status of 404/)
    },
    SLOW_MS,
  )
})
