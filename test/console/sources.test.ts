import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { until } from "../support/until.ts"
import { type Console, hasBrowser, rowOf, SLOW_MS, startConsole } from "./console.ts"

let site: Console
const root = realpathSync(mkdtempSync(join(tmpdir(), "carrel-console-sources-")))
beforeAll(async () => {
  if (hasBrowser) site = await startConsole({ "source-root": root, "fetch-allow": "127.0.0.1" })
}, SLOW_MS)
afterAll(async () => {
  await site?.stop()
  rmSync(root, { recursive: true, force: true })
})

function folderOf(name: string, files: number): string {
  const folder = join(root, name)
  mkdirSync(folder)
  for (let i = 0; i < files; i++) writeFileSync(join(folder, `note-${i}.txt`), `The heron of note ${i} waits.`)
  return folder
}

/** Through the form; ends on the page of the source. */
async function add(page: Page, name: string, folder: string): Promise<void> {
  await page.goto(`${site.app.url}/library`)
  await page.getByRole("link", { name: "Sources" }).click()
  await page.getByRole("button", { name: "Add a source" }).click()
  await page.getByLabel("Name").fill(name)
  await page.getByLabel("Path").fill(folder)
  await page.getByLabel("Synced").selectOption({ label: "On request only" })
  await page.getByRole("button", { name: "Add", exact: true }).click()
  await page.getByRole("heading", { name }).waitFor()
}
const sync = (page: Page) => page.getByRole("button", { name: "Sync now" }).first().click()
const filesIn = async (): Promise<number> =>
  (await (await site.app.client()).get("/libraries")).body.pagination.total_items

describe.skipIf(!hasBrowser)("Library → Sources", () => {
  test(
    "adds a folder, previews and syncs it, shows what became of every file, pauses and resumes it",
    async () => {
      const folder = folderOf("first", 3)
      writeFileSync(join(folder, "film.mp4"), "no text")
      const page = await site.enter()
      await add(page, "Notes", folder)
      await page.getByText("Nothing is known of this source yet.").waitFor()
      await page.getByRole("button", { name: "Preview" }).click()
      const preview = page.getByRole("dialog")
      await preview.getByText("3 added").waitFor()
      await preview.getByText("note-2.txt").waitFor()
      expect(await filesIn()).toBe(0)
      await preview.getByRole("button", { name: "Sync now" }).click()
      await page.getByText("3 of 4 searchable · 1 type not read").waitFor()
      await rowOf(page, "note-1.txt").getByText("Searchable").waitFor()
      await page.getByLabel("Show").selectOption("unsupported")
      await rowOf(page, "note-1.txt").waitFor({ state: "detached" })
      await rowOf(page, "film.mp4").getByText("Type not read").waitFor()
      await page.reload()
      await rowOf(page, "film.mp4").waitFor()
      expect(await rowOf(page, "note-1.txt").count()).toBe(0)
      await page.getByRole("listitem").filter({ hasText: "3 added" }).getByText("Done").waitFor()

      await page.getByRole("button", { name: "Pause" }).click()
      await page.getByText("Paused").waitFor()
      await page.getByRole("button", { name: "Resume" }).click()
      await page.getByText("In sync").waitFor()
      await page.getByLabel("Show").selectOption("")
      await page.getByRole("link", { name: "note-1.txt" }).click()
      await page.getByLabel("Extracted text").waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "asks before a mass deletion; keeps the files or deletes them as it is told; deletes a source with its files",
    async () => {
      const page = await site.enter()
      const before = await filesIn()
      for (const [name, answer, left] of [
        ["Kept", "No, keep them", 12],
        ["Deleted", "Yes, delete them", 1],
      ] as const) {
        const folder = folderOf(name, 12)
        const present = await filesIn()
        await add(page, name, folder)
        await sync(page)
        await page.getByText("12 of 12 searchable").waitFor()
        for (let i = 1; i < 12; i++) rmSync(join(folder, `note-${i}.txt`))
        await sync(page)
        const question = page.getByLabel("Decision needed")
        await question.getByText("11 files of this source are gone").waitFor()
        expect(await filesIn()).toBe(present + 12)
        await page.getByRole("link", { name: "Overview" }).first().click()
        await page.getByLabel("Needs attention").getByText(name).waitFor()
        await page.getByRole("link", { name: "Decide what becomes of them" }).click()
        await question.getByRole("button", { name: answer }).click()
        if (name === "Deleted") await page.getByRole("button", { name: "Delete them", exact: true }).click()
        await page.getByText("In sync").waitFor()
        await question.waitFor({ state: "detached" })
        expect(await filesIn()).toBe(present + left)
        await page.getByRole("button", { name: "Delete", exact: true }).click()
        await page.getByRole("radio", { name: "Delete its files" }).check()
        await page.getByRole("button", { name: "Delete the source and its files" }).click()
        await page.getByText(`${name} is deleted`).waitFor()
        await page.getByRole("heading", { name: "Library" }).waitFor()
      }
      await page.getByRole("link", { name: /Notes/ }).waitFor()
      expect(await filesIn()).toBe(before)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS * 2,
  )

  test(
    "says on the overview which source could not be synced and why, and in the list where a repository lies",
    async () => {
      const client = await site.app.client()
      const folder = folderOf("Vanishing", 1)
      const { body: source } = await client.post("/sources", {
        type: "folder",
        name: "Vanishing",
        config: { path: folder },
      })
      const config = { url: "https://git.example/handbook.git", path: "docs" }
      const { body: git } = await client.post("/sources", { type: "git", name: "Handbook", config })
      rmSync(folder, { recursive: true })
      await client.post(`/sources/${source.id}/sync`)
      await until(async () => (await client.get(`/sources/${source.id}`)).body.status === "failed")
      const page = await site.enter()
      await page.getByLabel("Needs attention").getByText("The source Vanishing could not be synced").waitFor()
      await page.getByRole("link", { name: "See the source" }).click()
      await page.getByRole("heading", { name: "Vanishing" }).waitFor()
      await page.getByRole("link", { name: "All sources" }).click()
      await page.getByText("https://git.example/handbook.git · docs").waitFor()
      for (const { id } of [source, git]) await client.delete(`/sources/${id}`)
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "asks what each type needs, and says beside the field what is wrong with it",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/library/sources`)
      await page.getByRole("button", { name: "Add a source" }).click()
      const dialog = page.getByRole("dialog")
      for (const [type, fields] of [
        ["webdav", ["Address", "User name", "Password"]],
        ["s3", ["Endpoint", "Bucket", "Prefix", "Region", "Access key ID", "Secret access key"]],
        ["git", ["Address", "Branch", "Folder", "User name", "Password or token"]],
        ["imap", ["Server", "Port", "Mailbox", "Only since", "Encryption", "User name", "Password"]],
        ["web", ["Address", "At most so many pages", "Only these paths", "Not these paths"]],
        ["push", []],
        ["folder", ["Path", "Hidden files"]],
      ] as const) {
        await dialog.getByLabel("Type").selectOption(type)
        for (const field of fields) await dialog.getByLabel(field, { exact: true }).waitFor()
      }
      await dialog.getByLabel("Name").fill("Elsewhere")
      await dialog.getByLabel("Path").fill("/etc")
      await dialog.getByLabel("Synced").selectOption({ label: "By a cron expression" })
      await dialog.getByLabel("Cron").fill("often")
      await dialog.getByRole("button", { name: "Add", exact: true }).click()
      await dialog.getByRole("alert").waitFor()
      expect(site.complaints.filter(text => !/40[03]/.test(text))).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "makes a source of every type that is fetched over the network, and changes it",
    async () => {
      const page = await site.enter()
      for (const [type, fields] of [
        ["webdav", { Address: "http://127.0.0.1:9/dav", "User name": "ada", Password: "x" }],
        ["s3", { Endpoint: "http://127.0.0.1:9", Bucket: "papers", "Access key ID": "a", "Secret access key": "b" }],
        ["git", { Address: "http://127.0.0.1:9/a.git", "Password or token": "x" }],
        ["imap", { Server: "127.0.0.1", Port: "9", "Only since": "2026-01-31", "User name": "ada", Password: "x" }],
        ["web", { Address: "http://127.0.0.1:9/", "Only these paths": "/docs/**" }],
        ["push", {}],
      ] as const) {
        await page.goto(`${site.app.url}/library/sources`)
        await page.getByRole("button", { name: "Add a source" }).click()
        await page.getByLabel("Type").selectOption(type)
        await page.getByLabel("Name", { exact: true }).fill(`Of type ${type}`)
        for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
        if (type !== "push") await page.getByLabel("Synced").selectOption({ label: "On request only" })
        await page.getByRole("button", { name: "Add", exact: true }).click()
        await page.getByRole("heading", { name: `Of type ${type}` }).waitFor()
        await page.getByRole("button", { name: "Change" }).click()
        await page.getByLabel("Name", { exact: true }).fill(`Was of type ${type}`)
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("heading", { name: `Was of type ${type}` }).waitFor()
      }
      expect(site.complaints.filter(text => !/40[03]/.test(text))).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "is not shown to members",
    async () => {
      const admin = await site.enter()
      await admin.goto(`${site.app.url}/settings/users`)
      await admin.getByRole("button", { name: "Invite" }).click()
      await admin.getByLabel("E-mail").fill("mel@example.org")
      await admin.getByRole("button", { name: "Create a link" }).click()
      const link = (await admin.locator(".secrets code").textContent())!
      const page = await site.open()
      await page.goto(link)
      await page.getByLabel("Name").fill("Mel")
      await page.getByLabel("Password").fill("correct horse battery")
      await page.getByRole("button").last().click()
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.goto(`${site.app.url}/library`)
      await page.getByRole("button", { name: "Upload" }).waitFor()
      expect(await page.getByRole("link", { name: "Sources" }).count()).toBe(0)
      await page.goto(`${site.app.url}/library/sources`)
      await page.getByText("There is no such page").waitFor()
    },
    SLOW_MS,
  )
})
