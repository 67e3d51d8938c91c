import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { startReceiver, type TestReceiver } from "../support/receiver.ts"
import { until } from "../support/until.ts"
import { type Console, hasBrowser, SLOW_MS, startConsole } from "./console.ts"

let site: Console
let receiver: TestReceiver
beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole()
  receiver = startReceiver()
}, SLOW_MS)
afterAll(async () => {
  receiver?.stop()
  await site?.stop()
})

/** The secret that the page shows, which then is closed. */
async function takeSecret(page: Page): Promise<string> {
  const shown = page.getByRole("dialog").filter({ hasText: "not shown again" })
  const secret = (await shown.locator(".secrets code").textContent())!
  await page.keyboard.press("Escape") // must not lose what is shown once
  await shown.getByRole("button", { name: "Done" }).click()
  await shown.getByRole("button", { name: "Yes, close" }).click()
  await page.getByRole("dialog").waitFor({ state: "detached" })
  expect(await page.content()).not.toContain(secret)
  return secret
}

describe.skipIf(!hasBrowser)("Settings → Webhooks", () => {
  test(
    "adds a webhook, shows its secret once, sends a test; shows what was sent and sends it again; rotates, disables, deletes",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/settings/webhooks`)
      await page.getByRole("button", { name: "Add a webhook" }).click()
      await page.getByLabel("Address").fill(receiver.url)
      await page.getByLabel("Description").fill("the intranet")
      await page.getByRole("radio", { name: "Only some" }).check()
      await page.getByLabel("A file is searchable").check()
      await page.getByRole("button", { name: "Add", exact: true }).click()
      receiver.secret = await takeSecret(page)
      await page.getByText("the intranet · 1 type of event").waitFor()

      await page.getByRole("button", { name: "Send a test" }).click()
      await page.getByText(/^Taken with 204/).waitFor()
      expect(receiver.messages.map(({ type }) => type)).toEqual(["webhook.test"])
      expect(receiver.refused).toEqual([])

      const client = await site.app.client()
      await client.index([{ name: "lease.txt", data: "The tenant waters the ficus." }])
      await until(() => receiver.messages.length === 2)
      await page.getByRole("button", { name: "Deliveries" }).click()
      const sent = page.getByRole("dialog").getByRole("listitem").filter({ hasText: "file.searchable" })
      await sent.getByText("Delivered").waitFor()
      await sent.getByText("answered 204").waitFor()
      await sent.getByRole("button", { name: /^Send evt_/ }).click()
      await until(() => receiver.messages.length === 3)
      expect(receiver.messages[2]!.id).toBe(receiver.messages[1]!.id)
      await page.getByLabel("Show").selectOption({ label: "Failed" })
      await page.getByText("Nothing was sent").waitFor()
      await page.reload()
      await page.getByText("Nothing was sent").waitFor()
      expect(await page.getByLabel("Show").inputValue()).toBe("failed")
      await page.getByRole("button", { name: "Close" }).click()

      await page.getByRole("button", { name: /^Rotate/ }).click()
      await page.getByLabel("The present secret").selectOption({ label: "Drop it at once" })
      await page.getByRole("button", { name: "Rotate", exact: true }).click()
      expect(await takeSecret(page)).not.toBe(receiver.secret)

      await page.getByRole("button", { name: "Disable" }).click()
      await page.getByText("Nothing is sent: somebody disabled it").waitFor()
      await page.getByRole("button", { name: "Enable" }).click()
      await page.getByText("Active").waitFor()

      await page.getByRole("button", { name: `Delete ${receiver.url}` }).click()
      await page.getByRole("button", { name: "Delete", exact: true }).click()
      await page.getByText("No webhooks yet").waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "one that was given up is told of on the overview, with the reason, and can be enabled again",
    async () => {
      const gone = startReceiver()
      const client = await site.app.client()
      gone.secret = (await client.post("/webhooks", { url: gone.url })).body.secret
      gone.answer = () => new Response(null, { status: 410 })
      await client.index([{ name: "gone.txt", data: "The tenant is gone." }])
      const page = await site.enter()
      const notice = page.getByLabel("Needs attention").getByText(gone.url)
      await notice.waitFor()
      await page.getByRole("link", { name: "See webhooks" }).click()
      await page.getByText(/Nothing is sent: .*410/).waitFor()
      gone.answer = () => new Response(null, { status: 204 })
      await page.getByRole("button", { name: "Enable" }).click()
      await page.getByText("Active").waitFor()
      await page.getByRole("link", { name: "Overview" }).first().click()
      await page.getByText("Latest files").waitFor()
      await notice.waitFor({ state: "detached" })
      await page.goto(`${site.app.url}/settings/webhooks`)
      await page.getByRole("button", { name: `Delete ${gone.url}` }).click()
      await page.getByRole("button", { name: "Delete", exact: true }).click()
      await page.getByText("No webhooks yet").waitFor()
      gone.stop()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "says beside the address why it is refused, and why a test was not taken",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/settings/webhooks`)
      await page.getByRole("button", { name: "Add a webhook" }).click()
      await page.getByLabel("Address").fill("http://8.8.8.8/hook")
      await page.getByRole("button", { name: "Add", exact: true }).click()
      await page.getByRole("alert").waitFor()
      const gone = startReceiver()
      gone.stop()
      await page.getByLabel("Address").fill(gone.url)
      await page.getByRole("button", { name: "Add", exact: true }).click()
      await takeSecret(page)
      await page.getByRole("button", { name: "Send a test" }).click()
      await page.getByText(/^The test message was not taken: /).waitFor()
      expect(site.complaints.filter(text => !text.includes("403"))).toEqual([])
    },
    SLOW_MS,
  )
})
