/** What models write, as the console draws it. */
import { describe, expect, test } from "bun:test"
import type { Locator, Page } from "playwright-core"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"
import { ANSWER } from "./model.ts"

const chats = useChatSite()

async function answered(page: Page, answer: string, question = "How can the lease be ended?"): Promise<Locator> {
  chats.model.answer = answer
  await page.getByLabel("Message", { exact: true }).fill(question)
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Ask again" }).waitFor()
  return page.getByLabel("Reply", { exact: true }).last().locator(".markdown")
}

const RICH = `## Ending the lease

| Party | Notice |
|:------|-------:|
| Tenant | **6** months [1] |

1. Write
   - by hand
   - or *typed*
2. Wait

- [x] read

\`a < b\` &amp; [REDACTED_EMAIL], ~~never~~

\`\`\`ts
const x = "<b>"
\`\`\`

> Said [the office](https://example.org/a) [1].
`

describe.skipIf(!hasBrowser)("Markdown", () => {
  test(
    "tables, nested lists, tasks, code, quotes, links and citations are drawn",
    async () => {
      const page = await chats.openChat()
      const reply = await answered(page, RICH, "How can the lease be ended? See https://example.org/a")
      expect(await reply.locator(".heading.level-2").textContent()).toBe("Ending the lease")
      expect(await reply.locator("th").allTextContents()).toEqual(["Party", "Notice"])
      expect(await reply.locator("td strong").textContent()).toBe("6")
      expect(await reply.locator("ol > li > ul > li").allTextContents()).toEqual(["by hand", "or typed"])
      expect(await reply.locator("li.todo input").isChecked()).toBe(true)
      expect(await reply.locator(":not(pre) > code").textContent()).toBe("a < b")
      expect(await reply.locator("pre").textContent()).toBe('const x = "<b>"')
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
      await reply.getByRole("button", { name: "Copy the code" }).click()
      await reply.getByRole("button", { name: "Copied" }).waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('const x = "<b>"')
      expect(await reply.locator(".redacted").getAttribute("data-label")).toBe("e-mail")
      expect(await reply.getByText("& ").count()).toBeGreaterThan(0)
      const link = reply.getByRole("link", { name: "the office" })
      expect(await link.getAttribute("href")).toBe("https://example.org/a")
      expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow")
      expect(await reply.getByRole("button", { name: "Source 1" }).count()).toBe(2)
      await reply.getByRole("button", { name: "Source 1" }).first().click()
      await page.getByLabel("Extracted text").locator("mark").waitFor()
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "HTML stays text, nothing is loaded from elsewhere, and only addresses of the web and of mail are links",
    async () => {
      const page = await chats.openChat()
      const reply = await answered(
        page,
        [
          "<img src=x onerror=alert(1)> <script>alert(1)</script> **bold**",
          "<div onclick=alert(1)>\nblock\n</div>",
          "![chart](https://evil.example/pixel.png) [run](javascript:alert(1)) [data](data:text/html,x)",
          "[JaVa](JAVASCRIPT:alert(1)) [own](/settings/users) <javascript:alert(1)> [mail](mailto:a@example.org)",
          "[1]: https://evil.example/reference\n\nAs said [1].",
        ].join("\n\n"),
        "How can the lease be ended? See https://evil.example/pixel.png, https://evil.example/reference, a@example.org",
      )
      expect(await reply.locator("img, script, iframe, div[onclick]").count()).toBe(0)
      expect(await reply.textContent()).toContain("<img src=x onerror=alert(1)> <script>alert(1)</script> bold")
      const links = await reply.locator("a").evaluateAll(all => all.map(link => link.getAttribute("href")))
      expect(links.filter(href => href !== "https://evil.example/reference")).toEqual([
        "https://evil.example/pixel.png",
        "mailto:a@example.org",
      ])
      expect(await reply.getByRole("button", { name: "Source 1" }).count()).toBeGreaterThan(0)
      expect(chats.site.complaints).toEqual([]) // a request to another host would be one
    },
    SLOW_MS,
  )

  test(
    "links and pictures that nobody gave the model are text, also while the reply is written, and a warning says so",
    async () => {
      const page = await chats.openChat()
      const question = "How can the lease be ended? See https://example.org/a and https://example.org/b"
      const given = "[one](https://example.org/a) https://example.org/b"
      const foreign = "![two](https://evil.example/?q=lease) <https://evil.example/>, [three](https://example.org/a?x)"
      const goOn = chats.model.hold(4)
      const drawn = answered(page, `${given} ${foreign} that is all of it`, question)
      const draft = page.getByLabel("Reply", { exact: true }).last()
      await draft.getByText("one").waitFor()
      expect(await draft.locator("a").count()).toBe(0)
      goOn()
      const reply = await drawn
      const links = await reply.locator("a").evaluateAll(all => all.map(link => link.getAttribute("href")))
      expect(links).toEqual(["https://example.org/a", "https://example.org/b"])
      expect(await reply.locator("img").count()).toBe(0)
      expect(await reply.textContent()).toContain("two https://evil.example/, three")
      const notice = page.locator(".notice", { hasText: "https://evil.example/?q=lease" })
      expect(await notice.textContent()).toContain("https://example.org/a?x")
      await page.reload() // as it is stored
      await page.locator(".notice").first().waitFor()
      const stored = page.getByLabel("Reply", { exact: true }).last().locator(".markdown a")
      await stored.first().waitFor() // what reads Markdown is loaded after the page
      expect(await stored.count()).toBe(2)
      chats.model.answer = ANSWER
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "an address that the check reads longer than the page is text, as is one that goes on behind a quote",
    async () => {
      const page = await chats.openChat()
      const question = "How can the lease be ended? See https://example.org/a"
      const text = "https://example.org'.evil.test/?q=1 xhttps://evil.test/?q=2 https://evil.test/((q)) a@x_y.evil.test"
      const reply = await answered(page, `${text} https://example.org/a`, question)
      const links = await reply.locator("a").evaluateAll(all => all.map(link => link.getAttribute("href")))
      expect(links).toEqual(["https://example.org/a"])
      chats.model.answer = ANSWER
    },
    SLOW_MS,
  )

  test(
    "an address that is written so that its end is in doubt is text",
    async () => {
      const page = await chats.openChat()
      const question = "How can the lease be ended? See https://example.org/ and https://example.org/](b"
      const reply = await answered(page, '[a](https://example.org/](b "t") [b](https://example.org/`c`)', question)
      expect(await reply.locator("a").count()).toBe(0)
      chats.model.answer = ANSWER
    },
    SLOW_MS,
  )

  test(
    "a block of code is one from its first line on, while the rest is still to come",
    async () => {
      const page = await chats.openChat()
      chats.model.answer = "Look:\n\n```sh\necho one two three four five six seven\n```\n\nThat is **all**."
      const goOn = chats.model.hold(6)
      await page.getByLabel("Message", { exact: true }).fill("How can the lease be ended?")
      await page.keyboard.press("Enter")
      const code = page.getByLabel("Reply", { exact: true }).locator("pre")
      await code.getByText("echo one two").waitFor()
      expect(await code.textContent()).not.toContain("`")
      goOn()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await code.textContent()).toBe("echo one two three four five six seven")
      chats.model.answer = ANSWER
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "formulas are drawn where they are closed, stay within their place, and prices stay prices",
    async () => {
      const page = await chats.openChat()
      chats.model.answer =
        "It costs $5 and $10. Then\n\n$$\n\\frac{a}{b} =\n- c_1\n$$\n\nwith \\(x^2\\), $\\bad{x}$ and \\[ \\kern-900em y \\] done"
      const goOn = chats.model.hold(8)
      await page.getByLabel("Message", { exact: true }).fill("How can the lease be ended?")
      await page.keyboard.press("Enter")
      const reply = page.getByLabel("Reply", { exact: true })
      await reply.locator(".tex").waitFor() // half of it, as it is written
      expect(await reply.locator("math, li, em").count()).toBe(0)
      goOn()
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      await reply.locator("math").nth(2).waitFor()
      expect(await reply.locator("math mfrac").count()).toBe(1)
      expect(await reply.locator("math[display=block]").count()).toBe(2)
      expect(
        await reply
          .locator("math")
          .first()
          .evaluate(math => math.namespaceURI),
      ).toContain("MathML")
      expect(await reply.locator("code.tex").allTextContents()).toEqual(["\\bad{x}"])
      expect(await reply.textContent()).toContain("It costs $5 and $10.")
      for (const frame of await reply.locator(".math").all())
        expect(await frame.evaluate(box => getComputedStyle(box).contain)).toBe("paint")
      chats.model.answer = ANSWER
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "each paragraph, item and cell runs the way of its own writing, formulas from left to right",
    async () => {
      const page = await chats.openChat()
      const reply = await answered(page, "שלום עולם $a+b$\n\n- مرحبا\n- hello\n\n| א | b |\n|---|---|\n| ג | d |\n")
      const ways = (of: string) =>
        reply.locator(of).evaluateAll(all => all.map(each => getComputedStyle(each).direction))
      expect(await ways("p")).toEqual(["rtl"])
      expect(await ways("li")).toEqual(["rtl", "ltr"])
      expect(await ways("td")).toEqual(["rtl", "ltr"])
      expect(await ways("math")).toEqual(["ltr"])
      chats.model.answer = ANSWER
    },
    SLOW_MS,
  )
})
