import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Console, hasBrowser, SLOW_MS, startConsole } from "./console.ts"

const directory = mkdtempSync(join(tmpdir(), "carrel-mcp-"))
const server = new URL("../fixtures/mcp/stdio-server.ts", import.meta.url).pathname

let site: Console

beforeAll(async () => {
  if (!hasBrowser) return
  const config = join(directory, "mcp.json")
  writeFileSync(config, JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [server] } } }))
  site = await startConsole({ "mcp-config": config })
}, SLOW_MS)
afterAll(async () => {
  await site?.stop()
  rmSync(directory, { recursive: true, force: true })
})

describe.skipIf(!hasBrowser)("agent runs", () => {
  test(
    "the form offers the tools of external servers, unticked; a ticked one is asked for beside the built-in ones",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/agents`)
      await page.getByRole("button", { name: "New run" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Search the library").and(page.locator(":checked")).waitFor()
      const echo = dialog.getByLabel("echo (local)")
      expect(await echo.isChecked()).toBe(false)
      await echo.check()
      await dialog.getByLabel("Task").fill("Say hello")
      const [request] = await Promise.all([
        page.waitForRequest(/agents\/run$/),
        dialog.getByRole("button", { name: "Start" }).click(),
      ])
      expect(request.postDataJSON().tools).toEqual(
        expect.arrayContaining(["search_library", "calculate", "local.echo"]),
      )
      await page.getByRole("heading", { name: "Agent run" }).waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "the list of runs keeps its state filter over a reload",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/agents`)
      await page.getByLabel("State").selectOption({ label: "Timed out" })
      await page.getByText("No runs").waitFor()
      await page.reload()
      await page.getByText("No runs").waitFor()
      expect(await page.getByLabel("State").inputValue()).toBe("timed_out")
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
