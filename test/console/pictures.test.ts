/** Pictures that go with a message, on the page. */
import { describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { LLAMA } from "../support/ollama.ts"
import { until } from "../support/until.ts"
import { violations } from "./axe.ts"
import { useChatSite } from "./chat-page.ts"
import { hasBrowser, SLOW_MS } from "./console.ts"

const SEER = { ...LLAMA, name: "llava:7b", digest: "seer", capabilities: ["completion", "vision"] }
const chats = useChatSite(async ({ model }) => void model.models.push(SEER))

/** One pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
const picture = (name: string, buffer = PNG) => ({ name, mimeType: "image/png", buffer })

const attach = (page: Page, files: { name: string; mimeType: string; buffer: Buffer }[]) =>
  page.getByLabel("Pictures", { exact: true }).setInputFiles(files)
const attached = (page: Page) => page.getByLabel("Attached pictures").getByRole("img")

async function openWith(model: string): Promise<Page> {
  const page = await chats.openChat()
  await page.getByLabel("Model", { exact: true }).selectOption(model)
  return page
}

/** As a drop or a paste brings them. */
const bring = (page: Page, kind: "drop" | "paste", type: string) =>
  page.evaluate(
    ([kind, type]) => {
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array(8)], "brought", { type: type! }))
      const event =
        kind === "drop"
          ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
      document.querySelector("#message")!.dispatchEvent(event)
    },
    [kind, type],
  )

describe.skipIf(!hasBrowser)("pictures of a message", () => {
  test(
    "are chosen, dropped and pasted, shown before they are sent, and can be taken off",
    async () => {
      const page = await openWith("ollama/llava:7b")
      await attach(page, [picture("plan.png"), picture("site.png")])
      await bring(page, "drop", "image/webp")
      await bring(page, "paste", "image/jpeg")
      await attached(page).nth(3).waitFor()
      await page.getByRole("button", { name: "Remove site.png" }).click()
      expect(await attached(page).count()).toBe(3)
      expect(await attached(page).first().getAttribute("alt")).toBe("plan.png")
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "what cannot be sent is refused at once, in words: other kinds, too large ones, and too many",
    async () => {
      const page = await openWith("ollama/llava:7b")
      await attach(page, [{ ...picture("plan.tiff"), mimeType: "image/tiff" }])
      await page.getByText("plan.tiff is neither PNG, JPEG, GIF nor WebP").waitFor()
      await attach(page, [picture("large.png", Buffer.alloc(10 * 1_048_576 + 1))])
      await page.getByText(/large\.png has .* a picture may have 10 MB/).waitFor()
      await attach(
        page,
        Array.from({ length: 9 }, (_, i) => picture(`${i}.png`)),
      )
      await page.getByText("at most 8 pictures").waitFor()
      expect(await attached(page).count()).toBe(8)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a model that sees none says so, and which one does; the button stays in reach of the keyboard",
    async () => {
      const page = await openWith("ollama/llama3.2:3b")
      await page.getByRole("button", { name: "Attach pictures" }).focus()
      await page.keyboard.press("Enter")
      await page.getByText("Llama 3.2 3B cannot see pictures. Llava 7B can.").waitFor()
      await page.getByLabel("Model", { exact: true }).selectOption("ollama/llava:7b")
      await page.getByText("cannot see pictures").waitFor({ state: "detached" })
      await attach(page, [picture("plan.png")])
      await attached(page).first().waitFor()
      await page.getByLabel("Message", { exact: true }).fill("What is it?")
      await page.getByRole("switch", { name: "Redact" }).click()
      await page.getByText("cannot be redacted").waitFor()
      expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true)
      await page.getByRole("switch", { name: "Redact" }).click()
      expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(false)
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "go with the message, are seen by the model, and stand in the conversation after a reload",
    async () => {
      const page = await openWith("ollama/llava:7b")
      await page.getByLabel("Library scope").selectOption("none")
      await attach(page, [picture("plan.png")])
      await page.getByLabel("Message", { exact: true }).fill("What is it?")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Ask again" }).waitFor()
      expect(await attached(page).count()).toBe(0)
      expect(chats.model.asked.at(-1)).toContain(PNG.toString("base64"))
      await page.reload()
      const sent = page.getByLabel("Your message").getByRole("img", { name: "Picture 1" })
      await sent.waitFor()
      await until(() => sent.evaluate(image => (image as HTMLImageElement).naturalWidth === 1))
      await page.getByRole("button", { name: "Ask again" }).click()
      await page.getByLabel("Your message").getByRole("img", { name: "Picture 1" }).waitFor()
      expect(await violations(page)).toEqual([])
      expect(chats.site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
