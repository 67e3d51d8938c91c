/** Dialogs as people with a keyboard meet them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Console, hasBrowser, SLOW_MS, startConsole } from "./console.ts"

let site: Console

beforeAll(async () => {
  if (hasBrowser) site = await startConsole()
}, SLOW_MS)
afterAll(() => site?.stop())

describe.skipIf(!hasBrowser)("a dialog", () => {
  test(
    "is open as soon as it is there, so that Escape closes it at any time; what is typed goes into its first field",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/settings/api`)
      const opener = page.getByRole("button", { name: "Generate" })
      await opener.waitFor()
      const wasOpen = page.evaluate(
        () =>
          new Promise<boolean>(resolve => {
            const observer = new MutationObserver(() => {
              const dialog = document.querySelector("dialog")
              if (dialog) resolve(dialog.open)
            })
            observer.observe(document.body, { childList: true, subtree: true })
          }),
      )
      await opener.press("Enter")
      expect(await wasOpen).toBe(true)
      await page.keyboard.type("Intranet")
      expect(await page.getByLabel("Name").inputValue()).toBe("Intranet")
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      expect(await opener.evaluate(element => element === document.activeElement)).toBe(true)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "of what is shown only once stays, however often Escape is pressed",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/settings/api`)
      await page.getByRole("button", { name: "Generate" }).click()
      await page.getByLabel("Name").fill("Intranet")
      await page.getByRole("dialog").getByRole("button", { name: "Generate" }).click()
      const secret = page.getByRole("dialog").getByText("cid_").first()
      await secret.waitFor()
      for (let i = 0; i < 8; i++) await page.keyboard.press("Escape")
      await page.keyboard.press("Tab") // what the browser does about the presses is done when it has moved the focus
      await page.getByRole("dialog").locator(":focus").waitFor()
      expect(await secret.isVisible()).toBe(true)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
