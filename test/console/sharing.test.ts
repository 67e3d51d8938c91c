/** Conversations and runs are shared to read, found, and taken back; what applications made has a filter of its own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { usersAdd } from "../../src/access/users.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { People, type Session } from "../support/people.ts"
import { until } from "../support/until.ts"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, PASSWORD, SLOW_MS, signIn, startConsole } from "./console.ts"

const QUESTION = "Where does the heron stand?"
const APPLICATION = "Where does the application stand?"
const MODEL = "builtin/extractive"

let site: Console
let conversation: string
let run: string

const mail = (name: string) => `${name.toLowerCase()}@example.org`

beforeAll(async () => {
  if (!hasBrowser) return
  site = await startConsole()
  const database = await openSqlite(site.app.data)
  for (const name of ["Bob", "Cid", "Dan"]) await usersAdd(database, { email: mail(name), password: PASSWORD, name })
  await usersAdd(database, { email: mail("Far"), password: PASSWORD, name: "Far", workspace: "other" })
  await database.destroy()
  const client = await site.app.client()
  await client.index([{ name: "heron.txt", data: "The heron stands in the reeds." }])
  await client.post("/start-conversation", { message: APPLICATION, model: MODEL })
  await client.post("/agents/run", { task: APPLICATION, model: MODEL })
  const bob = await new People(site.app).signIn(mail("Bob"))
  conversation = (await made(bob, "/start-conversation", { message: QUESTION, model: MODEL })).conversation_id
  run = (await made(bob, "/agents/run", { task: QUESTION, model: MODEL })).run_id
}, SLOW_MS)
afterAll(() => site?.stop())

async function made(session: Session, path: string, body: object, method = "POST") {
  const response = await fetch(`${site.app.url}/external-docs/external${path}`, {
    method,
    headers: { ...session, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  return response.json()
}

/** A page of that user's own, at an address. */
async function openAs(name: string, address: string): Promise<Page> {
  const page = await site.open()
  await page.goto(site.app.url)
  await signIn(page, mail(name))
  await page.goto(site.app.url + address)
  return page
}

/** Chosen in the dialog of what the page shows. */
async function share(page: Page, choose: (dialog: ReturnType<Page["getByRole"]>) => Promise<unknown>, action: string) {
  await page.getByRole("button", { name: /^Shared?$/ }).click()
  const dialog = page.getByRole("dialog", { name: "Share to read" })
  await choose(dialog)
  await dialog.getByRole("button", { name: action }).click()
  await dialog.waitFor({ state: "detached" })
}

const reach = (name: string) => (dialog: ReturnType<Page["getByRole"]>) => dialog.getByRole("radio", { name }).check()

describe.skipIf(!hasBrowser)("sharing", () => {
  test(
    "a conversation is shared with one of the workspace, who finds it, reads it and changes nothing, until it is taken back",
    async () => {
      const bob = await openAs("Bob", `/chat/${conversation}`)
      await share(
        bob,
        async dialog => {
          await reach("Some")(dialog)
          expect(await dialog.getByRole("checkbox").count()).toBe(3) // Ada, Cid and Dan: nobody of the other workspace
          expect(await dialog.textContent()).not.toContain("@")
          await dialog.getByLabel("Cid").check()
        },
        "Save",
      )
      await bob.getByRole("button", { name: "Shared", exact: true }).waitFor()

      const cid = await openAs("Cid", "/chat")
      await cid.getByLabel("Whose").selectOption({ label: "Shared with me" })
      const listed = cid.getByRole("link", { name: QUESTION })
      await listed.getByText("Bob").waitFor()
      await listed.click()
      await cid.getByText("From Bob, to read").waitFor()
      await cid.getByLabel("Reply", { exact: true }).waitFor()
      await cid.getByRole("button", { name: "How this answer was made" }).click()
      await cid.getByRole("dialog").getByText("heron.txt").first().waitFor()
      expect(await cid.getByRole("button", { name: "Ask with the same prompt" }).count()).toBe(0)
      await cid.keyboard.press("Escape")
      await cid.getByRole("dialog").waitFor({ state: "detached" })
      for (const name of [/^Shared?$/, "Send", "Ask again", "Edit the question", /^Change /])
        expect([name, await cid.getByRole("button", { name }).count()]).toEqual([name, 0])
      expect(await cid.getByLabel("Message", { exact: true }).count()).toBe(0)

      const dan = await openAs("Dan", "/chat")
      await dan.getByText("No conversations yet.").waitFor()

      await bob.getByLabel("Message", { exact: true }).fill("And the stork?")
      await bob.getByRole("button", { name: "Send" }).click()
      await cid.getByLabel("Your message").getByText("And the stork?").waitFor() // nobody reloads the page
      expect(site.complaints).toEqual([])

      await share(bob, reach("Nobody"), "Take back")
      await bob.getByRole("button", { name: "Share", exact: true }).waitFor()
      await cid.getByRole("alert").waitFor()
      expect(await cid.getByText("stork").count()).toBe(0)
      await cid.reload()
      await cid.getByRole("alert").waitFor()
      await cid.getByText("There is none.").waitFor() // the filter outlasts the reload
      expect(await cid.getByText(QUESTION).count()).toBe(0)
      expect(site.complaints.splice(0).every(text => text.includes("404"))).toBe(true)
    },
    SLOW_MS,
  )

  test(
    "a run is shared with the whole workspace, whose members neither delete nor share it",
    async () => {
      const bob = await openAs("Bob", `/agents/${run}`)
      await bob.getByRole("heading", { name: "Result" }).waitFor()
      await share(bob, reach("Everybody"), "Save")
      await bob.getByRole("button", { name: "Shared", exact: true }).waitFor()
      const dan = await openAs("Dan", "/agents?show=own")
      await dan.getByText("No runs").waitFor()
      await dan.getByLabel("Whose").selectOption({ label: "Shared with me" })
      await dan.getByRole("link", { name: QUESTION }).click()
      await dan.getByText("From Bob, to read").waitFor()
      await dan.getByRole("heading", { name: "Result" }).waitFor()
      expect(await dan.getByRole("button", { name: /Delete|Share|Cancel/ }).count()).toBe(0)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "who reads a shared answer and may not see a cited file is told so, and is shown nothing of it",
    async () => {
      const client = await site.app.client()
      const [file] = await client.index([{ name: "otter.txt", data: "The otter sleeps under the willow roots." }])
      const bobs = await new People(site.app).signIn(mail("Bob"))
      const asked = { message: "Where does the otter sleep?", model: MODEL }
      const { conversation_id } = await made(bobs, "/start-conversation", asked)
      await made(bobs, `/conversations/${conversation_id}/shares`, { users: "workspace" }, "PUT")
      expect((await client.patch(`/libraries/${file.id}`, { acl: ["group:keepers"] })).status).toBe(200)
      const cids = await new People(site.app).signIn(mail("Cid"))
      const api = `${site.app.url}/external-docs/external/libraries/${file.id}`
      for (const path of ["", "/text", "/content", "/pages", "/pages/1.png", "/pages/1/marks?start=0&end=5"]) {
        const answer = await fetch(api + path, { headers: cids })
        expect([path, answer.status]).toEqual([path, 404])
        expect(await answer.text()).not.toMatch(/otter|willow/)
      }
      const cid = await openAs("Cid", `/chat/${conversation_id}`)
      await cid.getByLabel("Reply", { exact: true }).getByRole("button", { name: "Source 1" }).first().click()
      const panel = cid.getByRole("dialog").or(cid.getByRole("complementary", { name: "Document" }))
      await panel.getByText("This document has been deleted, or you may not see it.").waitFor()
      expect(await panel.textContent()).not.toMatch(/otter|willow/)
      expect(await panel.getByRole("link", { name: "Download" }).count()).toBe(0)
      expect(await violations(cid)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await cid.screenshot({ path: `${Bun.env.CARREL_SCREENSHOTS}/viewer-unseen.png` })
      expect(site.complaints.splice(0).every(text => text.includes("404"))).toBe(true)
    },
    SLOW_MS,
  )

  test(
    "administrators see what people asked, and what came by keys only where they ask for it, also after a reload",
    async () => {
      const page = await openAs("Ada", "/chat")
      const asked = (text: string) => page.getByRole("link", { name: text })
      for (const address of ["/chat", "/agents"]) {
        await page.goto(site.app.url + address)
        await asked(QUESTION).getByText("Bob").waitFor()
        expect(await asked(APPLICATION).count()).toBe(0)
        await page.getByLabel("Whose").selectOption({ label: "Of applications" })
        await asked(APPLICATION).waitFor()
        await page.reload()
        await asked(APPLICATION).waitFor()
        expect(await asked(QUESTION).count()).toBe(0)
        await page.getByLabel("Whose").selectOption({ label: "All" })
        await until(async () => (await asked(QUESTION).count()) + (await asked(APPLICATION).count()) === 2)
      }
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
